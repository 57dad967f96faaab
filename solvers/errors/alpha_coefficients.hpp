#pragma once

#include "solvers/newton/step_coefficients.hpp"

namespace trammel {

/// Coefficients of the generalized-alpha method for second-order equations (Chung and Hulbert 1993, in the
/// notation of Arnold and Bruls 2007) and for first-order ones (Jansen, Whiting and Hulbert 2000, same
/// notation, same alpha_f).
struct AlphaCoefficients {
  double alpha_m, alpha_f, beta, gamma;
  double alpha_m1, gamma1;

  /// `radius`: spectral radius at infinite frequency, 0 to 1.
  static AlphaCoefficients from_radius(double radius);

  /// kappa in B v + C_t = h^2 (kappa B v'' + ...), the violation that index-3 steps leave
  /// (docs/time_integration.md, section 4).
  double kappa() const { return 1.0 / 6 - beta - (alpha_m - alpha_f) / 2; }
  /// The algorithmic acceleration of a state approximates the acceleration at a later time. The difference, in
  /// steps: for second-order and for first-order equations.
  double time_shift() const { return alpha_m - alpha_f; }
  double time_shift1() const { return alpha_m1 - alpha_f; }

  /// Along constraints that a smooth motion satisfies, a step leaves multipliers with the error h^2 lambda'' times this number: where
  /// it imposes their velocities, or (index 3) their positions alone (docs/steps_by_accuracy.md).
  double reaction_error_by_velocities() const;
  double reaction_error_by_positions() const { return kappa() + reaction_error_by_velocities(); }

  /// Of a step of size h [s].
  StepCoefficients of_step(double h) const;
  /// dv'/dx times h^2: derivative of the acceleration at the end of a step by the position there, times h^2.
  double acceleration() const { return (1 - alpha_m) / ((1 - alpha_f) * beta); }
  /// Suppose that the positions of all steps are given (as along a constraint in index 3) and have independent
  /// errors of size 1. Then h^2 v' has errors with this root mean square. At radius 1 they grow without bound;
  /// there this is the value after 1,000 steps.
  double noise() const;
};

}  // namespace trammel
