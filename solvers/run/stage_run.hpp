#pragma once

#include <optional>

#include "solvers/constraints/redundancy_monitor.hpp"
#include "solvers/run/simulation.hpp"
#include "solvers/run/snapshot.hpp"
#include "solvers/run/step_loop.hpp"
#include "solvers/start/consistent_start.hpp"

namespace trammel {

/// Runs one stage of a simulation from its present state: prepares the start, the method and the loop of steps.
class StageRun {
 public:
  StageRun(Simulation& simulation, const Stage& stage, int index);

  void run();
  /// Goes on from a snapshot of this stage.
  void go_on(const Snapshot& from);
  /// The present step, for messages.
  const StepReport& report() const { return report_; }

 private:
  void run(const AssembleStage& stage);
  void run(const StaticStage& stage);
  void run(const DynamicStage& stage);
  /// Tells instances and laws of rows that a stage begins; `transient`: steps until signs of multipliers count.
  void tell_beginning(const Begin& how, int transient);
  void begin(const StaticStage& stage);
  void begin(const DynamicStage& stage);
  /// Runs the steps from the present state. `from`: the remaining data of a snapshot; null if there is none.
  void steps(const StaticStage& stage, Archive* from);
  void steps(const DynamicStage& stage, Archive* from);
  void steps(const StageParts& parts, Archive* from);
  void start_consistently();
  void number_unknowns(bool stabilizing);
  /// Imposes the initial values of coordinates, unless the bodies have begun to move already.
  void place(const AssembleStage& options);
  /// Computes algebraic unknowns from the positions, if these determine them. Throws Error if an unknown has no
  /// equation.
  void try_algebraic();
  /// Finds the redundant constraints at the start of a stage.
  void find_loops(Redundancy redundancy);
  /// Throws Stopped if a stop was requested before the stage begins.
  void stop_before_stage() const;
  /// Changes the end of a continued stage. Throws Error if the new end is before the present state.
  void change_end(const DynamicStage& stage);
  /// Writes or reads what belongs to the run and the start of the stage.
  void serialize(Archive& archive);

  Simulation& simulation_;
  Assembler& assembler_;
  ModelHistory& history_;
  State& state_;
  const Stage& stage_;
  StepReport report_;
  StepGrid grid_;
  ModelScales scales_;
  double stiffness_ = 0;  ///< typical, in statics [N/m]
  std::optional<RedundancyMonitor> loops_;
  std::optional<ConsistentStart> start_;  ///< of a dynamic stage
  int start_pattern_ = 0;                 ///< Assembler::pattern_changes when its matrices were made
};

}  // namespace trammel
