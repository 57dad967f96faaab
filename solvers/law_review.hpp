#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/instance_plan.hpp"
#include "solvers/law_verdict.hpp"
#include "solvers/merged_review.hpp"
#include "trammel/friction_law.hpp"

namespace trammel {

/// Where the laws of rows lead after a step; the same on every rank.
struct LawChange {
  std::vector<RowSwitch> rows;
  bool turned = false;  ///< friction that begins to slip found another direction
};

/// Watches the rows that obey laws, of this rank's instances: gaps, multipliers and slips at the last accepted state and at
/// the end of a step. What a law asks for comes from `law_verdict`.
class LawReview {
 public:
  LawReview(const Model& model, RowStates& states)
      : model_(model), statuses_(states.statuses), slip_directions_(states.slip_directions) {}

  /// Finds them after a change of the pattern. Collective.
  void find(std::span<const RangePlan> plans, MPI_Comm comm);
  bool any() const { return any_; }  ///< on some rank
  /// The model's length, and the steps for which multipliers mean nothing yet.
  void set_scales(double length, int transient) {
    length_ = length;
    transient_ = transient;
  }
  void step_accepted() { transient_ = std::max(0, transient_ - 1); }
  double length() const { return length_; }
  /// Reads what is remembered besides what the state and the rows' states say.
  void serialize(Archive& archive) { archive(length_, transient_, switched_); }
  /// Writes it, that of all ranks on rank 0. Collective.
  void write(Archive& archive, MPI_Comm comm) const;

  /// Reads all rows with laws at `state`, which is what the functions below are about. `accelerations`: for `turn_slip_directions`.
  void read(std::span<const RangePlan> plans, const State& state, bool accelerations = false);
  /// The state is accepted: the next step begins from it.
  void remember(std::span<const RangePlan> plans);
  /// Rows that change their status at that state: groups that begin to slip take their direction from there.
  void switched(std::span<const RangePlan> plans, std::span<const RowSwitch> rows, double time);

  /// What the laws ask for where a stage begins: unilateral rows are inactive where their gap is open. Collective.
  std::vector<RowSwitch> at_begin(MPI_Comm comm) const;
  /// Adds what the laws ask for after a step to `merged`. Collective.
  void review(std::span<const RangePlan> plans, const StepInfo& step, const FieldScales& scales,
              MergedReview& merged, MPI_Comm comm);
  /// What the laws ask for at once at a state with consistent velocities, accelerations and multipliers. Collective; the
  /// same on every rank.
  std::vector<RowSwitch> settled(std::span<const RangePlan> plans, const FieldScales& scales,
                                 MPI_Comm comm) const;
  /// Turns the direction of groups that slip from rest into the direction in which their slip accelerates; true where one
  /// turned by more than rounding. Collective.
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
  Readings now_, before_;  ///< `before_`: at the last accepted state
  std::map<BlockId, SlipDirection>& slip_directions_;
  std::map<BlockId, FrictionVector> held_;  ///< multipliers of groups where they began to slip
  std::map<ConstraintRow, double> switched_;
};

}  // namespace trammel
