#include "../shapes.hpp"

#include "face_surface.hpp"
#include "occt_curve.hpp"

namespace trammel::geometry {

namespace {

std::shared_ptr<const Surface> faces(std::string_view bytes, bool reversed, FaceMesh& mesh) {
  auto surface = std::make_shared<const FaceSurface>(faces_from_bytes(bytes), reversed);
  mesh = surface->mesh();
  return surface;
}

}  // namespace

}  // namespace trammel::geometry

const trammel::geometry::Shapes* trammel_geometry_shapes() {
  using namespace trammel::geometry;
  static const Shapes all{make_nurbs, make_interpolated, make_line, make_arc, make_ellipse, faces};
  return &all;
}
