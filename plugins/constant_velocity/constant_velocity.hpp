#pragma once

#include <array>
#include <cmath>

#include "trammel/constraint.hpp"
#include "trammel/lie.hpp"

namespace trammel::constant_velocity {

/// tan(b/2) / b as a function of s = b^2: smooth for b below half a turn.
inline Derivatives half_tangent(double s) {
  if (s < 0.02) {
    const double u = s / 4;  // tan(x)/x in powers of x^2 = u
    return {
        0.5 * (1 + u * (1.0 / 3 + u * (2.0 / 15 + u * (17.0 / 315 + u * (62.0 / 2835 + u * 1382 / 155925))))),
        0.125 * (1.0 / 3 + u * (4.0 / 15 + u * (51.0 / 315 + u * (248.0 / 2835 + u * 6910 / 155925)))),
        (4.0 / 15 + u * (102.0 / 315 + u * (744.0 / 2835 + u * (27640.0 / 155925 + u * 655320 / 6081075)))) /
            32};
  }
  const double b = std::sqrt(s), tangent = std::tan(b / 2), f = tangent / b;
  const double square = 1 + tangent * tangent;
  const double d = (0.5 * square - f) / (2 * s);
  return {f, d, (square * tangent / (4 * b) - d) / (2 * s) - d / s};
}

/// A homokinetic joint: no relative spin about the bisector of the two shafts. With e3 along both shafts and equal
/// triads at the start, g_ab = R_AB(a, b), and b = (bend_1, bend_2) the swing of B's shaft from A's:
///
///     p_AB_A = 0,   g_12 - g_21 = 0,
///     g_23 + (1 + g_33) bend_1 tan(|b|/2)/|b| = 0,   g_13 - (1 + g_33) bend_2 tan(|b|/2)/|b| = 0.
class ConstantVelocity : public Constraint<ConstantVelocity, 6, 2> {
 public:
  static constexpr JointDemand demand{JointAxes::along_axis, true, true};
  static constexpr std::array<CoordinateName, 2> coordinate_names{{{"bend_1", "rad"}, {"bend_2", "rad"}}};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Mat3T<S>& R = x.R_AB;
    C.template head<3>() = x.p_AB_A;
    C[3] = R(0, 1) - R(1, 0);
    const S square = x.c[0] * x.c[0] + x.c[1] * x.c[1];
    const S factor = (1.0 + R(2, 2)) * chain(square, half_tangent(value_of(square)));
    C[4] = R(1, 2) + factor * x.c[0];
    C[5] = R(0, 2) - factor * x.c[1];
  }

  Eigen::Vector2d initial_coordinates(const RelativeState<2>& x) const { return so3::log(x.R_AB).head<2>(); }

  /// 4 q_0 q_3 = g_21 - g_12 vanishes without twist, q_3 = 0, and after half a turn of twist, q_0 = 0.
  bool on_branch(const RelativeState<2>& x) const { return x.R_AB(0, 0) + x.R_AB(1, 1) > 0; }

  void outputs(const LocalState& x, const ReactionShares& shares, OutputSink& sink) const {
    Constraint::outputs(x, shares, sink);
    const RelativeState<2> state = relative(x);
    const double bend = std::hypot(state.c[0], state.c[1]);
    sink.scalar("bend", "rad", bend);
    // Of B's shaft as seen along A's, from e1; 0 where the shafts are in line.
    sink.scalar("bend_direction", "rad", bend > 0 ? std::atan2(-state.c[0], state.c[1]) : 0);
  }

  void draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
    Constraint::draw(x, shares, canvas);
    const double size = site().size;
    if (!(size > 0)) return;
    MarkerMotion A, B;
    site().A.evaluate(x, 0, MotionLevel::pose, A);
    site().B.evaluate(x, site().A.block_count(), MotionLevel::pose, B);
    canvas.sphere(Canvas::Layer::joints, B.p_WM, 0.3 * size);
    canvas.cylinder(Canvas::Layer::joints, B.p_WM - 0.5 * size * A.R_WM.col(2), B.p_WM, 0.1 * size);
    canvas.cylinder(Canvas::Layer::joints, B.p_WM, B.p_WM + 0.5 * size * B.R_WM.col(2), 0.1 * size);
  }
};

}  // namespace trammel::constant_velocity
