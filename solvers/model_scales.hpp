#pragma once

#include <array>

#include "solvers/convergence.hpp"
#include "trammel/assembler.hpp"

namespace trammel {

/// Geometric means of the non-zero diagonal entries in rows of positions, rotations and coordinates of the
/// tangent with `weights` at `state`; 0 where a kind has none. The layout must have no companions.
/// Collective.
std::array<double, 3> typical_diagonal(Assembler& assembler, const State& state,
                                       const TangentWeights& weights);

/// Length and typical inertias of the model. Collective.
ModelScales measure_scales(Assembler& assembler, const State& state);

/// Typical diagonal of the stiffness in rows of positions [N/m], from what there is. Collective.
double typical_stiffness(Assembler& assembler, const State& state, double length);

}  // namespace trammel
