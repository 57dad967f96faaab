#include "contact_motion.hpp"

#include <string>

namespace trammel::surface_contact {

PathMotion path_motion(const Surface& surface, const SurfaceParameters& at, const Eigen::Vector2d& rates,
                       const Eigen::Vector2d& second_rates) {
  SurfacePoint p;
  surface.evaluate(at, 2, p);
  PathMotion out;
  out.point = p.d[0];
  out.velocity = rates[0] * p.by(1, 0) + rates[1] * p.by(0, 1);
  out.tangential_acceleration = second_rates[0] * p.by(1, 0) + second_rates[1] * p.by(0, 1);
  out.centripetal_acceleration = rates[0] * rates[0] * p.by(2, 0) + 2 * rates[0] * rates[1] * p.by(1, 1) +
                                 rates[1] * rates[1] * p.by(0, 2);
  return out;
}

PathMotion path_motion(const Curve& curve, double eta, double rate, double second_rate) {
  CurvePoint c;
  curve.evaluate(eta, 2, c);
  return {c.d[0], rate * c.d[1], second_rate * c.d[1], rate * rate * c.d[2]};
}

void report_contact_motion(const LocalState& x, const Marker& A, const PathMotion& path, OutputSink& sink) {
  MarkerMotion motion;
  A.evaluate(x, 0, MotionLevel::full, motion);
  const Vec6 acceleration = A.acceleration(x, 0, motion);
  const Vec3 w = motion.twist.tail<3>(), &r = path.point;
  sink.vector("contact_point", "m", motion.p_WM + motion.R_WM * r);
  sink.vector("contact_velocity", "m/s", motion.twist.head<3>() + motion.R_WM * (w.cross(r) + path.velocity));
  sink.vector("contact_acceleration", "m/s^2",
              acceleration.head<3>() + motion.R_WM * (acceleration.tail<3>().cross(r) + w.cross(w.cross(r)) +
                                                      2 * w.cross(path.velocity) + path.acceleration()));
}

void report_path(const LocalState& x, const Marker& marker, int first, const PathMotion& path,
                 std::string_view which, OutputSink& sink) {
  MarkerMotion motion;
  marker.evaluate(x, first, MotionLevel::pose, motion);
  const auto report = [&](const char* name, const char* unit, const Vec3& value) {
    const std::string full = std::string(name) + std::string(which);
    sink.vector(full, unit, value);
    sink.vector(full + "_world", unit, motion.R_WM * value);
  };
  report("path_velocity_", "m/s", path.velocity);
  report("path_acceleration_", "m/s^2", path.acceleration());
  report("path_tangential_", "m/s^2", path.tangential_acceleration);
  report("path_centripetal_", "m/s^2", path.centripetal_acceleration);
}

}  // namespace trammel::surface_contact
