#pragma once

#include <span>
#include <utility>
#include <vector>

#include "solvers/errors/alpha_coefficients.hpp"
#include "solvers/errors/error_filter.hpp"
#include "solvers/errors/local_error.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/linear/timings.hpp"
#include "solvers/newton/step_equations.hpp"

namespace trammel {

/// Takes out of local errors what they leave in vibrations faster than a given time.
///
/// An error of a velocity moves a free body for as long as the motion goes on; in a mode of the frequency W it moves it by at most
/// the error over W. Let J be the tangent of a step as long as the given time: J^-1 c_a M e remains of an error e, as ErrorFilter has it,
/// and the rest is in the vibrations. J belongs to a state of a while ago, so that stiffness which has just arisen and may soon be gone,
/// as that of a wall, takes nothing. (docs/steps_by_accuracy.md.)
class VibrationFilter {
 public:
  VibrationFilter(StepEquations& equations, const AlphaCoefficients& alpha, Timings& timings)
      : equations_(equations), alpha_(alpha), timings_(timings) {}

  /// A step of size h [s] is to be judged without vibrations faster than `time` [s].
  void begin(double h, double time) {
    step_ = h;
    time_ = time;
  }
  /// Filters the errors of this step, which begins at the time `start` [s] and whose equations have the solution x. Where h is not small
  /// beside `time`, or no tangent is old enough, they remain as they are. Call ErrorFilter::change before. Collective.
  void apply(ErrorFilter& filter, Vec x, double start, LocalError& error);
  /// This step was accepted. `event`: it ends at one. Collective.
  void accepted(double end, bool event);
  /// Discards the tangents, but not what they are made with: after a restart, or a change of the constraints.
  void drop() {
    ready_ = latest_ = Tangent::none;
    looked_ = 0;
  }
  /// Before a checkpoint, or after a change of the pattern.
  void reset();

 private:
  struct Tangent {
    static constexpr int none = -1;
    OwnedMat J;
    OwnedKSP ksp;
    double made = 0, time = 0;  ///< the time of its state, and of the step that it is for [s]
    double row_scale = 0;       ///< see ErrorFilter::filter
  };

  /// Whether steps of this size are small beside the time of the vibrations.
  bool takes_step() const;
  /// Makes a tangent at the trial, for a step of size `time`. Returns its place, or Tangent::none.
  int make(double at, double time);
  /// As ErrorFilter::filter, with this tangent.
  bool filter(ErrorFilter& by, const Tangent& tangent, std::span<ErrorFilter::Field> fields);
  /// Computes LocalError::vibration.
  void find_vibration(ErrorFilter& by, const Tangent& tangent, LocalError& error);

  StepEquations& equations_;
  AlphaCoefficients alpha_;
  Timings& timings_;
  Tangent tangents_[2];
  int ready_ = Tangent::none,
      latest_ = Tangent::none;  ///< the one in use, and the one that waits until it is old enough
  double time_ = 0, step_ = 0;  ///< [s]
  int looked_ = 0;              ///< accepted steps since the tangents were dropped
  std::vector<double> displacement_, filtered_, accelerations_;
};

}  // namespace trammel
