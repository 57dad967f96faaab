#pragma once

#include <cmath>

namespace trammel::beam {

/// c(x) = (1 - (a/2) cot(a/2)) / a^2 of x = a^2, with its first and second derivative in x.
///
/// The even part of the inverse tangent operator of SO(3) is I + c(a^2) theta~^2, and the derivatives of the
/// one of SE(3) need c' and c''. Accurate to rounding for 0 <= a <= pi.
template <class S>
struct HelicoidCoefficientsOf {
  S c, c1, c2;
};
using HelicoidCoefficients = HelicoidCoefficientsOf<double>;

/// By the series c = sum |B_2k| / (2k)! x^(k-1) with its radius of convergence (2 pi)^2, for 0 <= x < 1.
template <class S>
HelicoidCoefficientsOf<S> helicoid_coefficients_by_series(const S& x) {
  constexpr double b1 = 1.0 / 12.0;
  constexpr double b2 = 1.0 / 720.0;
  constexpr double b3 = 1.0 / 30240.0;
  constexpr double b4 = 1.0 / 1209600.0;
  constexpr double b5 = 1.0 / 47900160.0;
  constexpr double b6 = 691.0 / 1307674368000.0;
  constexpr double b7 = 1.0 / 74724249600.0;
  constexpr double b8 = 3617.0 / 10670622842880000.0;
  constexpr double b9 = 43867.0 / 5109094217170944000.0;
  constexpr double b10 = 174611.0 / 802857662698291200000.0;
  constexpr double b11 = 77683.0 / 14101100039391805440000.0;
  constexpr double b12 = 236364091.0 / 1693824136731743669452800000.0;
  const S c =
      b1 + x * (b2 + x * (b3 + x * (b4 + x * (b5 + x * (b6 + x * (b7 + x * (b8 + x * (b9 + x * b10))))))));
  const S c1 =
      b2 + x * (2 * b3 +
                x * (3 * b4 +
                     x * (4 * b5 +
                          x * (5 * b6 +
                               x * (6 * b7 + x * (7 * b8 + x * (8 * b9 + x * (9 * b10 + x * 10 * b11))))))));
  const S c2 =
      2 * b3 +
      x * (6 * b4 +
           x * (12 * b5 +
                x * (20 * b6 +
                     x * (30 * b7 +
                          x * (42 * b8 + x * (56 * b9 + x * (72 * b10 + x * (90 * b11 + x * 110 * b12))))))));
  return {c, c1, c2};
}

inline HelicoidCoefficients helicoid_coefficients(double x) {
  if (x < 1.0) return helicoid_coefficients_by_series(x);
  // With g = (a/2) cot(a/2): x g' = (g - g^2 - x/4)/2, and c = (1 - g)/x.
  const double half = 0.5 * std::sqrt(x);
  const double g = half / std::tan(half);
  const double g1 = 0.5 * (g - g * g - 0.25 * x) / x;
  const double g2 = (0.5 * (g1 - 2 * g * g1 - 0.25) - g1) / x;
  const double c = (1 - g) / x;
  const double c1 = -(g1 + c) / x;
  const double c2 = -(g2 + 2 * c1) / x;
  return {c, c1, c2};
}

}  // namespace trammel::beam
