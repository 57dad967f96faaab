#pragma once

#include "helicoid_coefficients.hpp"
#include "lanes.hpp"
#include "trammel/lie.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel::beam {

using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;
/// The rotation vector of R, as so3::log. For several elements at once see lanes.hpp.
inline Vec3 rotation_vector(const Mat3& R) { return so3::log(R); }

using Vec12Map = Eigen::Map<Vec12>;
using Mat12Map = Eigen::Map<Mat12>;

/// Motion of the section triad at one node: position, velocity and acceleration in world components, angular
/// velocity and acceleration in section components.
template <class S>
struct NodeMotionOf {
  Mat3T<S> R_WS;
  Vec3T<S> p_WS;
  Vec3T<S> v_WS = Vec3T<S>::Zero();
  Vec3T<S> w_WS_S = Vec3T<S>::Zero();
  Vec3T<S> a_WS = Vec3T<S>::Zero();
  Vec3T<S> wdot_WS_S = Vec3T<S>::Zero();
  Vec3T<S> compensation_W = Vec3T<S>::Zero();  ///< what rounding took from p_WS
};

using NodeMotion = NodeMotionOf<double>;

/// From node 1 to node 2, without the rounding of places far from the origin.
template <class S>
Vec3T<S> p_12_W(const NodeMotionOf<S>& n1, const NodeMotionOf<S>& n2) {
  return (n2.p_WS - n1.p_WS) + (n2.compensation_W - n1.compensation_W);
}

/// The helicoid between two section triads: X(xi) = X_1 exp(xi h), h = log(X_1^-1 X_2), and the derivatives
/// of h.
///
/// The two-node element on SE(3) of Sonneville, Cardona and Bruls, CMAME 268 (2014) 451-474: h / length is
/// the strain (r' = R Gamma, axial(R^T R') = kappa), constant along the element. h = (u, theta) has the
/// translation first.
///
/// Written with the even part S of the inverse tangent operator of SE(3), T^-1(+-h) = S +- ad(h)/2, which is
/// the same at both nodes: dh = (S + ad/2) eta_2 - (S - ad/2) eta_1 for body-frame twists eta = (R^T dp,
/// dtheta).
template <class S>
class HelicoidOf {
 public:
  Vec3T<S> u, theta;
  Mat3T<S> A2, A1;  ///< T^-1(theta) and T^-1(-theta) of SO(3)
  Mat3T<S> B2, B1;  ///< their derivatives along u: the upper right blocks of T^-1(+-h) of SE(3)

  HelicoidOf(const NodeMotionOf<S>& n1, const NodeMotionOf<S>& n2)
      : HelicoidOf(n1.R_WS, n2.R_WS, p_12_W(n1, n2)) {}

  HelicoidOf(const Mat3T<S>& R_1, const Mat3T<S>& R_2, const Vec3T<S>& p_12_W) {
    theta = rotation_vector(Mat3T<S>(R_1.transpose() * R_2));
    x_ = theta.squaredNorm();
    k_ = helicoid_coefficients(x_);
    const Vec3T<S> p = R_1.transpose() * p_12_W;
    const Vec3T<S> half = 0.5 * theta.cross(p);
    u = p - half + 2 * k_.c * theta.cross(half);
    tu_ = theta.dot(u);

    const Mat3T<S> tt = theta * theta.transpose();
    const Mat3T<S> ut = u * theta.transpose();
    const S c = k_.c;
    const S c1 = k_.c1;
    const Mat3T<S> half_theta = 0.5 * skew(theta);
    const Mat3T<S> half_u = 0.5 * skew(u);
    Mat3T<S> A = c * tt;
    A.diagonal().array() += 1 - c * x_;
    Mat3T<S> B = c * (ut + ut.transpose()) + (2 * c1 * tu_) * tt;
    B.diagonal().array() -= 2 * tu_ * (c + c1 * x_);
    A2 = A + half_theta;
    A1 = A - half_theta;
    B2 = B + half_u;
    B1 = B - half_u;
  }

  Vec6T<S> h() const {
    Vec6T<S> h;
    h << u, theta;
    return h;
  }

  /// d(A n)/dtheta for the even part A of T^-1 of SO(3).
  Mat3T<S> dA(const Vec3T<S>& n) const {
    const S tn = theta.dot(n);
    const Vec3T<S> w = theta * tn - n * x_;
    Mat3T<S> E = (k_.c * theta) * n.transpose() + (2 * k_.c1 * w - 2 * k_.c * n) * theta.transpose();
    E.diagonal().array() += k_.c * tn;
    return E;
  }

  /// d(B n)/dtheta for the even part B = dA(.) u; d(B n)/du is dA(n).
  Mat3T<S> dB(const Vec3T<S>& n) const {
    const S tn = theta.dot(n);
    const S un = u.dot(n);
    const S c1 = 2 * k_.c1;
    const Vec3T<S> w = theta * tn - n * x_;
    const Vec3T<S> v = u * tn + theta * un - 2 * tu_ * n;
    Mat3T<S> F = (k_.c * u + (c1 * tu_) * theta) * n.transpose();
    F += (c1 * w - 2 * k_.c * n) * u.transpose();
    F += (c1 * v + (4 * k_.c2 * tu_) * w - (2 * c1 * tu_) * n) * theta.transpose();
    F.diagonal().array() += k_.c * un + c1 * tu_ * tn;
    return F;
  }

  /// T^-1(h) of SE(3): dh/d(eta_2).
  Mat6T<S> T2() const { return upper(A2, B2); }
  /// T^-1(-h) of SE(3): -dh/d(eta_1).
  Mat6T<S> T1() const { return upper(A1, B1); }

  /// dh/dt of the twists (R^T v, w) at both nodes.
  Vec6T<S> rate(const Vec3T<S>& v1, const Vec3T<S>& w1, const Vec3T<S>& v2, const Vec3T<S>& w2) const {
    Vec6T<S> r;
    r << A2 * v2 + B2 * w2 - A1 * v1 - B1 * w1, A2 * w2 - A1 * w1;
    return r;
  }

  /// d(rate)/dh with the twists fixed.
  Mat6T<S> rate_gradient(const Vec3T<S>& v1, const Vec3T<S>& w1, const Vec3T<S>& v2,
                         const Vec3T<S>& w2) const {
    const Vec3T<S> dv = v2 - v1;
    const Vec3T<S> dw = w2 - w1;
    const Mat3T<S> diagonal = dA(dw) - 0.5 * skew(Vec3T<S>(w1 + w2));
    Mat6T<S> H;
    H.template topLeftCorner<3, 3>() = diagonal;
    H.template topRightCorner<3, 3>() = dA(dv) + dB(dw) - 0.5 * skew(Vec3T<S>(v1 + v2));
    H.template bottomLeftCorner<3, 3>().setZero();
    H.template bottomRightCorner<3, 3>() = diagonal;
    return H;
  }

 private:
  static Mat6T<S> upper(const Mat3T<S>& A, const Mat3T<S>& B) {
    Mat6T<S> T;
    T << A, B, Mat3T<S>::Zero(), A;
    return T;
  }

  HelicoidCoefficientsOf<S> k_{};
  S x_ = S(0);   // |theta|^2
  S tu_ = S(0);  // theta . u
};

using Helicoid = HelicoidOf<double>;

}  // namespace trammel::beam
