#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "solvers/newton/stages.hpp"
#include "solvers/start/model_energy.hpp"
#include "trammel/state.hpp"

namespace trammel {

class DenseStep;
class RankTotals;
class Snapshot;

/// Data of one accepted step.
struct StepReport {
  int stage = 0;                ///< index of the stage
  std::int64_t number = 0;      ///< accepted steps of this stage so far; 0: its start
  std::int64_t nominal = 0;     ///< nominal steps of this stage completed so far
  bool at_nominal = true;       ///< false inside a nominal step that was divided
  bool last = false;            ///< the stage ends here
  bool restarted = false;       ///< the stage did not begin with the state that the one before ended with
  double time = 0;              ///< [s]
  double step = 0;              ///< [s]
  double begin = 0, until = 0;  ///< of the stage [s]
  int iterations = 0;           ///< of Newton's method in this step
  int factorizations = 0;
  std::optional<ModelEnergy> energy;  ///< of the state that is told with the report, where it is known
};

/// Receives what happens during a run: recorders and logs implement it. Every call is collective.
class Monitor {
 public:
  virtual ~Monitor() = default;

  /// Before the first step of a stage. `state` is its start; accelerations and multipliers are consistent if the
  /// stage computes them.
  virtual void stage_begins(const Stage&, const StepReport&, const State&) {}
  /// Before a step is accepted, in stages by an accuracy and those with a second run: the motion inside it.
  virtual void passes(const StepReport&, const DenseStep&) {}
  /// After each accepted step. `state` holds positions, velocities, accelerations and multipliers.
  virtual void accepted(const StepReport&, const State&) {}
  /// Called instead of `stage_begins` if a run continues from a snapshot.
  virtual void goes_on(const Stage&, const StepReport&, const State&) {}
  /// Adds to `totals` the numbers by which `wants_snapshot` decides and which this rank alone knows, such as a signal.
  virtual void add_requests(RankTotals& /*totals*/) {}
  /// Whether a snapshot of the last accepted step is wanted: the same on every rank.
  virtual bool wants_snapshot(const StepReport&) { return false; }
  /// The same if the run stops on request.
  virtual bool wants_snapshot_at_stop(const StepReport&) { return false; }
  /// Receives the requested snapshot. The run discards kept tangents at the same time, so that a run that continues
  /// from the snapshot repeats it exactly.
  virtual void take(const Snapshot&) {}
  /// Around an accepted step that ends at an event: before it, with the statuses of constraints that held so far, and after
  /// it where forces or velocities jump and the motion restarts consistently, at the same time.
  virtual void event_comes(const StepReport&, const State&) {}
  virtual void event_restarts(const StepReport&, const State&) {}
  /// Before elements may change their histories and blocks their offsets. What reads elements on another thread, at a state that was
  /// told, must have ended when this returns.
  virtual void histories_change() {}
  virtual void stage_ends(const Stage&, const StepReport&, const State&) {}
  /// A line for the log: a step was halved, the start changed velocities, ...
  virtual void note(std::string_view) {}
  /// The run stops on request; the state is the last accepted one.
  virtual void stopped(const StepReport&, const State&) {}
  /// The run fails; `last_good` is the last accepted state. The Error is thrown after this.
  virtual void failed(const StepReport&, const State&, std::string_view) {}
};

}  // namespace trammel
