#include "trammel/body_canvas.hpp"

#include <vector>

#include "trammel/glyph.hpp"

namespace trammel {

void BodyCanvas::polyline(Layer layer, std::span<const Vec3> points) {
  canvas_.polyline(layer, points);
  add_motion(points);
}

void BodyCanvas::points(Layer layer, std::span<const Vec3> points) {
  canvas_.points(layer, points);
  add_motion(points);
}

void BodyCanvas::surface(Layer layer, std::span<const Vec3> points, std::span<const int> faces) {
  canvas_.surface(layer, points, faces);
  add_motion(points);
}

void BodyCanvas::add_motion(std::span<const Vec3> points) {
  const BodyMotion& m = motion_;
  std::vector<double> velocity, acceleration, spin;
  const auto add = [](std::vector<double>& to, const Vec3& v) {
    to.insert(to.end(), v.data(), v.data() + 3);
  };
  for (const Vec3& p : points) {
    const Vec3 arm = p - m.p_WB, turning = m.w_WB.cross(arm);
    add(velocity, m.v_WB + turning);
    add(acceleration, m.a_WB + m.alpha_WB.cross(arm) + m.w_WB.cross(turning));
    add(spin, m.w_WB);
  }
  draw_field(canvas_, "velocity", "m/s", world_axes, velocity);
  draw_field(canvas_, "acceleration", "m/s^2", world_axes, acceleration);
  draw_field(canvas_, "angular velocity", "rad/s", world_axes, spin);
}

}  // namespace trammel
