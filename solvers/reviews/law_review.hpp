#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/instance_plan.hpp"
#include "solvers/reviews/law_verdict.hpp"
#include "solvers/reviews/merged_review.hpp"
#include "trammel/friction_law.hpp"

namespace trammel {

/// Changes that the laws of rows request; the same on every rank.
struct LawChange {
  std::vector<RowSwitch> rows;
  bool turned = false;  ///< the direction of a group that begins to slip has changed
};

/// Reads the rows with laws of this rank's instances: gaps, multipliers and slips, at the last accepted state and
/// at the end of a step. `law_verdict` decides what a law requests.
class LawReview {
 public:
  LawReview(const Model& model, RowStates& states)
      : model_(model), statuses_(states.statuses), slip_directions_(states.slip_directions) {}

  /// Finds them after a change of the pattern. Collective.
  void find(std::span<const RangePlan> plans, MPI_Comm comm);
  bool any() const { return any_; }  ///< on some rank
  /// The model's length [m], and the number of steps for which the signs of multipliers are ignored.
  void set_scales(double length, int transient) {
    length_ = length;
    transient_ = transient;
  }
  void step_accepted() { transient_ = std::max(0, transient_ - 1); }
  double length() const { return length_; }
  /// Reads the data of this object that are in neither the state nor the statuses of rows.
  void serialize(Archive& archive) { archive(length_, transient_, switched_); }
  /// Writes the same data; the archive of rank 0 receives those of all ranks. Collective.
  void write(Archive& archive, MPI_Comm comm) const;

  /// Evaluates all rows with laws at `state`. The functions below refer to this state. `accelerations`: also reads
  /// what `turn_slip_directions` needs.
  void read(std::span<const RangePlan> plans, const State& state, bool accelerations = false);
  /// The state is accepted: the next step begins from it.
  void remember(std::span<const RangePlan> plans);
  /// These rows change their status at that state. Groups that begin to slip take their direction from it.
  void switched(std::span<const RangePlan> plans, std::span<const RowSwitch> rows, double time);

  /// The switches of rows at the start of a stage: unilateral rows with an open gap become inactive. Collective.
  std::vector<RowSwitch> at_begin(MPI_Comm comm) const;
  /// Adds the requests of the laws after a step to `merged`. Collective.
  void review(std::span<const RangePlan> plans, const StepInfo& step, const FieldScales& scales,
              MergedReview& merged, MPI_Comm comm);
  /// The switches of rows that the laws request at a state with consistent velocities, accelerations and
  /// multipliers. Collective; the same on every rank.
  std::vector<RowSwitch> settled(std::span<const RangePlan> plans, const FieldScales& scales,
                                 MPI_Comm comm) const;
  /// Replaces the direction of groups that begin to slip by the direction in which their slip accelerates; true if
  /// a direction changed by more than rounding. Collective.
  bool turn_slip_directions(std::span<const RangePlan> plans, MPI_Comm comm);

 private:
  struct Watched {
    std::size_t plan = 0;
    int instance = 0;
    std::size_t block = 0;             ///< of the stencil
    const FrictionLaw* law = nullptr;  ///< null: unilateral rows
  };
  /// One row, or one group by its first row, at one state.
  struct Reading {
    double gap = 0, rate = 0, multiplier = 0;
    FrictionVector slip = FrictionVector::Zero(), force = FrictionVector::Zero(),
                   slip_rate = FrictionVector::Zero();
    double normal = 0;
  };
  using Readings = std::map<ConstraintRow, Reading>;

  LawStep step_of(double start, double end, const FieldScales& scales) const;
  UnilateralReading unilateral(const ConstraintRow& row) const;
  FrictionReading friction(const Watched& w, BlockId group) const;
  double rest() const;
  double switched_at(const ConstraintRow& row) const;
  /// Adds all rows of a group.
  void add_group(BlockId group, RowStatus status, std::map<ConstraintRow, RowStatus>& to) const;
  /// Groups whose pressing row becomes inactive do so too.
  void release_pressed(std::map<ConstraintRow, RowStatus>& rows) const;
  BlockId id_of(const Watched& w, std::span<const RangePlan> plans) const {
    return plans[w.plan].stencil(w.instance)[w.block].id;
  }

  const Model& model_;
  const RowStatuses& statuses_;
  std::vector<Watched> watched_;
  bool any_ = false;
  double length_ = 1;
  int transient_ = 0;
  double tried_from_ = -std::numeric_limits<double>::infinity(), longest_ = 0;  ///< of the step that is tried
  std::map<BlockId, OutsideCone> outside_;  ///< of the trials from `tried_from_`
  Readings now_, before_;                   ///< `before_`: at the last accepted state
  std::map<BlockId, SlipDirection>& slip_directions_;
  std::map<BlockId, FrictionVector> held_;  ///< multipliers of groups where they began to slip
  std::map<ConstraintRow, double> switched_;
};

}  // namespace trammel
