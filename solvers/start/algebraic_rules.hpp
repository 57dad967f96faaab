#pragma once

#include "kernel/assembler.hpp"

namespace trammel {

/// Inspects the tangents at `state` and at states near it. Throws Error, on all ranks, if the equation of an
/// algebraic unknown depends on a multiplier or an acceleration, or a constraint depends on the unknown; the
/// message names the instance and the blocks (trammel/algebraic_rules.hpp). Collective.
void require_algebraic_rules(Assembler& assembler, const State& state);

}  // namespace trammel
