#pragma once

#include <functional>
#include <span>
#include <string>

#include "solvers/accuracy/accuracy_control.hpp"
#include "solvers/accuracy/step_plan.hpp"
#include "solvers/constraints/redundancy_monitor.hpp"
#include "solvers/methods/step_method.hpp"
#include "solvers/run/cut_notes.hpp"
#include "solvers/run/energy_guard.hpp"
#include "solvers/run/energy_ledger.hpp"
#include "solvers/run/simulation.hpp"
#include "solvers/run/snapshot.hpp"

namespace trammel {

/// The parts of a stage that its steps use.
struct StageParts {
  StepMethod& method;
  RedundancyMonitor& loops;
  const ModelScales& scales;
  StepGrid grid;                              ///< of its nominal steps
  double h;                                   ///< their size [s]
  int max_cuts;                               ///< times a step may be halved
  const std::vector<double>* ends = nullptr;  ///< of its nominal steps [s], in place of those by `grid`
  bool inside = false;                        ///< monitors are told of the motion inside steps
  // Of dynamics alone:
  ConsistentStart* start = nullptr;
  const ConstraintForm* form = nullptr;
  EnergyLedger* ledger = nullptr;
  EnergyGuard* guard = nullptr;
  AccuracyControl* accuracy = nullptr;  ///< chooses the steps; `h` is typical of them
};

/// The loop over the steps of a stage. Each step is attempted and reviewed, and then accepted, halved, shortened,
/// solved again, or begun again after a restart (docs/life_of_a_step.md).
class StepLoop {
 public:
  /// `stage`: writes the data of the stage to snapshots of the loop.
  StepLoop(Simulation& simulation, StepReport& report, const StageParts& parts,
           std::function<void(Archive&)> stage);

  /// Runs the steps, continuing from the step in `report`.
  void run();
  /// Writes or reads the place in the stage.
  void serialize(Archive& archive);

 private:
  using Target = StepPlan::Target;
  /// The decision about a trial.
  enum class Verdict {
    accept,
    halve,            ///< there is no solution, or an element refuses it
    cut,              ///< an event lies inside
    solve_again,      ///< reviews changed something
    other_equations,  ///< other rows are redundant than before
    begin_again,      ///< rows change their status at the start of the step
    shorten,          ///< its error exceeds the accuracy
  };

  bool done() const;
  void plan();
  void step();
  Verdict judge(const NewtonResult& result, const MergedReview& review, const Target& target);
  void accept(const Target& target, const MergedReview& review);
  void halve(const Target& target, const NewtonResult& result);
  void cut(const Target& target, const MergedReview& review);
  /// Plans a step of less than half of h [s] where sizes follow from an accuracy; false where it would be too short.
  bool plan_shorter(double h);
  /// Undoes the changes of the reviews of the present step.
  void reject();
  /// Call after a change of stencils or of the pattern: renews the layout, the state and all matrices.
  void revise();
  /// Call after a change of the redundant rows or of the statuses of rows.
  void take_redundant();
  /// Switches the statuses of rows at the present state, and restarts there.
  void switch_rows(std::span<const RowSwitch> rows);
  /// Continues from the present state with velocities, accelerations and multipliers that are consistent with the
  /// present forces and joints. Rows that were switched to active take an impulse.
  void restart(std::span<const RowSwitch> switched);
  /// Whether redundant equations are violated at the trial, so that others were removed instead.
  bool loops_changed();
  void refuse_massless();
  /// Throws Error if events follow each other ever sooner.
  void refuse_crowding() const;
  void throw_restless(const Target& target, const MergedReview& review) const;
  /// Gives a snapshot to the monitors that want one. `stops`: because the run stops.
  void hand_out_snapshot(bool stops);
  /// Logs the warning of the form, once.
  void warn();
  /// The entity behind a request: "joint 'hook' (beam_sliding)"; `or_else` if there is none.
  std::string asker(const MergedReview& review, const char* or_else) const;

  Begin beginning() const {
    return {.why = Begin::Why::restart, .step = parts_.h, .in_statics = !moves(), .active = true};
  }
  bool moves() const { return parts_.form != nullptr; }

  Simulation& simulation_;
  Assembler& assembler_;
  ModelHistory& history_;
  State& state_;
  StepReport& report_;
  StageParts parts_;
  StepMethod& method_;
  std::function<void(Archive&)> stage_;
  StepPlan plan_;
  CutNotes cuts_;
  bool warned_ = false;                      ///< the warning of the form was logged
  int failed_ = 0;                           ///< steps that were halved
  bool told_cause_ = false;                  ///< ... and why that happens often
  std::string who_cut_;                      ///< the entity that requested the last event
  int iterations_ = 0, factorizations_ = 0;  ///< of the present step, including failed attempts
};

}  // namespace trammel
