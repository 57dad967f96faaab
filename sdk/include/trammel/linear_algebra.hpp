#pragma once

#include <complex>
#include <type_traits>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace trammel {

/// Fixed-size vectors and matrices over a scalar S: double, std::complex, Jet, or
/// Eigen::AutoDiffScalar, nested or not.
template <class S>
using Vec3T = Eigen::Matrix<S, 3, 1>;
template <class S>
using Mat3T = Eigen::Matrix<S, 3, 3>;
/// A twist (translation first, rotation second), a wrench (force, moment), or a beam's strain (Gamma, kappa).
template <class S>
using Vec6T = Eigen::Matrix<S, 6, 1>;
template <class S>
using Mat6T = Eigen::Matrix<S, 6, 6>;
template <class S>
using QuaternionT = Eigen::Quaternion<S>;

using Vec3 = Vec3T<double>;
using Mat3 = Mat3T<double>;
using Vec6 = Vec6T<double>;
using Mat6 = Mat6T<double>;
using Quaternion = QuaternionT<double>;

/// The plain number inside a scalar, for comparisons: itself, the real part, or the value without
/// derivatives.
template <class S>
constexpr double value_of(const S& x) {
  if constexpr (std::is_arithmetic_v<S>) {
    return static_cast<double>(x);
  } else if constexpr (requires { x.derivatives(); }) {
    return value_of(x.value());
  } else if constexpr (requires { static_cast<double>(x.value); }) {
    return static_cast<double>(x.value);
  } else if constexpr (requires { x.real(); }) {
    return static_cast<double>(x.real());
  } else {
    return static_cast<double>(x);
  }
}

/// a . b without conjugation, so that complex steps pass through.
template <class A, class B>
typename A::Scalar dot(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return a.cwiseProduct(b).sum();
}

/// a x b without conjugation, so that complex steps pass through.
template <class A, class B>
Vec3T<typename A::Scalar> cross(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  using S = typename A::Scalar;
  EIGEN_STATIC_ASSERT_VECTOR_SPECIFIC_SIZE(A, 3)
  EIGEN_STATIC_ASSERT_VECTOR_SPECIFIC_SIZE(B, 3)
  const Vec3T<S> x = a;
  const Vec3T<S> y = b;
  return {S(x[1] * y[2] - x[2] * y[1]), S(x[2] * y[0] - x[0] * y[2]), S(x[0] * y[1] - x[1] * y[0])};
}

/// The matrix a~ with a~ b = a x b.
template <class A>
Mat3T<typename A::Scalar> skew(const Eigen::MatrixBase<A>& a) {
  using S = typename A::Scalar;
  EIGEN_STATIC_ASSERT_VECTOR_SPECIFIC_SIZE(A, 3)
  const Vec3T<S> x = a;
  Mat3T<S> result;
  result << S(0), -x[2], x[1],  //
      x[2], S(0), -x[0],        //
      -x[1], x[0], S(0);
  return result;
}

/// The vector a with a~ = (A - A^T)/2: axial(skew(a)) = a, and axial of a symmetric matrix is 0.
template <class A>
Vec3T<typename A::Scalar> axial(const Eigen::MatrixBase<A>& matrix) {
  using S = typename A::Scalar;
  EIGEN_STATIC_ASSERT_MATRIX_SPECIFIC_SIZE(A, 3, 3)
  const Mat3T<S> m = matrix;
  const S half(0.5);
  return {S(half * S(m(2, 1) - m(1, 2))), S(half * S(m(0, 2) - m(2, 0))), S(half * S(m(1, 0) - m(0, 1)))};
}

}  // namespace trammel
