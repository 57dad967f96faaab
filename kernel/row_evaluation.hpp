#pragma once

#include <map>
#include <vector>

#include "kernel/instance_plan.hpp"
#include "kernel/row_statuses.hpp"
#include "trammel/friction_force.hpp"

namespace trammel {

/// Evaluates instances whose rows may be inactive, slip, or depend on their multipliers, and replaces these rows
/// according to their status. An instance whose own rows are all inactive is not evaluated.
///
/// An inactive row is replaced by lambda = 0. The coordinates of an inactive instance keep the values that they had
/// when its last row became inactive.
class RowEvaluation {
 public:
  RowEvaluation(const Model& model, const RowStates& states)
      : model_(model),
        statuses_(states.statuses),
        held_(states.held),
        slip_directions_(states.slip_directions) {}

  /// Whether all own rows of instance i are inactive.
  bool asleep(const RangePlan& plan, int i) const;
  /// Evaluates instance i, and passes its contribution to `sink`. `at_zero`: the same state with zero multipliers
  /// of compliant instances, for forms that evaluate their rows there; else null.
  void evaluate(const RangePlan& plan, int i, const State& state, const State* at_zero,
                const Request& request, ContributionSink& sink) const;

 private:
  const Model& model_;
  const RowStatuses& statuses_;
  const HeldCoordinates& held_;
  const std::map<BlockId, SlipDirection>& slip_directions_;  ///< of groups that slip, by multiplier
};

}  // namespace trammel
