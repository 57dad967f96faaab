#pragma once

#include "kernel/assembler.hpp"
#include "solvers/convergence.hpp"

namespace trammel {

/// Throws Error, naming the worst joint, motion or coupling, where position constraints do not hold at the start of a
/// dynamic stage: the first step would close the gap by an infinite force. Collective.
void require_closed(Assembler& assembler, const State& state, const ModelScales& scales);

/// Whether they hold there, as closely as at a start. Collective.
bool is_closed(Assembler& assembler, const State& state, const ModelScales& scales);

/// `require_closed` for their rates, where velocities are taken as they stand. Collective.
void require_closed_rates(Assembler& assembler, const State& state);

}  // namespace trammel
