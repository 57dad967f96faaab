#pragma once

#include <array>
#include <utility>

#include "relative_signal.hpp"
#include "trammel/constraint.hpp"
#include "trammel/glyph.hpp"

namespace trammel::free_joint {

/// Angles of R_AB as a reader wants them.
inline void report_angles(const Mat3& R_AB, OutputSink& sink) {
  const Mat3T<double>& R = R_AB;
  sink.vector("angles", "rad", Vec3(TaitBryan<0>()(R), TaitBryan<1>()(R), TaitBryan<2>()(R)));
  sink.scalar("twist", "rad", Twist()(R));
}

/// Draws the axes of A and of B, and a line between them.
inline void draw_axes(const Glyph& glyph) {
  if (!glyph.shown()) return;
  for (const MarkerMotion* frame : {&glyph.A, &glyph.B})
    for (int k = 0; k < 3; ++k) {
      const std::array<Vec3, 2> axis{Vec3::Zero(), 0.5 * Vec3::Unit(k)};
      glyph.line(*frame, axis);
    }
  const std::array<Vec3, 2> line{glyph.A.p_WM, glyph.B.p_WM};
  glyph.canvas().polyline(Canvas::Layer::joints, line);
}

/// p_AB_A - slides = 0 (constraint IV of the Dymore manual, three times): no constraint, but three coordinates that
/// springs, dampers and motions hang on. The multipliers are their forces, zero without a load.
class Free : public Constraint<Free, 3, 3> {
 public:
  static constexpr JointRequirement requirement{JointAxes::common, false, true};
  static constexpr std::array<Dimension, 3> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length};
  static constexpr std::array<CoordinateName, 3> coordinate_names{{{"slide_1", "m", Measure::length()},
                                                                   {"slide_2", "m", Measure::length()},
                                                                   {"slide_3", "m", Measure::length()}}};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C = x.p_AB_A - x.c;
  }
  Vec3 initial_coordinates(const RelativeState<3>& x) const { return x.p_AB_A; }

  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    Constraint::outputs(x, contributions, sink);
    report_angles(relative(x).R_AB, sink);
  }
  static void draw_glyph(const Glyph& glyph) { draw_axes(glyph); }
};

/// The same without coordinates: it only looks.
class Observer {
 public:
  explicit Observer(JointSite site) : site_(std::move(site)) {}

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    const auto [A, B] = motions(x);
    site_.report(A, B, site_.forces(A.R_WM, B.R_WM, Vec6::Zero(), Vec6::Zero(), contributions), sink);
    report_angles(A.R_WM.transpose() * B.R_WM, sink);
  }
  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const {
    const auto [A, B] = motions(x);
    site_.draw(A, B, site_.forces(A.R_WM, B.R_WM, Vec6::Zero(), Vec6::Zero(), contributions), canvas);
    draw_axes(Glyph(canvas, A, B, site_.size));
  }

 private:
  std::pair<MarkerMotion, MarkerMotion> motions(const LocalState& x) const {
    std::pair<MarkerMotion, MarkerMotion> m;
    site_.A.evaluate(x, 0, MotionLevel::pose, m.first);
    site_.B.evaluate(x, site_.A.block_count(), MotionLevel::pose, m.second);
    return m;
  }
  JointSite site_;
};

}  // namespace trammel::free_joint
