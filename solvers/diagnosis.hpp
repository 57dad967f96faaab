#pragma once

#include <string>

#include "kernel/assembler.hpp"
#include "solvers/petsc_owned.hpp"

namespace trammel {

/// How far to look for what makes a matrix singular.
enum class Search {
  empty_rows,  ///< rows without numbers alone
  thorough,    ///< also by inverse iteration, if that finds the matrix singular to rounding
  certain,     ///< the matrix is known to be singular: whatever inverse iteration finds
};

/// Names the unknowns that make the tangent J singular: "no stiffness or mass in 'bob position' (1, 2, 3)"
/// where rows are empty, else the blocks with the largest part in the direction in which J is weakest, found
/// by inverse iteration. Empty where nothing stands out. Collective; the same text on every rank.
std::string describe_singular(const Assembler& assembler, const Layout& layout, Mat J, Search search);

/// The first body none of whose unknowns has a mass at `state`; null where there is none. Collective; the same on every rank.
const Entity* body_without_mass(Assembler& assembler, const State& state);

/// Sum of squares of the residual in all rows of one kind of block. Collective.
double residual_square(Assembler& assembler, const State& state, ConstraintLevel level, BlockKind kind);

}  // namespace trammel
