#pragma once

#include <string>
#include <vector>

#include "solvers/constraint_form.hpp"
#include "solvers/local_error.hpp"
#include "solvers/newton.hpp"
#include "solvers/step_memory.hpp"

namespace trammel {

/// One way to go from an accepted state to the next: by dynamics or by statics.
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
  /// Makes the trial the present state.
  virtual void accept(State& now) = 0;

  /// After the pattern changed, between attempts: makes matrices anew. Collective.
  virtual void revise() = 0;
  /// Called between attempts where other equations became redundant, or rows do something else, and the pattern stays.
  virtual void take_redundant() = 0;
  /// Called between attempts where forces or constraints jumped: `now` is consistent with them, and nothing of the steps
  /// before goes on.
  virtual void restart(State& now) = 0;
  const StepMemory& memory() const { return memory_; }
  /// Goes on from another state, to which that memory belongs.
  void restore(const StepMemory& memory) { memory_ = memory; }
  /// What the converged trial adds to the error of the motion, where the stage asks for an accuracy. Collective.
  virtual void local_error(LocalError&) const {}
  /// Writes (collective) or reads what the method remembers of the steps before.
  virtual void serialize(Archive& archive) { archive(memory_); }
  /// Forgets tangents that were kept over steps.
  virtual void drop_tangent() = 0;
  /// Forgets all that only saves work: tangents, when to keep them, the order of pivots.
  virtual void drop_factorization() = 0;

  /// Why the last attempt failed; see Newton::failure. Collective.
  virtual std::string failure(bool thorough) = 0;
  /// What in the method's settings may be why steps fail again and again, and where they did; empty: nothing is known.
  virtual std::string frequent_cause() const { return {}; }
  /// To what part of the largest acceleration rounding lets accelerations and multipliers be known in steps of h, where they
  /// follow from differences of positions (index 3); else 0. Collective.
  virtual double acceleration_rounding(double /*h*/) const { return 0; }
  /// At the converged trial. Collective.
  virtual Violations violations() const = 0;

 protected:
  /// State::predictor of `state`, by BlockOffset::dof: v' of kinematic blocks, y' of states, algebraic unknowns and multipliers.
  static void take_predictor(const Layout& layout, const State& state, std::vector<double>& predictor);

  StepMemory memory_;
};

}  // namespace trammel
