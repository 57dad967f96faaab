#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/errors/local_error.hpp"
#include "solvers/methods/constraint_form.hpp"
#include "solvers/methods/step_memory.hpp"
#include "solvers/newton/newton.hpp"
#include "solvers/newton/unknown_runs.hpp"

namespace trammel {

/// A method that goes from one accepted state to the next, in dynamics or statics.
class StepMethod {
 public:
  virtual ~StepMethod() = default;

  /// Tries the step of size `h` from `now` to time `end`. Collective.
  virtual NewtonResult attempt(const State& now, double end, double h) = 0;
  /// The converged state of the last attempt.
  virtual const State& trial() const = 0;
  /// See Newton::obey and Newton::stop.
  virtual void obey(const StopRequest* request) = 0;
  virtual Stop stop() const = 0;
  /// Makes the trial the present state. In dynamics `trial` is then the state before. The next attempt needs the ranks' agreement on
  /// `totals`. Collective.
  virtual void accept(State& now, RankTotals& totals) = 0;

  /// Called between attempts after a change of the pattern: creates matrices again. Collective.
  virtual void revise() = 0;
  /// Called between attempts after a change of the redundant rows, or of the statuses of rows, with the same
  /// pattern.
  virtual void take_redundant() = 0;
  /// Called between attempts after a jump of forces or constraints. `now` is consistent with them already; discards
  /// the data of the steps before.
  virtual void restart(State& now) = 0;
  /// Called after the accepted step at an event without a jump: derivatives of accelerations may jump there.
  virtual void pass_kink() {}
  const StepMemory& memory() const { return memory_; }
  /// Continues from another state with the memory that belongs to it.
  void restore(const StepMemory& memory) { memory_ = memory; }
  /// The local error of the converged trial. `event`: it ends at one. `time` [s]: what the error leaves in faster vibrations is taken out
  /// where that is known (LocalError::without_vibrations). Only in stages with an accuracy. Collective.
  virtual void local_error(LocalError&, bool /*event*/, double /*time*/) {}
  /// Writes (collective) or reads the data of the steps before.
  virtual void serialize(Archive& archive) { archive(memory_); }
  /// Discards tangents that were kept over steps.
  virtual void drop_tangent() = 0;
  /// Discards data that only save work: tangents, the statistics of kept tangents, the order of pivots.
  virtual void drop_factorization() = 0;

  /// Why the last attempt failed; see Newton::failure. Collective.
  virtual std::string failure(bool thorough) = 0;
  /// A setting of the method that may explain repeated failures, and the entity concerned; empty if none is known.
  virtual std::string frequent_cause() const { return {}; }
  /// The rounding error of accelerations and multipliers for steps of size h, as a fraction of the largest
  /// acceleration, for methods that compute them from differences of positions (index 3); otherwise 0. Collective.
  virtual double acceleration_rounding(double /*h*/) const { return 0; }
  /// Violations of the constraints at the converged trial, on this rank.
  virtual Violations violations() const = 0;

 protected:
  /// State::predictor of `state`, by BlockOffset::dof: v' of kinematic blocks, y' of states, algebraic unknowns and multipliers.
  static void take_predictor(std::span<const UnknownRun> runs, const State& state,
                             std::vector<double>& predictor);

  StepMemory memory_;
};

}  // namespace trammel
