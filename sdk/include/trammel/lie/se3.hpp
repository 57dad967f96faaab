#pragma once

#include "trammel/lie/so3.hpp"

namespace trammel {

/// A pose X_AB: the rotation R_AB and the position p_AB_A. Products compose: X_AC = X_AB X_BC.
template <class S>
struct PoseT {
  Mat3T<S> R = Mat3T<S>::Identity();
  Vec3T<S> p = Vec3T<S>::Zero();

  PoseT operator*(const PoseT& other) const { return {R * other.R, p + R * other.p}; }
  /// The point q_B in components and from the origin of A.
  Vec3T<S> operator*(const Vec3T<S>& q) const { return p + R * q; }
  PoseT inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

using Pose = PoseT<double>;

}  // namespace trammel

/// Poses in SE(3) and their twist coordinates h = (u, theta), translation first, increments on the right:
/// X <- X exp(dh). hat(h) = [[theta~, u], [0, 0]]. Every function takes any scalar and is smooth at zero.
/// With the right tangent operator T of so3 the closed forms are blocks: an analytic function f of
/// ad(h) = [[theta~, u~], [0, theta~]] is [[f(theta~), Df(theta~)[u~]], [0, f(theta~)]]
/// (the operators of Sonneville, Cardona and Bruls, CMAME 268, 2014).
namespace trammel::se3 {

using trammel::Pose;
using trammel::PoseT;

namespace detail {

/// [[F, F'[u]], [0, F]]
template <class S>
Mat6T<S> value(const lie::Isotropic<S>& F, const Vec6T<S>& h) {
  const Vec3T<S> u = h.template head<3>();
  const Vec3T<S> theta = h.template tail<3>();
  const Mat3T<S> diagonal = F.value(theta);
  Mat6T<S> result;
  result.template topLeftCorner<3, 3>() = diagonal;
  result.template topRightCorner<3, 3>() = F.along(theta, u);
  result.template bottomLeftCorner<3, 3>().setZero();
  result.template bottomRightCorner<3, 3>() = diagonal;
  return result;
}

/// d([[F, F'[u]], [0, F]] b)/dh. The columns for u and the coupling share d(F b_theta)/dtheta.
template <class S>
Mat6T<S> derivative(const lie::Isotropic<S>& F, const Vec6T<S>& h, const Vec6T<S>& b) {
  const Vec3T<S> u = h.template head<3>();
  const Vec3T<S> theta = h.template tail<3>();
  const Vec3T<S> b_u = b.template head<3>();
  const Vec3T<S> b_theta = b.template tail<3>();
  const Mat3T<S> shared = F.derivative(theta, b_theta);
  Mat6T<S> result;
  result.template topLeftCorner<3, 3>() = shared;
  result.template topRightCorner<3, 3>() = F.derivative(theta, b_u) + F.second_derivative(theta, b_theta, u);
  result.template bottomLeftCorner<3, 3>().setZero();
  result.template bottomRightCorner<3, 3>() = shared;
  return result;
}

/// d([[F, 0], [F'[u], F]] b)/dh, for F already transposed.
template <class S>
Mat6T<S> derivative_transpose(const lie::Isotropic<S>& F, const Vec6T<S>& h, const Vec6T<S>& b) {
  const Vec3T<S> u = h.template head<3>();
  const Vec3T<S> theta = h.template tail<3>();
  const Vec3T<S> b_u = b.template head<3>();
  const Vec3T<S> b_theta = b.template tail<3>();
  const Mat3T<S> shared = F.derivative(theta, b_u);
  Mat6T<S> result;
  result.template topLeftCorner<3, 3>().setZero();
  result.template topRightCorner<3, 3>() = shared;
  result.template bottomLeftCorner<3, 3>() = shared;
  result.template bottomRightCorner<3, 3>() =
      F.derivative(theta, b_theta) + F.second_derivative(theta, b_u, u);
  return result;
}

}  // namespace detail

/// exp(hat(h)): R = exp(theta~), p = T(theta)^T u.
template <class D>
PoseT<typename D::Scalar> exp(const Eigen::MatrixBase<D>& h) {
  using S = typename D::Scalar;
  EIGEN_STATIC_ASSERT_VECTOR_SPECIFIC_SIZE(D, 6)
  const Vec6T<S> twist = h;
  const Vec3T<S> u = twist.template head<3>();
  const Vec3T<S> theta = twist.template tail<3>();
  const auto C = lie::stumpff<3>(S(dot(theta, theta)));
  lie::Isotropic<S> R;
  R.A = C[0];
  R.B = C[2];
  R.G = C[1];
  PoseT<S> X;
  X.R = R.value(theta);
  X.p = C[1] * u + S(C[3] * dot(theta, u)) * theta + C[2] * cross(theta, u);
  return X;
}

/// The twist coordinates of a pose, |theta| <= pi.
template <class S>
Vec6T<S> log(const PoseT<S>& X) {
  const Vec3T<S> theta = so3::log(X.R);
  Vec6T<S> h;
  h.template head<3>() = so3::T_inverse(theta).transpose() * X.p;
  h.template tail<3>() = theta;
  return h;
}

/// The adjoint of a pose: twists in B to twists in A, [[R, p~ R], [0, R]].
template <class S>
Mat6T<S> Ad(const PoseT<S>& X) {
  Mat6T<S> result;
  result.template topLeftCorner<3, 3>() = X.R;
  result.template topRightCorner<3, 3>() = skew(X.p) * X.R;
  result.template bottomLeftCorner<3, 3>().setZero();
  result.template bottomRightCorner<3, 3>() = X.R;
  return result;
}

/// Ad(X)^-1 = Ad(X^-1) = [[R^T, -R^T p~], [0, R^T]].
template <class S>
Mat6T<S> Ad_inverse(const PoseT<S>& X) {
  Mat6T<S> result;
  result.template topLeftCorner<3, 3>() = X.R.transpose();
  result.template topRightCorner<3, 3>() = -(X.R.transpose() * skew(X.p));
  result.template bottomLeftCorner<3, 3>().setZero();
  result.template bottomRightCorner<3, 3>() = X.R.transpose();
  return result;
}

/// The Lie bracket as a matrix, ad(h) g = [h, g]: [[theta~, u~], [0, theta~]].
template <class D>
Mat6T<typename D::Scalar> ad(const Eigen::MatrixBase<D>& h) {
  using S = typename D::Scalar;
  EIGEN_STATIC_ASSERT_VECTOR_SPECIFIC_SIZE(D, 6)
  const Vec6T<S> twist = h;
  const Mat3T<S> turn = skew(twist.template tail<3>());
  Mat6T<S> result;
  result.template topLeftCorner<3, 3>() = turn;
  result.template topRightCorner<3, 3>() = skew(twist.template head<3>());
  result.template bottomLeftCorner<3, 3>().setZero();
  result.template bottomRightCorner<3, 3>() = turn;
  return result;
}

/// The right tangent operator: X^-1 dX = hat(T(h) dh) for X = exp(h).
template <class D>
Mat6T<typename D::Scalar> T(const Eigen::MatrixBase<D>& h) {
  const Vec6T<typename D::Scalar> twist = h;
  return detail::value(lie::tangent_operator<1>(twist.template tail<3>().eval()), twist);
}

/// T(h)^-1; singular at |theta| = 2 pi.
template <class D>
Mat6T<typename D::Scalar> T_inverse(const Eigen::MatrixBase<D>& h) {
  const Vec6T<typename D::Scalar> twist = h;
  return detail::value(lie::inverse_tangent_operator<1>(twist.template tail<3>().eval()), twist);
}

/// d(T(h) b)/dh.
template <class D, class B>
Mat6T<typename D::Scalar> dT(const Eigen::MatrixBase<D>& h, const Eigen::MatrixBase<B>& b) {
  using S = typename D::Scalar;
  const Vec6T<S> twist = h;
  return detail::derivative<S>(lie::tangent_operator<2>(twist.template tail<3>().eval()), twist, b);
}

/// d(T(h)^-1 b)/dh.
template <class D, class B>
Mat6T<typename D::Scalar> dT_inverse(const Eigen::MatrixBase<D>& h, const Eigen::MatrixBase<B>& b) {
  using S = typename D::Scalar;
  const Vec6T<S> twist = h;
  return detail::derivative<S>(lie::inverse_tangent_operator<2>(twist.template tail<3>().eval()), twist, b);
}

/// d(T(h)^T b)/dh.
template <class D, class B>
Mat6T<typename D::Scalar> dT_transpose(const Eigen::MatrixBase<D>& h, const Eigen::MatrixBase<B>& b) {
  using S = typename D::Scalar;
  const Vec6T<S> twist = h;
  return detail::derivative_transpose<S>(
      lie::tangent_operator<2>(twist.template tail<3>().eval()).transposed(), twist, b);
}

/// d(T(h)^-T b)/dh.
template <class D, class B>
Mat6T<typename D::Scalar> dT_inverse_transpose(const Eigen::MatrixBase<D>& h, const Eigen::MatrixBase<B>& b) {
  using S = typename D::Scalar;
  const Vec6T<S> twist = h;
  return detail::derivative_transpose<S>(
      lie::inverse_tangent_operator<2>(twist.template tail<3>().eval()).transposed(), twist, b);
}

}  // namespace trammel::se3
