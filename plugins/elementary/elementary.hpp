#pragma once

#include <array>
#include <utility>

#include "trammel/constraint.hpp"
#include "trammel/function.hpp"
#include "trammel/glyph.hpp"
#include "trammel/parameters.hpp"

/// The elementary constraints that joints are made of.
namespace trammel::elementary_joints {

/// Draws a line of a frame along its e3, through B.
inline void draw_axis(const Glyph& glyph, const MarkerMotion& of) {
  const Vec3 to_B = of.R_WM.transpose() * (glyph.B.p_WM - of.p_WM) / glyph.size();
  glyph.rod(of, to_B - Vec3(0, 0, 0.6), to_B + Vec3(0, 0, 0.6), 0.05);
}

/// The origin of B stays in the plane through the origin of A, normal to its e3: e3 . p_AB_A = 0.
class PointOnPlane : public Constraint<PointOnPlane, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  static constexpr JointRequirement requirement{JointAxes::along_axis, true, false, true};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = x.p_AB_A[2];
  }
  static void draw_glyph(const Glyph& glyph) {
    const Vec3 to_B = glyph.A.R_WM.transpose() * (glyph.B.p_WM - glyph.A.p_WM) / glyph.size();
    glyph.plate(glyph.A, to_B, {0.6, 0, 0}, {0, 0.6, 0});
    glyph.ball(glyph.B, Vec3::Zero(), 0.12);
  }
};

/// The origin of B stays on the line through the origin of A along its e3: e1 . p_AB_A = e2 . p_AB_A = 0.
class PointOnLine : public Constraint<PointOnLine, 2> {
 public:
  static constexpr std::array<Dimension, 2> dimensions{Dimension::length, Dimension::length};
  static constexpr JointRequirement requirement{JointAxes::along_axis, true, false, true};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C = x.p_AB_A.template head<2>();
  }
  static void draw_glyph(const Glyph& glyph) {
    draw_axis(glyph, glyph.A);
    glyph.ball(glyph.B, Vec3::Zero(), 0.15);
  }
};

/// |p_AB_A| = L(t): a massless rod. The multiplier is the tension.
class Distance : public Constraint<Distance, 1, 0, true> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  static constexpr JointRequirement requirement{JointAxes::own, false, false};

  explicit Distance(FunctionPtr length) : length_(std::move(length)) {}

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Jet length = length_->motion_at(value_of(x.t));
    C[0] = sqrt(trammel::dot(x.p_AB_A, x.p_AB_A)) -
           chain(x.t, Derivatives{length.value, length.first, length.second});
  }
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    Constraint::outputs(x, contributions, sink);
    sink.scalar("tension", "N", x.value(site().block_count())[0]);
    sink.scalar("distance", "m", relative(x).p_AB_A.norm());
  }
  /// A rod with an eye at each end.
  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const {
    Constraint::draw(x, contributions, canvas);
    MarkerMotion A, B;
    site().A.evaluate(x, 0, MotionLevel::pose, A);
    site().B.evaluate(x, site().A.block_count(), MotionLevel::pose, B);
    const std::array<Vec3, 2> rod{A.p_WM, B.p_WM};
    canvas.polyline(Canvas::Layer::joints, rod);
  }
  static void draw_glyph(const Glyph& glyph) {
    glyph.ball(glyph.A, Vec3::Zero(), 0.12);
    glyph.ball(glyph.B, Vec3::Zero(), 0.12);
  }

 private:
  FunctionPtr length_;
};

/// e3 of B stays along e3 of A: g_31 = g_32 = 0.
class ParallelAxes : public Constraint<ParallelAxes, 2> {
 public:
  static constexpr JointRequirement requirement{JointAxes::along_axis, false, true};
  static constexpr std::array<Dimension, 2> dimensions{Dimension::angle, Dimension::angle};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = x.R_AB(2, 0);
    C[1] = x.R_AB(2, 1);
  }
  bool on_branch(const RelativeState<0>& x) const { return x.R_AB(2, 2) > 0; }
  static void draw_glyph(const Glyph& glyph) {
    draw_axis(glyph, glyph.A);
    glyph.tube(glyph.B, {0, 0, -0.4}, {0, 0, 0.4}, 0.12);
  }
};

/// e3 of B stays perpendicular to e3 of A: g_33 = 0 (constraint I of the Dymore manual).
class PerpendicularAxes : public Constraint<PerpendicularAxes, 1> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, false, true};
  static constexpr std::array<Dimension, 1> dimensions{Dimension::angle};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = x.R_AB(2, 2);
  }
  static void draw_glyph(const Glyph& glyph) {
    draw_axis(glyph, glyph.A);
    draw_axis(glyph, glyph.B);
  }
};

}  // namespace trammel::elementary_joints
