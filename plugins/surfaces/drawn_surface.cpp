#include "drawn_surface.hpp"

#include <algorithm>
#include <cmath>

namespace trammel::surfaces {

namespace {

constexpr double turn_of_a_piece = 0.05;  // [rad]
constexpr int most_pieces = 160, samples = 64, lines = 5;

/// How often a direction of the parameters is divided.
int pieces(const Surface& surface, bool along_u) {
  const SurfaceRange &along = along_u ? surface.u() : surface.v(),
                     &across = along_u ? surface.v() : surface.u();
  double most = 0;
  for (int k = 0; k < lines; ++k) {
    const double fixed = across.first + across.length() * (k + 0.5) / lines;
    double turn = 0;
    Vec3 before = Vec3::Zero();
    for (int i = 0; i <= samples; ++i) {
      const double x = along.first + along.length() * i / samples;
      const Vec3 n = surface.normal(along_u ? SurfaceParameters{x, fixed} : SurfaceParameters{fixed, x});
      if (i > 0) turn += std::atan2(n.cross(before).norm(), n.dot(before));
      before = n;
    }
    most = std::max(most, turn);
  }
  return std::clamp(static_cast<int>(std::ceil(most / turn_of_a_piece)), 1, most_pieces);
}

}  // namespace

DrawnSurface::DrawnSurface(PlacedSurface placed) : placed_(std::move(placed)) {
  const Surface& surface = *placed_.surface;
  const int n = pieces(surface, true), m = pieces(surface, false);
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= m; ++j)
      points_.push_back(surface.point({surface.u().first + surface.u().length() * i / n,
                                       surface.v().first + surface.v().length() * j / m}));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const int a = i * (m + 1) + j, b = a + m + 1;
      const bool reversed = surface.reversed();
      for (const int k : {4, a, reversed ? a + 1 : b, b + 1, reversed ? b : a + 1}) faces_.push_back(k);
    }
}

void DrawnSurface::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  MarkerMotion motion;
  placed_.marker.evaluate(x, 0, MotionLevel::pose, motion);
  std::vector<Vec3> world;
  world.reserve(points_.size());
  for (const Vec3& p : points_) world.push_back(motion.p_WM + motion.R_WM * p);
  canvas.surface(Canvas::Layer::bodies, world, faces_);
}

}  // namespace trammel::surfaces
