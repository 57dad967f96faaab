#pragma once

#include <functional>
#include <span>
#include <string>

#include "solvers/accuracy_control.hpp"
#include "solvers/cut_notes.hpp"
#include "solvers/energy_guard.hpp"
#include "solvers/energy_ledger.hpp"
#include "solvers/redundancy_monitor.hpp"
#include "solvers/simulation.hpp"
#include "solvers/snapshot.hpp"
#include "solvers/step_method.hpp"
#include "solvers/step_plan.hpp"

namespace trammel {

/// What a stage is made of, for its steps.
struct StageParts {
  StepMethod& method;
  RedundancyMonitor& loops;
  const ModelScales& scales;
  StepGrid grid;  ///< of its nominal steps
  double h;       ///< their size [s]
  int max_cuts;   ///< times a step may be halved
  // Of dynamics alone:
  ConsistentStart* start = nullptr;
  const ConstraintForm* form = nullptr;
  EnergyLedger* ledger = nullptr;
  EnergyGuard* guard = nullptr;
  AccuracyControl* accuracy = nullptr;  ///< chooses the steps; `h` is typical of them
};

/// The steps of a stage: each is attempted, reviewed, and accepted, cut, solved again, or begun again after a restart.
class StepLoop {
 public:
  /// `stage`: writes what the loop's snapshots hold of its stage.
  StepLoop(Simulation& simulation, StepReport& report, const StageParts& parts,
           std::function<void(Archive&)> stage);

  /// Goes on from where `report` says.
  void run();
  /// Writes or reads the place in the stage.
  void serialize(Archive& archive);

 private:
  using Target = StepPlan::Target;
  /// What is to be done about a trial.
  enum class Verdict {
    accept,
    halve,            ///< it is no solution, or refused
    cut,              ///< an event lies inside
    solve_again,      ///< reviews changed something
    other_equations,  ///< others are redundant than before
    begin_again,      ///< rows do something else from the step's begin on
    shorten,          ///< it errs by more than the accuracy allows
  };

  bool done() const;
  void plan();
  void step();
  /// `h`: size of the step.
  Verdict judge(const NewtonResult& result, const MergedReview& review, double h);
  void accept(const Target& target, const MergedReview& review);
  void halve(const Target& target, const NewtonResult& result);
  void cut(const Target& target, const MergedReview& review);
  /// Takes back what the reviews of the step under way changed.
  void reject();
  /// After stencils moved or the pattern changed: renews the layout, the state and all matrices.
  void revise();
  /// After other equations became redundant or rows do something else.
  void take_redundant();
  /// Lets rows of constraints do something else from the present state on, and restarts there.
  void switch_rows(std::span<const RowSwitch> rows);
  /// Goes on from the present state with accelerations and multipliers, and velocities, that fit the forces and joints that
  /// there are now; rows that were switched to active take an impulse.
  void restart(std::span<const RowSwitch> switched);
  /// Whether redundant equations are open at the trial; others are removed then.
  bool loops_changed();
  void refuse_massless();
  /// Throws Error where events follow each other ever sooner.
  void refuse_crowding() const;
  void throw_restless(const Target& target, const MergedReview& review) const;
  /// To the monitors that want one; `stops`: because the run stops.
  void hand_out_snapshot(bool stops);
  /// Once, where the form has something against its steps.
  void warn();
  /// "joint 'hook' (beam_sliding)": who asked for what the review says.
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
  bool warned_ = false;                      ///< that the form's steps are not to be trusted
  int failed_ = 0;                           ///< steps that were halved
  bool told_cause_ = false;                  ///< ... and why that happens often
  std::string who_cut_;                      ///< asked for the last event
  int iterations_ = 0, factorizations_ = 0;  ///< of the step under way, failed attempts included
};

}  // namespace trammel
