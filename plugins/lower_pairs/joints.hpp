#pragma once

#include <cmath>

#include "meeting_joint.hpp"
#include "trammel/lie.hpp"
#include "trammel/review.hpp"

namespace trammel::lower_pairs {

/// p_WB = p_WA; all rotations are free.
class Spherical : public MeetingJoint<Spherical, 0, 0> {
 public:
  using MeetingJoint::MeetingJoint;
};

/// p_WB = p_WA and R_AB = 1, the latter as 2 q_v = 0 with q = (q_0, q_v) the unit quaternion of R_AB, q_0 >= 0:
/// regular below half a turn, and equal to the rotation vector to third order.
class Fixed : public MeetingJoint<Fixed, 3, 0> {
 public:
  using MeetingJoint::MeetingJoint;

  static void rotation(const Mat3& R_AB, const double*, bool second, Terms& out) {
    const Quaternion q = so3::quaternion(R_AB);
    const double sign = q.w() < 0 ? -1 : 1;
    out.C = 2 * sign * q.vec();
    out.G = sign * q.w() * Mat3::Identity() + skew(sign * q.vec());
    if (!second) return;
    for (int i = 0; i < 3; ++i) out.H[static_cast<std::size_t>(i)] = -0.25 * out.C[i] * Mat3::Identity();
  }
};

/// e_a^k . e_b^l = R_AB(a, b) and its derivatives (type I of the Dymore text, eqs. 8 to 13).
struct CosineTerm {
  double g;
  Vec3 gradient;  ///< by dtheta: e_b x (R_AB^T e_a)

  CosineTerm(const Mat3& R_AB, int a, int b)
      : g(R_AB(a, b)), gradient(Vec3::Unit(b).cross(R_AB.row(a).transpose())) {}
};

/// Adds factor times the Hessian of R_AB(a, b) in the exponential chart.
template <class Target>
void add_cosine_hessian(const Mat3& R_AB, int a, int b, double factor, Target&& H) {
  const Vec3 half = 0.5 * factor * R_AB.row(a).transpose();
  H.col(b) += half;
  H.row(b) += half.transpose();
  H.diagonal().array() -= factor * R_AB(a, b);
}

/// p_WB = p_WA, g_31 = g_32 = 0 (eqs. 26a to 26c), and with the angle as a coordinate
/// g_11 sin(angle) + g_12 cos(angle) = 0 (eq. 26d).
template <bool with_angle>
class Revolute : public MeetingJoint<Revolute<with_angle>, with_angle ? 3 : 2, with_angle ? 1 : 0> {
  using Base = MeetingJoint<Revolute<with_angle>, with_angle ? 3 : 2, with_angle ? 1 : 0>;

 public:
  using Base::Base;
  using typename Base::Terms;

  static void rotation(const Mat3& R_AB, const double* c, bool second, Terms& out) {
    for (int i = 0; i < 2; ++i) {
      const CosineTerm term(R_AB, 2, i);
      out.C[i] = term.g;
      out.G.row(i).template head<3>() = term.gradient.transpose();
      if constexpr (with_angle) out.G(i, 3) = 0;
      if (!second) continue;
      auto& H = out.H[static_cast<std::size_t>(i)];
      H.setZero();
      add_cosine_hessian(R_AB, 2, i, 1, H.template topLeftCorner<3, 3>());
    }
    if constexpr (with_angle) {
      const double s = std::sin(*c), co = std::cos(*c);
      const CosineTerm g11(R_AB, 0, 0), g12(R_AB, 0, 1);
      out.C[2] = g11.g * s + g12.g * co;
      out.G.row(2).template head<3>() = (s * g11.gradient + co * g12.gradient).transpose();
      out.G(2, 3) = g11.g * co - g12.g * s;
      if (!second) return;
      auto& H = out.H[2];
      H.setZero();
      add_cosine_hessian(R_AB, 0, 0, s, H.template topLeftCorner<3, 3>());
      add_cosine_hessian(R_AB, 0, 1, co, H.template topLeftCorner<3, 3>());
      const Vec3 mixed = co * g11.gradient - s * g12.gradient;
      H.template topRightCorner<3, 1>() = mixed;
      H.template bottomLeftCorner<1, 3>() = mixed.transpose();
      H(3, 3) = -out.C[2];
    }
  }

  /// The equations also hold half a turn away (tau < 0) and with the axes opposed (g_33 < 0). A step that ends there
  /// has gone too far and is cut.
  Review review(const LocalState& x, const StepInfo& step) const {
    MarkerMotion A, B;
    this->site().A.evaluate(x, 0, MotionLevel::pose, A);
    this->site().B.evaluate(x, this->site().A.block_count(), MotionLevel::pose, B);
    const Mat3 R_AB = A.R_WM.transpose() * B.R_WM;
    bool right = R_AB(2, 2) > 0;
    if constexpr (with_angle) {
      const double angle = *x.value(this->coordinate_block());
      right = right && R_AB(0, 0) * std::cos(angle) - R_AB(0, 1) * std::sin(angle) > 0;
    }
    return right ? Review::keep() : Review::cut(0.5 * (step.start + step.end));
  }

  static void draw_body(Canvas& canvas, const MarkerMotion& A, const MarkerMotion& B, double size) {
    const Vec3 half = 0.5 * size * A.R_WM.col(2);
    canvas.cylinder(Canvas::Layer::joints, B.p_WM - half, B.p_WM + half, 0.2 * size);
  }
};

}  // namespace trammel::lower_pairs
