#pragma once

#include "kernel/assembler.hpp"
#include "solvers/newton/convergence.hpp"

namespace trammel {

/// Throws Error, with the worst joint, motion or coupling, if position constraints are not satisfied at the start
/// of a dynamic stage: the first step would close the gap with a force that grows without bound as the step
/// decreases. Collective.
void require_closed(Assembler& assembler, const State& state, const ModelScales& scales);

/// Whether the position constraints are satisfied as accurately as a start requires. Collective.
bool is_closed(Assembler& assembler, const State& state, const ModelScales& scales);

/// As `require_closed`, for the rates of the constraints, at starts that do not change velocities. Collective.
void require_closed_rates(Assembler& assembler, const State& state);

}  // namespace trammel
