#pragma once

#include <optional>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/instance_plan.hpp"
#include "solvers/reactions/reaction_sides.hpp"

namespace trammel {

/// What elements are told of their joint's reaction at one state, where they report outputs or draw.
class JointReactions {
 public:
  explicit JointReactions(Assembler& assembler) : assembler_(assembler) {}

  /// Finds the reactions at `state`. Only elements that share a block with an identified one are evaluated. Throws Error, on all ranks,
  /// where one of them refuses the state. Collective.
  void update(const State& state);
  /// Of this rank's instance i, by the last update; without an update, whether it is active.
  ReactionContributions of(const RangePlan& plan, int i) const;
  /// Whether any instance of this rank may be told something.
  bool any() const;

 private:
  void follow_pattern();

  Assembler& assembler_;
  std::optional<ReactionSides> sides_;
  std::vector<std::vector<InstanceRun>> near_;  ///< by range: what contributes to the reactions
  std::vector<double> r_;                       ///< their contributions, by dof offset
  int pattern_ = -1;                            ///< of the assembler, that `near_` was found in
};

}  // namespace trammel
