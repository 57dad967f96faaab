#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/newton.hpp"

namespace trammel {

/// What a method keeps of the steps before, besides the present state.
struct StepHistory {
  std::vector<double> algorithmic;  ///< accelerations of the method by dof place, or none
  double last_step = 0;             ///< [s]
  bool first = false;               ///< the next step is the first after a start
  bool leads = false;
};

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

  /// Called after stencils moved, between attempts: renews the layout, all states and all matrices. The first of the
  /// states is the present one; the others are taken along. Collective.
  virtual void revise(std::span<State* const> states) = 0;
  /// Called between attempts where forces or constraints jumped: `now` is consistent with them, and nothing of the steps
  /// before goes on. Unknowns may be numbered anew.
  virtual void restart(const State& now) = 0;
  /// What a restart forgets, and its return where the restart is taken back.
  virtual StepHistory history() const { return {}; }
  virtual void restore(StepHistory&& /*history*/) {}
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
