// What a slider stores, reports and draws.

#include <array>
#include <string_view>

#include "slider.hpp"
#include "trammel/explicit_twist.hpp"

namespace trammel::beam_sliding {

namespace {

using C = Columns;

}  // namespace

Energy Slider::energy(const LocalState& x) const {
  Energy e;
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), MotionLevel::velocity, slider);
  const SplitHost<double>& host = host_at(x, slider);
  e.strain = host.energy() + stops_at(host.s).stored;
  // A slider that moves in time does work on the beam.
  const Vec6 own = explicit_twist(law_->slider, x, slider_block(), slider);
  if (!own.isZero(0)) e.lost_power = -host.residual().segment<6>(C::slider).dot(own);
  return e;
}

void Slider::outputs(const LocalState& x, const ReactionShares& shares, OutputSink& sink) const {
  static constexpr std::array<std::string_view, 6> forces{"N1", "N2", "N3", "M1", "M2", "M3"};
  sink.scalar("arc_length", "m", x.value(0)[0]);
  sink.scalar("arc_length_rate", "m/s", x.rate(0)[0]);
  sink.scalar("arc_length_acceleration", "m/s^2", x.second_rate(0)[0]);
  if (law_->has_angle()) {
    sink.scalar("angle", "rad", x.value(angle_block())[0]);
    sink.scalar("angle_rate", "rad/s", x.rate(angle_block())[0]);
    sink.scalar("angle_acceleration", "rad/s^2", x.second_rate(angle_block())[0]);
  }
  const Reaction on = reaction(x, shares.active);
  const Mat3 R_CW = on.X_WC.R.transpose();
  sink.vector("force", "N", R_CW * on.force);
  sink.vector("moment", "N m", R_CW * on.moment);
  sink.vector("force_world", "N", on.force);
  sink.vector("moment_world", "N m", on.moment);
  sink.scalar("thrust", "N", on.thrust);
  sink.values("section_force_before", "", forces, {on.before.data(), 6});
  sink.values("section_force_behind", "", forces, {on.behind.data(), 6});
  sink.scalar("host", "", shares.active ? now_.host + 1 : 0);
  sink.vector("position", "m", on.X_WC.p);
  sink.vector("gap", "m", R_CW * on.gap);
}

Slider::Reaction Slider::reaction(const LocalState& x, bool active) const {
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), MotionLevel::jacobian, slider);
  Reaction on;
  on.X_WC.p = slider.p_WM;
  if (!active) return on;
  const SplitHost<double>& host = host_at(x, slider);
  const SplitHost<double>::Vector share = host.residual();
  on.X_WC = host.X_WC();
  on.force = -host.force;
  if (law_->rotates()) on.moment = -(slider.R_WM * share.segment<3>(C::slider + 3));
  on.thrust = -share[C::s];
  on.before = host.force_before();
  on.behind = host.force_behind();
  on.gap = slider.p_WM - on.X_WC.p;
  return on;
}

void Slider::draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
  const Reaction on = reaction(x, shares.active);
  const std::array<Vec3, 1> at{on.X_WC.p};
  const Vec3 axis = on.X_WC.R.col(0);
  canvas.points(Canvas::Layer::joints, at);
  canvas.field("force", {on.force.data(), 3}, 3);
  canvas.field("moment", {on.moment.data(), 3}, 3);
  canvas.field("axis", {axis.data(), 3}, 3);
}

}  // namespace trammel::beam_sliding
