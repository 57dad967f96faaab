#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/accuracy/accuracy_report.hpp"
#include "solvers/linear/timings.hpp"
#include "solvers/methods/step_memory.hpp"
#include "solvers/newton/stages.hpp"
#include "solvers/newton/stop_request.hpp"
#include "solvers/reviews/model_history.hpp"
#include "solvers/run/monitor.hpp"

namespace trammel {

/// The results of a run, for its summary.
struct RunSummary {
  /// Where a run stopped on request before the end of its stages.
  struct StoppedAt {
    double time = 0;        ///< [s]
    bool given_up = false;  ///< the present step was not finished
  };
  std::optional<StoppedAt> stopped;
  Timings timings;
  std::vector<AccuracyReport> accuracies;  ///< of the stages that asked for one, by now
  Energy energy_at_start, energy_at_end;  ///< where the first dynamic stage starts, and of the last state [J]
  double lost = 0;  ///< integral of Energy::dissipated_power over the dynamic stages [J]
  double largest_gain =
      0;  ///< largest |kinetic + strain + potential + lost - the same at the start of its stage| [J]
  double gained = 0;     ///< the same where it is energy from nowhere: largest error that is positive [J]
  double gained_at = 0;  ///< when that was [s]
  /// The largest energy without a source, relative to the energy of the motion.
  struct FromNowhere {
    double part = 0;    ///< of `largest`, beyond rounding
    double energy = 0;  ///< [J]
    double largest =
        0;  ///< in that stage until then, kinetic energy and changes of strain and potential energy [J]
    double time = 0;  ///< [s]
  };
  FromNowhere nowhere;
  double largest_energy = 0;     ///< largest such sum of all stages [J]
  double largest_violation = 0;  ///< of a position constraint at an accepted step [m or rad]
  /// Of a constraint's rate [m/s or rad/s]: at accepted steps where the rate is an equation (index 2, velocity-level
  /// constraints); of the index-3 form at the ends of its stages.
  double largest_rate_violation = 0;
  /// Rounding error of accelerations and multipliers of index-3 stages, as a fraction of the largest; 0: no such
  /// stage.
  double acceleration_rounding = 0;
  double start_energy_change =
      0;  ///< kinetic energy that consistent starts, and impulses in the run, added [J]
  std::vector<std::string> warnings;  ///< why steps are not to be trusted
};

struct SimulationOptions {
  bool energy = true;  ///< the energy balance: one evaluation of energies a step
};

/// Runs stages on one model, each from the end of the one before.
class Simulation {
 public:
  /// The assembler's layout is switched between forms as the stages need it.
  explicit Simulation(Assembler& assembler, SimulationOptions options = {});
  Simulation(Assembler& assembler, State initial, SimulationOptions options = {});

  /// `monitor` must outlive the run.
  void add(Monitor& monitor) { monitors_.push_back(&monitor); }

  /// `request` must outlive the run.
  void obey(const StopRequest& request) { request_ = &request; }

  /// Runs the stages, or what a request to stop leaves of them; monitors got `stopped` then. Throws Error, on all ranks, where a stage fails; monitors got `failed` before, and
  /// `state()` is then the last good one. Collective.
  void run(std::span<const Stage> stages);
  /// Continues the same stages from a snapshot of a run of the same model. Collective.
  void run(std::span<const Stage> stages, const Snapshot& from);
  /// Goes on from a snapshot of another model, by the numbers of this one (snapshot_transfer.hpp): the stage under way begins anew
  /// at the snapshot's time, as a stage begins at the end of the one before. Collective.
  void run_anew(std::span<const Stage> stages, const Snapshot& from);

  const State& state() const { return state_; }
  const RunSummary& summary() const { return summary_; }

 private:
  friend class StageRun;
  friend class StepLoop;

  void run(std::span<const Stage> stages, std::size_t first, const Snapshot* from);
  /// Calls every monitor.
  template <class Call>
  void tell(Call&& call) {
    const double begin = MPI_Wtime();
    for (Monitor* monitor : monitors_) call(*monitor);
    summary_.timings.output += MPI_Wtime() - begin;
  }
  void note(const std::string& text) {
    tell([&](Monitor& m) { m.note(text); });
  }

  Assembler& assembler_;
  ModelHistory history_{assembler_};
  SimulationOptions options_;
  State state_;
  /// Of the dynamic stage that ended with the present state; its field `algorithmic` goes on then.
  std::optional<StepMemory> memory_;
  bool moved_ = false;              ///< a dynamic stage has started
  bool placed_ = false;             ///< coordinates had their initial values, and bodies are free to move on
  bool has_initial_rates_ = false;  ///< coordinates had their initial rates
  std::vector<Monitor*> monitors_;
  const StopRequest* request_ = nullptr;
  RunSummary summary_;
};

}  // namespace trammel
