#pragma once

#include <span>
#include <string>

#include "kernel/assembler.hpp"

namespace trammel {

/// The instance, block and component with the largest residual, for messages.
struct WorstResidual {
  double value = 0;
  BlockId block = no_block;
  BlockKind kind = BlockKind::position;
  std::string name, unit;  ///< of the block
  int component = 0;
  std::string entity;  ///< "joint 'hook' (beam_sliding)": whose contribution is largest in that row
  Location where;
};

/// Where the largest scaled residual comes from. Collective; the same answer on every rank.
WorstResidual worst_residual(Assembler& assembler, const State& state, ConstraintLevel level,
                             std::span<const double> kind_scale);

/// The first instance with a number that is not finite in its residual or, times the weights, in its tangent at `state`:
/// "the tangent of joint 'hook' (type 'beam_sliding' of plugin 'beam_sliding', case.yaml:12:3)"; empty where there is none.
/// Collective; the same answer on every rank.
std::string not_finite(Assembler& assembler, const State& state, ConstraintLevel level,
                       const TangentWeights& weights);

}  // namespace trammel
