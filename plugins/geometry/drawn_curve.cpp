#include "drawn_curve.hpp"

#include <cmath>

namespace trammel::geometry {

namespace {

constexpr double most_turn = 0.035;  // of the tangent between two points [rad]
constexpr int most_halvings = 12;

Vec3 tangent(const Curve& curve, double eta) {
  CurvePoint at;
  curve.evaluate(eta, 1, at);
  return at.d[1].normalized();
}

/// Adds the points after `from` up to `to`.
void add_points(const Curve& curve, double from, double to, int depth, std::vector<Vec3>& points) {
  const double middle = 0.5 * (from + to);
  const Vec3 a = tangent(curve, from + 1e-9 * (to - from)), m = tangent(curve, middle),
             b = tangent(curve, to - 1e-9 * (to - from));
  const auto turn = [](const Vec3& u, const Vec3& v) { return std::atan2(u.cross(v).norm(), u.dot(v)); };
  if (depth < most_halvings && turn(a, m) + turn(m, b) > most_turn) {
    add_points(curve, from, middle, depth + 1, points);
    add_points(curve, middle, to, depth + 1, points);
  } else {
    points.push_back(curve.point(to));
  }
}

}  // namespace

DrawnCurve::DrawnCurve(PlacedCurve placed) : placed_(std::move(placed)) {
  const Curve& curve = *placed_.curve;
  points_.push_back(curve.point(curve.first()));
  const auto breaks = curve.breaks();
  for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
    // Two pieces at least: a wave with equal tangents at its ends and in its middle is not taken to be straight.
    const double third = (breaks[i + 1] - breaks[i]) / 3;
    add_points(curve, breaks[i], breaks[i] + third, 0, points_);
    add_points(curve, breaks[i] + third, breaks[i + 1], 0, points_);
  }
}

void DrawnCurve::outputs(const LocalState&, const ReactionContributions&, OutputSink& sink) const {
  sink.scalar("length", "m", placed_.curve->length());
}

void DrawnCurve::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  MarkerMotion motion;
  placed_.marker.evaluate(x, 0, MotionLevel::pose, motion);
  std::vector<Vec3> world;
  world.reserve(points_.size());
  for (const Vec3& p : points_) world.push_back(motion.p_WM + motion.R_WM * p);
  canvas.polyline(Canvas::Layer::curves, world);
}

}  // namespace trammel::geometry
