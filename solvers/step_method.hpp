#pragma once

#include <string>
#include <vector>

#include "solvers/newton.hpp"

namespace trammel {

/// One way to go from an accepted state to the next: by dynamics or by statics.
class StepMethod {
 public:
  virtual ~StepMethod() = default;

  /// Tries the step of size `h` from `now` to time `end`. Collective.
  virtual NewtonResult attempt(const State& now, double end, double h) = 0;
  /// The converged state of the last attempt.
  virtual const State& trial() const = 0;
  /// Makes the trial the present state.
  virtual void accept(State& now) = 0;

  /// Called after stencils moved, between attempts: renews the layout, all states and all matrices.
  /// Collective.
  virtual void revise(State& now) = 0;
  /// Called between attempts where forces or constraints jumped: `now` is consistent with them, and nothing of the steps
  /// before goes on. Unknowns may be numbered anew.
  virtual void restart(const State& now) = 0;
  /// Forgets tangents that were kept over steps.
  virtual void drop_tangent() = 0;

  /// Why the last attempt failed; see Newton::failure. Collective.
  virtual std::string failure(bool thorough) = 0;
  /// Largest violations at the converged trial, over all ranks. Collective.
  virtual double constraint_violation() const = 0;
  virtual double rate_violation() const = 0;
  /// Of the equations that were left out as repeated.
  virtual double left_out_violation() const = 0;
};

}  // namespace trammel
