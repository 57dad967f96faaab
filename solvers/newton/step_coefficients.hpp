#pragma once

namespace trammel {

/// How velocities and accelerations follow from the unknown x of a step: v = velocity x + v0, v' =
/// acceleration x + a0, and y' = state_rate x + y0 for first-order states.
struct StepCoefficients {
  double velocity = 0;
  double acceleration = 0;
  double state_rate = 0;
  double step = 0;  ///< h [s]
  /// In statics: factor of x in the rates on which velocity-level constraints act; everything else is at rest.
  double constraint_velocity = 0;
  /// In statics: factor of M in the tangent, without a counterpart in the equations [1/s^2].
  double inertia = 0;

  friend bool operator==(const StepCoefficients&, const StepCoefficients&) = default;
};

}  // namespace trammel
