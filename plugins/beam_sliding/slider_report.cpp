// Energy, outputs and drawing of a slider.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "slider.hpp"
#include "trammel/explicit_twist.hpp"
#include "trammel/glyph.hpp"

namespace trammel::beam_sliding {

namespace {

using C = Columns;

}  // namespace

Energy Slider::energy(const LocalState& x) const {
  Energy e;
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), MotionLevel::velocity, slider);
  const SplitHostElement<double> host = solved_host(x, slider);
  e.strain = host.energy() + stops_at(host.s).stored;
  // A slider that moves in time does work on the beam.
  const Vec6 own = explicit_twist(law_->slider, x, slider_block(), slider);
  if (!own.isZero(0)) e.dissipated_power = -host.residual().segment<6>(C::slider).dot(own);
  return e;
}

void Slider::outputs(const LocalState& x, const ReactionContributions& contributions,
                     OutputSink& sink) const {
  sink.scalar("arc_length", "m", x.value(0)[0]);
  sink.scalar("arc_length_rate", "m/s", x.rate(0)[0]);
  sink.scalar("arc_length_acceleration", "m/s^2", x.second_rate(0)[0]);
  if (law_->has_angle()) {
    sink.scalar("angle", "rad", x.value(angle_block())[0]);
    sink.scalar("angle_rate", "rad/s", x.rate(angle_block())[0]);
    sink.scalar("angle_acceleration", "rad/s^2", x.second_rate(angle_block())[0]);
  }
  const Reaction on = reaction(x, contributions.active);
  const Mat3 R_CW = on.X_WC.R.transpose();
  sink.vector("force", "N", R_CW * on.force);
  sink.vector("moment", "N m", R_CW * on.moment);
  sink.vector("force_world", "N", on.force);
  sink.vector("moment_world", "N m", on.moment);
  sink.scalar("thrust", "N", on.thrust);
  for (const auto& [side, f] : {std::pair("before", &on.before), std::pair("after", &on.after)}) {
    sink.values(std::string("section_force_") + side, "N", section_force_names, {f->data(), 3});
    sink.values(std::string("section_moment_") + side, "N m", section_moment_names, {f->data() + 3, 3});
  }
  sink.scalar("host_element", "", contributions.active ? now_.host + 1 : 0);
  sink.vector("position", "m", on.X_WC.p);
  sink.vector("gap", "m", R_CW * on.gap);
}

Slider::Reaction Slider::reaction(const LocalState& x, bool active) const {
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), MotionLevel::jacobian, slider);
  Reaction on;
  on.X_WC.p = slider.p_WM;
  if (!active) return on;
  const SplitHostElement<double> host = solved_host(x, slider);
  const SplitHostElement<double>::Vector share = host.residual();
  on.X_WC = host.X_WC();
  on.force = -host.force;
  if (law_->rotates()) on.moment = -(slider.R_WM * share.segment<3>(C::slider + 3));
  on.thrust = -share[C::s];
  on.before = host.force_before();
  on.after = host.force_after();
  on.gap = slider.p_WM - on.X_WC.p;
  return on;
}

void Slider::draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const {
  const Reaction on = reaction(x, contributions.active);
  const std::array<Vec3, 1> at{on.X_WC.p};
  const Vec3 axis = on.X_WC.R.col(0);
  canvas.points(Canvas::Layer::joints, at);
  draw_field(canvas, "force", "N", world_axes, {on.force.data(), 3});
  draw_field(canvas, "moment", "N m", world_axes, {on.moment.data(), 3});
  draw_field(canvas, "axis", "", world_axes, {axis.data(), 3});
  draw_field(canvas, "section force before", "N", section_force_names, {on.before.data(), 3});
  draw_field(canvas, "section moment before", "N m", section_moment_names, {on.before.data() + 3, 3});
  draw_field(canvas, "section force after", "N", section_force_names, {on.after.data(), 3});
  draw_field(canvas, "section moment after", "N m", section_moment_names, {on.after.data() + 3, 3});
  // A sleeve around the beam; a hand where it is locked to the beam's rotation.
  MarkerMotion section;
  section.R_WM = on.X_WC.R;
  section.p_WM = on.X_WC.p;
  const Glyph glyph(canvas, section, section);
  if (!glyph.shown()) return;
  // Larger than the section: than the rectangle whose EI / EA are those of its stiffness, a little larger than a circle.
  const Mat6& stiffness = law_->track->piece(now_.host).law->stiffness;
  const double reach = std::sqrt(3 * (stiffness(4, 4) + stiffness(5, 5)) / stiffness(0, 0));
  constexpr double clearance = 1.15;
  const double radius = std::max(0.25, clearance * reach / glyph.size());
  const double half = std::max(0.35, radius);
  glyph.tube(section, {-half, 0, 0}, {half, 0, 0}, radius);
  if (!law_->rotates()) return;
  const std::array<Vec3, 2> hand{Vec3(0, radius, 0), Vec3(0, radius + 0.25, 0)};
  glyph.line(section, hand);
}

}  // namespace trammel::beam_sliding
