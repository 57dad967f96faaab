#pragma once

#include "helicoid_coefficients.hpp"
#include "trammel/lanes.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel::beam {

/// The quaternion (w, v), of which w > 0, whose rotation matrix is R, if the trace of R is positive.
struct TurnOfLanes {
  Lanes w, square;
  Vec3T<Lanes> v;

  explicit TurnOfLanes(const Mat3T<Lanes>& R) {
    const Lanes root = sqrt(Lanes(1.0) + R(0, 0) + R(1, 1) + R(2, 2)), f = Lanes(0.5) / root;
    w = Lanes(0.5) * root;
    v << f * (R(2, 1) - R(1, 2)), f * (R(0, 2) - R(2, 0)), f * (R(1, 0) - R(0, 1));
    square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  }
  /// Whether the series of so3::log serves: by less than 0.2 rad in all lanes. False for numbers that are none.
  bool small() const { return all_less(square, Lanes(0.01) * w * w); }
};

/// so3::log of rotations that are `small`.
inline Vec3T<Lanes> rotation_vector(const Mat3T<Lanes>& R) {
  const TurnOfLanes turn(R);
  const Lanes t = turn.square / (turn.w * turn.w);
  constexpr int last = 10;
  Lanes sum(1.0 / (2 * last + 1));
  for (int n = last - 1; n >= 0; --n) sum = Lanes(1.0 / (2 * n + 1)) - t * sum;
  return Lanes(Lanes(2.0) / turn.w * sum) * turn.v;
}

/// Of `small` turns, so that the series serves.
inline HelicoidCoefficientsOf<Lanes> helicoid_coefficients(const Lanes& x) {
  return helicoid_coefficients_by_series(x);
}

}  // namespace trammel::beam
