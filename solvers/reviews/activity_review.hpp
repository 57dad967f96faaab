#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernel/instance_plan.hpp"
#include "kernel/row_statuses.hpp"
#include "trammel/activity.hpp"
#include "trammel/joint_reaction.hpp"

namespace trammel {

/// Finds when joints become inactive or active according to their Activity. For the instances of this rank.
class ActivityReview {
 public:
  void find(const Model& model, std::span<const RangePlan> plans);

  /// The rows that functions of time switch at the start of a stage or at a restart. Collective; the same on every
  /// rank.
  std::vector<RowSwitch> at_begin(const Model& model, std::span<const RangePlan> plans,
                                  const RowStatuses& statuses, const State& state, const Begin& how,
                                  MPI_Comm comm) const;
  Review review(const RangePlan& plan, int i, const LocalState& x, const StepInfo& step) const;
  /// Stores the force or moment that the joint transmits at an accepted state.
  void commit(const ElementRange& range, int i, const LocalState& x);
  /// Instance i becomes active at `state`: computes its own coordinates there, and calls its `begin`. Throws Error
  /// if its equations are not satisfied.
  void activate(const Model& model, const RangePlan& plan, int i, State& state, const Begin& how) const;

 private:
  struct Watch {
    const Activity* activity = nullptr;
    std::optional<JointReaction> reaction;
    double before = 0;  ///< load at the last accepted state, as a fraction of its limit
  };
  static double load(const Watch& watch, const LocalState& x);

  std::map<std::pair<const ElementRange*, int>, Watch> watched_;
};

}  // namespace trammel
