#pragma once

#include <array>
#include <map>

#include "friction_force.hpp"
#include "instance_plan.hpp"
#include "trammel/row_status.hpp"

namespace trammel {

/// Coordinates that only inactive rows determine, with the values that they keep.
using HeldCoordinates = std::map<BlockId, std::array<double, max_block_size>>;

/// Evaluates instances whose rows may be inactive, slip, or depend on their multipliers: what they give is their rows as
/// these stand. An instance all of whose own rows are inactive is not evaluated.
///
/// The row of an inactive one is lambda = 0. Coordinates of its own stay where they were when the last row became inactive.
class RowEvaluation {
 public:
  RowEvaluation(const Model& model, const RowStatuses& statuses, const HeldCoordinates& held,
                const std::map<BlockId, SlipCourse>& courses)
      : model_(model), statuses_(statuses), held_(held), courses_(courses) {}

  /// Whether all own rows of instance i are inactive.
  bool asleep(const RangePlan& plan, int i) const;
  /// Evaluates instance i; `at_zero`: the same state with multipliers of compliant instances zero, where rows are asked for
  /// there, else null. The share goes to `sink`.
  void evaluate(const RangePlan& plan, int i, const State& state, const State* at_zero,
                const Request& request, ShareSink& sink) const;

 private:
  const Model& model_;
  const RowStatuses& statuses_;
  const HeldCoordinates& held_;
  const std::map<BlockId, SlipCourse>& courses_;  ///< of groups that slip, by multiplier
};

}  // namespace trammel
