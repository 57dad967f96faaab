#pragma once

#include <array>

#include "solvers/convergence.hpp"
#include "trammel/assembler.hpp"

namespace trammel {

/// By rows of positions, rotations and coordinates; 0 where there are none.
struct DiagonalSizes {
  std::array<double, 3> typical{};  ///< geometric means
  std::array<double, 3> largest{};
};

/// Sizes of the non-zero diagonal entries of the tangent with `weights` at `state`. The layout must have no
/// companions. Collective.
DiagonalSizes diagonal_sizes(Assembler& assembler, const State& state, const TangentWeights& weights);

/// Length and typical inertias of the model. Collective.
ModelScales measure_scales(Assembler& assembler, const State& state);

/// Typical diagonal of the stiffness in rows of positions [N/m], from what there is. Collective.
double typical_stiffness(Assembler& assembler, const State& state, double length);

}  // namespace trammel
