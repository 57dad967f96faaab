#include "drawn_faces.hpp"

#include <utility>

namespace trammel::geometry {

DrawnFaces::DrawnFaces(FaceMesh mesh, Marker marker) : mesh_(std::move(mesh)), marker_(std::move(marker)) {}

void DrawnFaces::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  MarkerMotion motion;
  marker_.evaluate(x, 0, MotionLevel::pose, motion);
  std::vector<Vec3> world;
  world.reserve(mesh_.points.size());
  for (const Vec3& p : mesh_.points) world.push_back(motion.p_WM + motion.R_WM * p);
  canvas.surface(Canvas::Layer::bodies, world, mesh_.triangles);
}

}  // namespace trammel::geometry
