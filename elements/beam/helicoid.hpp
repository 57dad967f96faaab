#pragma once

#include "helicoid_coefficients.hpp"
#include "trammel/lie.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel::beam {

using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;
using Vec12Map = Eigen::Map<Vec12>;
using Mat12Map = Eigen::Map<Mat12>;

/// Motion of the section triad at one node: position, velocity and acceleration in world components, angular
/// velocity and acceleration in section components.
struct NodeMotion {
  Mat3 R_WS;
  Vec3 p_WS;
  Vec3 v_WS = Vec3::Zero();
  Vec3 w_WS_S = Vec3::Zero();
  Vec3 a_WS = Vec3::Zero();
  Vec3 wdot_WS_S = Vec3::Zero();
  Vec3 compensation_W = Vec3::Zero();  ///< what rounding took from p_WS
};

/// From node 1 to node 2, without the rounding of places far from the origin.
inline Vec3 p_12_W(const NodeMotion& n1, const NodeMotion& n2) {
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
class Helicoid {
 public:
  Vec3 u, theta;
  Mat3 A2, A1;  ///< T^-1(theta) and T^-1(-theta) of SO(3)
  Mat3 B2, B1;  ///< their derivatives along u: the upper right blocks of T^-1(+-h) of SE(3)

  Helicoid(const NodeMotion& n1, const NodeMotion& n2) : Helicoid(n1.R_WS, n2.R_WS, p_12_W(n1, n2)) {}

  Helicoid(const Mat3& R_1, const Mat3& R_2, const Vec3& p_12_W) {
    theta = so3::log(Mat3(R_1.transpose() * R_2));
    x_ = theta.squaredNorm();
    k_ = helicoid_coefficients(x_);
    const Vec3 p = R_1.transpose() * p_12_W;
    const Vec3 half = 0.5 * theta.cross(p);
    u = p - half + 2 * k_.c * theta.cross(half);
    tu_ = theta.dot(u);

    const Mat3 tt = theta * theta.transpose();
    const Mat3 ut = u * theta.transpose();
    const double c = k_.c;
    const double c1 = k_.c1;
    const Mat3 half_theta = 0.5 * skew(theta);
    const Mat3 half_u = 0.5 * skew(u);
    Mat3 A = c * tt;
    A.diagonal().array() += 1 - c * x_;
    Mat3 B = c * (ut + ut.transpose()) + (2 * c1 * tu_) * tt;
    B.diagonal().array() -= 2 * tu_ * (c + c1 * x_);
    A2 = A + half_theta;
    A1 = A - half_theta;
    B2 = B + half_u;
    B1 = B - half_u;
  }

  Vec6 h() const {
    Vec6 h;
    h << u, theta;
    return h;
  }

  /// d(A n)/dtheta for the even part A of T^-1 of SO(3).
  Mat3 dA(const Vec3& n) const {
    const double tn = theta.dot(n);
    const Vec3 w = theta * tn - n * x_;
    Mat3 E = (k_.c * theta) * n.transpose() + (2 * k_.c1 * w - 2 * k_.c * n) * theta.transpose();
    E.diagonal().array() += k_.c * tn;
    return E;
  }

  /// d(B n)/dtheta for the even part B = dA(.) u; d(B n)/du is dA(n).
  Mat3 dB(const Vec3& n) const {
    const double tn = theta.dot(n);
    const double un = u.dot(n);
    const double c1 = 2 * k_.c1;
    const Vec3 w = theta * tn - n * x_;
    const Vec3 v = u * tn + theta * un - 2 * tu_ * n;
    Mat3 F = (k_.c * u + (c1 * tu_) * theta) * n.transpose();
    F += (c1 * w - 2 * k_.c * n) * u.transpose();
    F += (c1 * v + (4 * k_.c2 * tu_) * w - (2 * c1 * tu_) * n) * theta.transpose();
    F.diagonal().array() += k_.c * un + c1 * tu_ * tn;
    return F;
  }

  /// T^-1(h) of SE(3): dh/d(eta_2).
  Mat6 T2() const { return upper(A2, B2); }
  /// T^-1(-h) of SE(3): -dh/d(eta_1).
  Mat6 T1() const { return upper(A1, B1); }

  /// dh/dt of the twists (R^T v, w) at both nodes.
  Vec6 rate(const Vec3& v1, const Vec3& w1, const Vec3& v2, const Vec3& w2) const {
    Vec6 r;
    r << A2 * v2 + B2 * w2 - A1 * v1 - B1 * w1, A2 * w2 - A1 * w1;
    return r;
  }

  /// d(rate)/dh with the twists fixed.
  Mat6 rate_gradient(const Vec3& v1, const Vec3& w1, const Vec3& v2, const Vec3& w2) const {
    const Vec3 dv = v2 - v1;
    const Vec3 dw = w2 - w1;
    const Mat3 diagonal = dA(dw) - 0.5 * skew(Vec3(w1 + w2));
    Mat6 H;
    H.topLeftCorner<3, 3>() = diagonal;
    H.topRightCorner<3, 3>() = dA(dv) + dB(dw) - 0.5 * skew(Vec3(v1 + v2));
    H.bottomLeftCorner<3, 3>().setZero();
    H.bottomRightCorner<3, 3>() = diagonal;
    return H;
  }

 private:
  static Mat6 upper(const Mat3& A, const Mat3& B) {
    Mat6 T;
    T << A, B, Mat3::Zero(), A;
    return T;
  }

  HelicoidCoefficients k_{};
  double x_ = 0;   // |theta|^2
  double tu_ = 0;  // theta . u
};

}  // namespace trammel::beam
