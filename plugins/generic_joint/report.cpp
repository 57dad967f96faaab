// Outputs and drawing of a generic joint.

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "generic_joint.hpp"
#include "trammel/glyph.hpp"
#include "trammel/lie.hpp"

namespace trammel::generic_joint {

namespace {

/// The angles a with R = R_x(a_x) R_y(a_y) R_z(a_z), |a_y| <= pi/2.
Vec3 tait_bryan(const Mat3& R) {
  return {std::atan2(-R(1, 2), R(2, 2)), std::atan2(R(0, 2), std::hypot(R(0, 0), R(0, 1))),
          std::atan2(-R(0, 1), R(0, 0))};
}

}  // namespace

JointForces GenericJoint::forces(const LocalState& x, RelativeMotion& motion, MarkerMotion& J0) const {
  relative(x, MotionLevel::velocity, motion);
  what_.J0.evaluate(x, 0, MotionLevel::velocity, J0);
  RotationTerms terms;
  rotation_.evaluate(motion.R_AB, false, terms);
  const Vec6 w = wrench(x, terms);
  const Vec6 row_A = motion.wrench_on_A(w), row_B = motion.wrench_on_B(w);
  JointForces f;
  f.force_on_A = -row_A.head<3>();
  f.moment_on_A = -(motion.A.R_WM * row_A.tail<3>());
  f.force_on_B = -row_B.head<3>();
  f.moment_on_B = -(motion.B.R_WM * row_B.tail<3>());
  // About the origins of J0 and J1. A shift in world axes leaves the force at the origin of J0: see the page.
  if (!what_.axes.all_translations()) f.moment_on_A += (motion.A.p_WM - J0.p_WM).cross(f.force_on_A);
  if (history_.held) {
    MarkerMotion J1;
    what_.J1.evaluate(x, what_.J0.block_count(), MotionLevel::velocity, J1);
    f.moment_on_B += (motion.B.p_WM - J1.p_WM).cross(f.force_on_B);
    motion.B = J1;
  }
  return f;
}

void GenericJoint::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
  RelativeMotion motion;
  MarkerMotion J0;
  const JointForces f = forces(x, motion, J0);
  const MarkerMotion& J1 = motion.B;
  const Mat3 R_0W = J0.R_WM.transpose();
  const Vec3 w_0 = J0.R_WM * J0.twist.tail<3>(), w_1 = J1.R_WM * J1.twist.tail<3>();
  const Mat3 R_01 = R_0W * J1.R_WM;

  sink.vector("position", "m", J0.p_WM);
  sink.vector("velocity", "m/s", J0.twist.head<3>());
  sink.vector("displacement_local", "m", R_0W * (J1.p_WM - J0.p_WM));
  sink.vector("velocity_local", "m/s", R_0W * (J1.twist.head<3>() - J0.twist.head<3>()));
  sink.vector("rotation", "rad", tait_bryan(R_01));
  sink.vector("rotation_vector", "rad", so3::log(R_01));
  sink.vector("angular_velocity_local", "rad/s", R_0W * (w_1 - w_0));
  sink.vector("force_local", "N", R_0W * f.force_on_B);
  sink.vector("torque_local", "N m", R_0W * f.moment_on_B);

  sink.vector("force", "N", R_0W * f.force_on_B);
  sink.vector("moment", "N m", R_0W * f.moment_on_B);
  sink.vector("force_world", "N", f.force_on_B);
  sink.vector("moment_world", "N m", f.moment_on_B);
  sink.vector("force_on_A", "N", R_0W * f.force_on_A);
  sink.vector("moment_on_A", "N m", R_0W * f.moment_on_A);
  sink.vector("force_on_A_world", "N", f.force_on_A);
  sink.vector("moment_on_A_world", "N m", f.moment_on_A);
  sink.vector("displacement", "m", R_0W * (J1.p_WM - J0.p_WM));

  static constexpr std::string_view names[] = {"1", "2", "3"};
  const auto all = std::span(names);
  if (translations_ > 0)
    sink.values("force_multipliers", "N", all.first(static_cast<std::size_t>(translations_)),
                {x.value(blocks_), static_cast<std::size_t>(translations_)});
  if (rotation_.count() > 0) {
    const auto count = static_cast<std::size_t>(rotation_.count());
    sink.values("moment_multipliers", "N m", all.first(count),
                {x.value(blocks_ + (translations_ > 0 ? 1 : 0)), count});
  }
}

std::array<double, 4> Drawing::colour_of(LockedAxes::Kind kind) {
  static constexpr std::array<double, 4> colours[] = {
      {0.45, 0.45, 0.45, 1},  // rigid
      {0.80, 0.20, 0.20, 1},  // revolute
      {0.20, 0.35, 0.80, 1},  // prismatic
      {0.55, 0.25, 0.70, 1},  // cylindrical
      {0.15, 0.65, 0.70, 1},  // planar
      {0.90, 0.55, 0.10, 1},  // universal
      {0.20, 0.65, 0.25, 1},  // spherical
      {0.75, 0.75, 0.75, 1},  // free
      {0.70, 0.65, 0.15, 1},  // other
  };
  return colours[static_cast<std::size_t>(kind)];
}

void GenericJoint::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  const Drawing& drawing = what_.drawing;
  if (!drawing.show) return;
  RelativeMotion motion;
  MarkerMotion J0;
  const JointForces f = forces(x, motion, J0);
  constexpr Canvas::Layer layer = Canvas::Layer::joints;
  static constexpr std::array<std::string_view, 4> red_green_blue_opacity{"R", "G", "B", "A"};
  const auto coloured = [&](int points) {
    std::vector<double> values;
    for (int i = 0; i < points; ++i)
      values.insert(values.end(), drawing.colour.begin(), drawing.colour.end());
    draw_field(canvas, "colour", "", red_green_blue_opacity, values);
  };
  const std::array<Vec3, 1> at{motion.B.p_WM};
  const Mat3& R = motion.A.R_WM;
  const Vec3 axis = R.col(2);
  canvas.points(layer, at);
  draw_field(canvas, "force", "N", world_axes, {f.force_on_B.data(), 3});
  draw_field(canvas, "moment", "N m", world_axes, {f.moment_on_B.data(), 3});
  draw_field(canvas, "axis", "", world_axes, {axis.data(), 3});
  coloured(1);

  const GlyphScale scale = glyph_scale(canvas, motion.B.p_WM);
  const double length = drawing.axis_length >= 0 ? drawing.axis_length : scale.size;
  const double radius = drawing.axis_radius >= 0 ? drawing.axis_radius : 0.1 * length;
  if (!(radius > 0) || !(length > 0)) return;
  const int sides = std::max(scale.sides, 3), rings = std::max(sides / 2, 3);
  constexpr int corners = 8;
  bool any = false;
  for (int k = 0; k < 3; ++k) {
    const Vec3 half = 0.5 * length * R.col(k);
    if (!what_.axes.rotation(k)) {
      canvas.cylinder(layer, J0.p_WM - half, J0.p_WM + half, radius, sides);
      coloured(2 * sides);
    }
    if (!what_.axes.translation(k)) {
      Vec3 size = Vec3::Constant(radius);
      size[k] = 1.5 * length;
      canvas.box(layer, R, J0.p_WM, size);
      coloured(corners);
    }
    any = any || !what_.axes.rotation(k) || !what_.axes.translation(k);
  }
  if (any) return;
  canvas.sphere(layer, J0.p_WM, radius, rings);
  coloured(2 + (rings - 1) * 2 * rings);
}

}  // namespace trammel::generic_joint
