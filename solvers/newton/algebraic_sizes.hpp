#pragma once

#include <vector>

#include "kernel/assembler.hpp"

namespace trammel {

/// Sizes of the equations of algebraic unknowns, by local offset (Layout), for tests of convergence.
struct AlgebraicSizes {
  /// The sum of |dg/dx_j| times the size of x_j over the algebraic unknowns j, or, if the equation contains none,
  /// over all other variables. The size of a variable is its nominal size, the model's length or a radian, or its
  /// value if that is larger. 0 for an equation without variables.
  std::vector<double> equation;
  std::vector<double> rounding;  ///< of the equation
};

/// Finds the sizes at `state`; false, on all ranks, if the state is rejected. Collective.
bool algebraic_sizes(Assembler& assembler, const State& state, AlgebraicSizes& out);

}  // namespace trammel
