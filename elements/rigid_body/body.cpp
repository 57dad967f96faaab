#include "body.hpp"

#include <array>

#include "trammel/body_canvas.hpp"
#include "trammel/by_processor.hpp"
#include "trammel/local_lanes.hpp"

namespace trammel::rigid_body {

namespace {

/// Outputs that both kinds of body have.
void report(const LocalState& x, double mass, const Vec3& centre, const Mat3& J_origin, double kinetic,
            OutputSink& sink) {
  static constexpr std::array<std::string_view, 4> wxyz{"w", "x", "y", "z"};
  const Vec3 p = x.position(0), v = x.velocity(0), w = x.velocity(1);
  const Mat3 R = x.rotation(1);
  const Quaternion q = x.quaternion(1);
  const std::array<double, 4> q_values{q.w(), q.x(), q.y(), q.z()};
  const Vec3 p_centre = p + R * centre, v_centre = v + R * w.cross(centre);
  const Vec3 momentum = mass * v_centre;
  const Vec3 about_origin = R * (J_origin * w + mass * centre.cross(R.transpose() * v));
  sink.vector("position", "m", p);
  sink.vector("velocity", "m/s", v);
  sink.values("quaternion", "", wxyz, q_values);
  sink.vector("angular_velocity", "rad/s", R * w);
  sink.vector("angular_velocity_body", "rad/s", w);
  sink.vector("centre", "m", p_centre);
  sink.vector("centre_velocity", "m/s", v_centre);
  sink.vector("momentum", "kg m/s", momentum);
  sink.vector("angular_momentum", "kg m^2/s", about_origin + p.cross(momentum));
  sink.scalar("kinetic_energy", "J", kinetic);
}

/// Position block 0, rotation block 1.
void draw_moving(const Solids& solids, const LocalState& x, Canvas& canvas) {
  const Mat3 R = x.rotation(1);
  const BodyMotion motion{x.position(0), x.velocity(0), x.acceleration(0), R * x.velocity(1),
                          R * x.acceleration(1)};
  BodyCanvas moving(canvas, motion);
  solids.draw(R, motion.p_WB, moving);
}

}  // namespace

TRAMMEL_BY_PROCESSOR [[gnu::flatten]] bool CentredBody::evaluate_residuals(
    std::span<const CentredBody* const> bodies, std::span<const LocalState> x,
    std::span<LocalSystem* const> out) {
  const LocalStateLanes at(x);
  const Lanes mass = lanes_of([&](std::size_t k) { return bodies[k]->mass_; });
  const auto J = read_lanes<Mat3T<Lanes>>([&](std::size_t k) { return bodies[k]->J_.data(); });
  write_residuals(centred_residual<Lanes>(mass, J, at.velocity(1), at.acceleration(0), at.acceleration(1)), 0,
                  out);
  return true;
}

TRAMMEL_BY_PROCESSOR [[gnu::flatten]] bool OffsetBody::evaluate_residuals(
    std::span<const OffsetBody* const> bodies, std::span<const LocalState> x,
    std::span<LocalSystem* const> out) {
  const LocalStateLanes at(x);
  const Lanes mass = lanes_of([&](std::size_t k) { return bodies[k]->mass_; });
  const auto c = read_lanes<Vec3T<Lanes>>([&](std::size_t k) { return bodies[k]->centre_.data(); });
  const auto J = read_lanes<Mat3T<Lanes>>([&](std::size_t k) { return bodies[k]->J_origin_.data(); });
  const Mat3T<Lanes> R = at.rotation(1);
  const Vec3T<Lanes> w = at.velocity(1), a = at.acceleration(0), alpha = at.acceleration(1);
  const OffsetMotion<Lanes> motion{c, J, R, w, a, alpha};
  write_residuals(motion.residual(mass), 0, out);
  return true;
}

Energy CentredBody::energy(const LocalState& x) const {
  Energy e;
  const Vec3 w = x.velocity(1);
  e.kinetic = 0.5 * (mass_ * x.velocity(0).squaredNorm() + w.dot(J_ * w));
  return e;
}

void CentredBody::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
  report(x, mass_, Vec3::Zero(), J_, energy(x).kinetic, sink);
}

void CentredBody::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  draw_moving(*solids_, x, canvas);
}

Energy OffsetBody::energy(const LocalState& x) const {
  Energy e;
  const Vec3 w = x.velocity(1);
  const Vec3 v_body = x.rotation(1).transpose() * x.velocity(0);
  e.kinetic =
      0.5 * (mass_ * v_body.squaredNorm() + w.dot(J_origin_ * w)) + mass_ * v_body.dot(w.cross(centre_));
  return e;
}

void OffsetBody::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
  report(x, mass_, centre_, J_origin_, energy(x).kinetic, sink);
}

void OffsetBody::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  draw_moving(*solids_, x, canvas);
}

}  // namespace trammel::rigid_body
