#pragma once

#include <cmath>
#include <numbers>
#include <type_traits>

#include "trammel/lie/isotropic.hpp"
#include "trammel/lie/stumpff.hpp"
#include "trammel/linear_algebra.hpp"

/// Rotations R in SO(3) and rotation vectors theta [rad], increments on the right: R <- R exp(dtheta~).
/// Every function takes any scalar (see linear_algebra.hpp) and is smooth at zero.
namespace trammel::so3 {

/// exp(theta~), the rotation matrix of the rotation vector theta.
template <class D>
Mat3T<typename D::Scalar> exp(const Eigen::MatrixBase<D>& theta) {
  using S = typename D::Scalar;
  const Vec3T<S> t = theta;
  return lie::exp_operator(t).value(t);
}

/// The unit quaternion of the rotation vector theta.
template <class D>
QuaternionT<typename D::Scalar> exp_quaternion(const Eigen::MatrixBase<D>& theta) {
  using S = typename D::Scalar;
  const Vec3T<S> t = theta;
  const auto C = lie::stumpff<2>(S(S(0.25) * dot(t, t)));
  const S half = S(S(0.5) * C[1]);
  return QuaternionT<S>(C[0], S(half * t[0]), S(half * t[1]), S(half * t[2]));
}

/// The unit quaternion of a rotation matrix (sign: its largest component is positive), by the branch that
/// divides by the largest component (Shepperd 1978).
template <class D>
QuaternionT<typename D::Scalar> quaternion(const Eigen::MatrixBase<D>& R_AB) {
  using S = typename D::Scalar;
  using std::sqrt;
  const Mat3T<S> R = R_AB;
  const S half(0.5);
  const S trace = S(S(R(0, 0) + R(1, 1)) + R(2, 2));
  int i = 0;
  if (value_of(R(1, 1)) > value_of(R(0, 0))) i = 1;
  if (value_of(R(2, 2)) > value_of(R(i, i))) i = 2;
  if (value_of(trace) >= value_of(R(i, i))) {
    const S root = sqrt(S(S(1.0) + trace));
    const S f = S(half / root);
    return QuaternionT<S>(S(half * root), S(f * S(R(2, 1) - R(1, 2))), S(f * S(R(0, 2) - R(2, 0))),
                          S(f * S(R(1, 0) - R(0, 1))));
  }
  const int j = (i + 1) % 3;
  const int k = (i + 2) % 3;
  const S root = sqrt(S(S(S(1.0) + R(i, i)) - S(R(j, j) + R(k, k))));
  const S f = S(half / root);
  QuaternionT<S> q;
  q.w() = S(f * S(R(k, j) - R(j, k)));
  q.vec()[i] = S(half * root);
  q.vec()[j] = S(f * S(R(j, i) + R(i, j)));
  q.vec()[k] = S(f * S(R(k, i) + R(i, k)));
  return q;
}

/// The rotation vector of a unit quaternion, |theta| <= pi [rad]; q and -q give the same. Accurate to
/// rounding for every angle, zero and pi included (at pi the sign of the axis is that of the quaternion's
/// vector part).
template <class D>
Vec3T<typename D::Scalar> log(const Eigen::QuaternionBase<D>& q) {
  using S = typename D::Scalar;
  S w = q.w();
  Vec3T<S> v = q.vec();
  if (value_of(w) < 0.0) {
    w = S(-w);
    v = (-v).eval();
  }
  const S square = dot(v, v);
  if (value_of(square) < 0.01 * value_of(w) * value_of(w)) {
    // 2 atan(y)/y / w with y = |v|/w, as a series in y^2: smooth at zero.
    const S t = S(square / S(w * w));
    constexpr int last = 10;
    S sum(1.0 / (2 * last + 1));
    for (int n = last - 1; n >= 0; --n) sum = S(S(1.0 / (2 * n + 1)) - S(t * sum));
    return S(S(S(2.0) / w) * sum) * v;
  }
  using std::sqrt;
  const S n = sqrt(square);
  S angle;
  if constexpr (requires { S(atan2(n, w)); } || std::is_floating_point_v<S>) {
    using std::atan2;
    angle = S(S(2.0) * S(atan2(n, w)));
  } else {
    // Complex numbers have no atan2.
    using std::atan;
    angle = value_of(w) > value_of(n) ? S(S(2.0) * S(atan(S(n / w))))
                                      : S(S(std::numbers::pi) - S(S(2.0) * S(atan(S(w / n)))));
  }
  return S(angle / n) * v;
}

/// The rotation vector of a rotation matrix, |theta| <= pi [rad], accurate to rounding for every angle.
template <class D>
Vec3T<typename D::Scalar> log(const Eigen::MatrixBase<D>& R) {
  return log(quaternion(R));
}

/// The right (body-frame) tangent operator: axial(R^T dR) = T(theta) dtheta for R = exp(theta~);
/// T = 1 - (1 - cos a)/a^2 theta~ + (a - sin a)/a^3 theta~^2, a = |theta|. T(theta)^T = T(-theta).
template <class D>
Mat3T<typename D::Scalar> T(const Eigen::MatrixBase<D>& theta) {
  const Vec3T<typename D::Scalar> t = theta;
  return lie::tangent_operator<0>(t).value(t);
}

/// T(theta)^-1; singular at |theta| = 2 pi.
template <class D>
Mat3T<typename D::Scalar> T_inverse(const Eigen::MatrixBase<D>& theta) {
  const Vec3T<typename D::Scalar> t = theta;
  return lie::inverse_tangent_operator<0>(t).value(t);
}

/// d(T(theta) b)/dtheta.
template <class D, class B>
Mat3T<typename D::Scalar> dT(const Eigen::MatrixBase<D>& theta, const Eigen::MatrixBase<B>& b) {
  const Vec3T<typename D::Scalar> t = theta;
  return lie::tangent_operator<1>(t).derivative(t, b);
}

/// d(T(theta)^T b)/dtheta.
template <class D, class B>
Mat3T<typename D::Scalar> dT_transpose(const Eigen::MatrixBase<D>& theta, const Eigen::MatrixBase<B>& b) {
  const Vec3T<typename D::Scalar> t = theta;
  return lie::tangent_operator<1>(t).transposed().derivative(t, b);
}

/// d(T(theta)^-1 b)/dtheta.
template <class D, class B>
Mat3T<typename D::Scalar> dT_inverse(const Eigen::MatrixBase<D>& theta, const Eigen::MatrixBase<B>& b) {
  const Vec3T<typename D::Scalar> t = theta;
  return lie::inverse_tangent_operator<1>(t).derivative(t, b);
}

/// d(T(theta)^-T b)/dtheta.
template <class D, class B>
Mat3T<typename D::Scalar> dT_inverse_transpose(const Eigen::MatrixBase<D>& theta,
                                               const Eigen::MatrixBase<B>& b) {
  const Vec3T<typename D::Scalar> t = theta;
  return lie::inverse_tangent_operator<1>(t).transposed().derivative(t, b);
}

}  // namespace trammel::so3
