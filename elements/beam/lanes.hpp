#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "helicoid_coefficients.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel::beam {

/// A number of each of several elements: one operation works on all of them, in one instruction where the processor has registers of that
/// width. A scalar for Eigen's matrices of fixed size.
class Lanes {
 public:
  static constexpr int count = 4;
  /// Aligned as Eigen's storage is (EIGEN_MAX_ALIGN_BYTES). A typedef: clang ignores `aligned` after `using`.
  // NOLINTNEXTLINE(modernize-use-using)
  typedef double Vector __attribute__((vector_size(count * sizeof(double)), aligned(16)));

  Lanes() = default;
  Lanes(double all) : v_(Vector{} + all) {}
  explicit Lanes(const Vector& v) : v_(v) {}

  double operator[](int lane) const { return v_[lane]; }
  void set(int lane, double x) { v_[lane] = x; }

  Lanes& operator+=(const Lanes& b) { return v_ += b.v_, *this; }
  Lanes& operator-=(const Lanes& b) { return v_ -= b.v_, *this; }
  Lanes& operator*=(const Lanes& b) { return v_ *= b.v_, *this; }
  friend Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.v_ + b.v_); }
  friend Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.v_ - b.v_); }
  friend Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(a.v_ * b.v_); }
  friend Lanes operator/(const Lanes& a, const Lanes& b) { return Lanes(a.v_ / b.v_); }
  friend Lanes operator-(const Lanes& a) { return Lanes(-a.v_); }
  /// Whether it holds in all lanes.
  friend bool all_less(const Lanes& a, const Lanes& b) {
    const auto less = a.v_ < b.v_;
    bool all = true;
    for (int lane = 0; lane < count; ++lane) all &= less[lane] != 0;
    return all;
  }
  friend Lanes sqrt(Lanes a) {
    for (int lane = 0; lane < count; ++lane) a.v_[lane] = std::sqrt(a.v_[lane]);
    return a;
  }

 private:
  Vector v_;
};

}  // namespace trammel::beam

namespace Eigen {

template <>
struct NumTraits<trammel::beam::Lanes> : GenericNumTraits<double> {
  using Real = trammel::beam::Lanes;
  using NonInteger = trammel::beam::Lanes;
  using Nested = trammel::beam::Lanes;
  using Literal = trammel::beam::Lanes;
  enum { RequireInitialization = 0, ReadCost = 1, AddCost = 1, MulCost = 1 };
};

}  // namespace Eigen

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
