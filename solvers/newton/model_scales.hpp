#pragma once

#include "kernel/assembler.hpp"
#include "solvers/newton/convergence.hpp"

namespace trammel {

/// Length, typical inertias and roundings of the model. The layout must have no stabilizing unknowns. Collective.
ModelScales measure_scales(Assembler& assembler, const State& state);

/// Typical diagonal of the stiffness in rows of positions [N/m]; without positions, from other rows. Collective.
double typical_stiffness(Assembler& assembler, const State& state, double length);

}  // namespace trammel
