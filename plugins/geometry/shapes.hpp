#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "face_mesh.hpp"
#include "nurbs_definition.hpp"
#include "trammel/curve.hpp"
#include "trammel/surface.hpp"

namespace trammel::geometry {

/// What Open CASCADE makes (shapes/). It lies in a library of its own, `geometry_shapes` in the folder above the plugins', which is
/// opened when a case first asks for a shape: to load Open CASCADE takes as many instructions as all else in the start of a small
/// case. The functions are those of shapes/occt_curve.hpp.
struct Shapes {
  std::unique_ptr<Curve> (*nurbs)(const NurbsDefinition& what);
  std::unique_ptr<Curve> (*interpolated)(const std::vector<Vec3>& points, bool closed,
                                         const Vec3* first_tangent, const Vec3* last_tangent);
  std::unique_ptr<Curve> (*line)(const Vec3& from, const Vec3& to);
  std::unique_ptr<Curve> (*arc)(const Vec3& from, const Vec3& via, const Vec3& to);
  std::unique_ptr<Curve> (*ellipse)(const Vec3& centre, const Vec3& major, const Vec3& minor);
  /// The faces that `bytes` hold as one surface (shapes/face_surface.hpp), and what is drawn of them.
  std::shared_ptr<const Surface> (*faces)(std::string_view bytes, bool reversed, FaceMesh& mesh);
};

/// Throws Error where the library cannot be opened.
const Shapes& shapes();

}  // namespace trammel::geometry

extern "C" {
/// What the library offers.
__attribute__((visibility("default"))) const trammel::geometry::Shapes* trammel_geometry_shapes();
}
