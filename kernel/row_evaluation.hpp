#pragma once

#include <map>
#include <vector>

#include "kernel/instance_plan.hpp"
#include "kernel/row_statuses.hpp"
#include "trammel/friction_force.hpp"

namespace trammel {

/// Evaluates instances whose rows may be inactive, slip, or depend on their multipliers: what they give is their rows as
/// these stand. An instance all of whose own rows are inactive is not evaluated.
///
/// The row of an inactive one is lambda = 0. Coordinates of its own stay where they were when the last row became inactive.
class RowEvaluation {
 public:
  RowEvaluation(const Model& model, const RowStates& states)
      : model_(model),
        statuses_(states.statuses),
        held_(states.held),
        slip_directions_(states.slip_directions) {}

  /// Whether all own rows of instance i are inactive.
  bool asleep(const RangePlan& plan, int i) const;
  /// Evaluates instance i; `at_zero`: the same state with multipliers of compliant instances zero, where rows are asked for
  /// there, else null. The contribution goes to `sink`.
  void evaluate(const RangePlan& plan, int i, const State& state, const State* at_zero,
                const Request& request, ContributionSink& sink) const;

 private:
  const Model& model_;
  const RowStatuses& statuses_;
  const HeldCoordinates& held_;
  const std::map<BlockId, SlipDirection>& slip_directions_;  ///< of groups that slip, by multiplier
};

}  // namespace trammel
