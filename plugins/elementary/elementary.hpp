#pragma once

#include <array>
#include <utility>

#include "trammel/constraint.hpp"
#include "trammel/function.hpp"
#include "trammel/parameters.hpp"

/// The elementary constraints that joints are made of.
namespace trammel::elementary_joints {

/// Draws a line through each marker along its e3.
inline void draw_axes(const JointSite& site, const LocalState& x, Canvas& canvas, bool of_B) {
  MarkerMotion A, B;
  site.A.evaluate(x, 0, MotionLevel::pose, A);
  site.B.evaluate(x, site.A.block_count(), MotionLevel::pose, B);
  for (const MarkerMotion* m : {&A, &B}) {
    if (m == &B && !of_B) break;
    const Vec3 half = 0.5 * site.size * m->R_WM.col(2);
    const std::array<Vec3, 2> line{m->p_WM - half, m->p_WM + half};
    canvas.polyline(Canvas::Layer::joints, line);
  }
}

/// The origin of B stays in the plane through the origin of A, normal to its e3: e3 . p_AB_A = 0.
class PointOnPlane : public Constraint<PointOnPlane, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  static constexpr JointDemand demand{JointAxes::along_axis, true, false, true};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = x.p_AB_A[2];
  }
  void draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
    Constraint::draw(x, shares, canvas);
    if (!(site().size > 0)) return;
    MarkerMotion A, B;
    site().A.evaluate(x, 0, MotionLevel::pose, A);
    site().B.evaluate(x, site().A.block_count(), MotionLevel::pose, B);
    canvas.box(Canvas::Layer::joints, A.R_WM, B.p_WM, site().size * Vec3(1, 1, 0.02));
  }
};

/// The origin of B stays on the line through the origin of A along its e3: e1 . p_AB_A = e2 . p_AB_A = 0.
class PointOnLine : public Constraint<PointOnLine, 2> {
 public:
  static constexpr std::array<Dimension, 2> dimensions{Dimension::length, Dimension::length};
  static constexpr JointDemand demand{JointAxes::along_axis, true, false, true};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C = x.p_AB_A.template head<2>();
  }
  void draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
    Constraint::draw(x, shares, canvas);
    if (site().size > 0) draw_axes(site(), x, canvas, false);
  }
};

/// |p_AB_A| = L(t): a massless rod. The multiplier is the tension.
class Distance : public Constraint<Distance, 1, 0, true> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  static constexpr JointDemand demand{JointAxes::own, false, false};

  explicit Distance(FunctionPtr length) : length_(std::move(length)) {}

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Jet length = length_->motion_at(value_of(x.t));
    C[0] = sqrt(trammel::dot(x.p_AB_A, x.p_AB_A)) -
           chain(x.t, Derivatives{length.value, length.first, length.second});
  }
  void outputs(const LocalState& x, const ReactionShares& shares, OutputSink& sink) const {
    Constraint::outputs(x, shares, sink);
    sink.scalar("tension", "N", x.value(site().block_count())[0]);
    sink.scalar("distance", "m", relative(x).p_AB_A.norm());
  }
  void draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
    Constraint::draw(x, shares, canvas);
    MarkerMotion A, B;
    site().A.evaluate(x, 0, MotionLevel::pose, A);
    site().B.evaluate(x, site().A.block_count(), MotionLevel::pose, B);
    const std::array<Vec3, 2> rod{A.p_WM, B.p_WM};
    canvas.polyline(Canvas::Layer::joints, rod);
  }

 private:
  FunctionPtr length_;
};

/// e3 of B stays along e3 of A: g_31 = g_32 = 0.
class ParallelAxes : public Constraint<ParallelAxes, 2> {
 public:
  static constexpr JointDemand demand{JointAxes::along_axis, false, true};
  static constexpr std::array<Dimension, 2> dimensions{Dimension::angle, Dimension::angle};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = x.R_AB(2, 0);
    C[1] = x.R_AB(2, 1);
  }
  bool on_branch(const RelativeState<0>& x) const { return x.R_AB(2, 2) > 0; }
  void draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
    Constraint::draw(x, shares, canvas);
    if (site().size > 0) draw_axes(site(), x, canvas, true);
  }
};

/// e3 of B stays perpendicular to e3 of A: g_33 = 0 (constraint I of the Dymore manual).
class PerpendicularAxes : public Constraint<PerpendicularAxes, 1> {
 public:
  static constexpr JointDemand demand{JointAxes::own, false, true};
  static constexpr std::array<Dimension, 1> dimensions{Dimension::angle};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = x.R_AB(2, 2);
  }
  void draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
    Constraint::draw(x, shares, canvas);
    if (site().size > 0) draw_axes(site(), x, canvas, true);
  }
};

}  // namespace trammel::elementary_joints
