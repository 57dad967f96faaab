#pragma once

#include <string>

#include "kernel/assembler.hpp"
#include "solvers/linear/petsc_owned.hpp"

namespace trammel {

/// How thoroughly to search for the unknowns that make a matrix singular.
enum class Search {
  empty_rows,  ///< only rows without entries
  thorough,    ///< also by inverse iteration, if that finds the matrix singular to rounding
  certain,     ///< the matrix is known to be singular: reports whatever inverse iteration finds
};

/// Names the unknowns that make the tangent J singular: "no stiffness or mass in 'bob position' (1, 2, 3)"
/// if rows are empty, otherwise the blocks with the largest components in the direction of the smallest singular
/// value of J, found by inverse iteration. Empty if no block is distinguished. Collective; the same text on every
/// rank.
std::string describe_singular(const Assembler& assembler, const Layout& layout, Mat J, Search search);

/// The first body without mass in all of its unknowns at `state`; null if there is none. Collective; the same on
/// every rank.
const Entity* body_without_mass(Assembler& assembler, const State& state);

/// Sum of the squares of the residual over all rows of one kind of block. Collective.
double residual_square(Assembler& assembler, const State& state, ConstraintLevel level, BlockKind kind);

}  // namespace trammel
