#pragma once

namespace trammel {

/// Coefficients of the generalized-alpha method for second-order equations (Chung and Hulbert 1993, in the
/// notation of Arnold and Bruls 2007) and for first-order ones (Jansen, Whiting and Hulbert 2000, same
/// notation, same alpha_f).
struct AlphaCoefficients {
  double alpha_m, alpha_f, beta, gamma;
  double alpha_m1, gamma1;

  /// `radius`: spectral radius at infinite frequency, 0 to 1.
  static AlphaCoefficients from_radius(double radius);

  /// Part of B v'' in B v + C_t of index-3 steps, over h^2.
  double kappa() const { return 1.0 / 6 - beta - (alpha_m - alpha_f) / 2; }
  /// How much later than a state its algorithmic accelerations are those of the motion, in steps; of second order and
  /// of first order.
  double time_shift() const { return alpha_m - alpha_f; }
  double time_shift1() const { return alpha_m1 - alpha_f; }

  /// dv'/dx h^2: what a unit in the position at the end of a step changes its acceleration by, times h^2.
  double acceleration() const { return (1 - alpha_m) / ((1 - alpha_f) * beta); }
  /// Where positions are given, as along a constraint of index 3: the root mean square of h^2 v' that independent errors of a unit
  /// in the positions of all steps make; at radius 1, where it grows on and on, that of 1,000 steps.
  double noise() const;
};

}  // namespace trammel
