#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// A neutral drawing surface: an element draws points, lines, surfaces and fields, and a recorder turns them into a
/// file. All coordinates are in the world frame [m].
///
/// A drawing is made of parts; the fields given after a part belong to it, with one tuple a point.
class TRAMMEL_API Canvas {
 public:
  enum class Layer {
    curves,    ///< beams as lines
    sections,  ///< beams as swept solids
    bodies,    ///< rigid shapes
    joints,    ///< glyphs of joints
    forces,    ///< one point a force, drawn as vectors
    markers,   ///< frames
  };

  virtual ~Canvas() = default;

  /// One polyline through `points`.
  virtual void polyline(Layer layer, std::span<const Vec3> points) = 0;
  /// Isolated points (for glyphs).
  virtual void points(Layer layer, std::span<const Vec3> points) = 0;
  /// A surface of polygons; `faces` lists, for each polygon, its vertex count and its vertices.
  virtual void surface(Layer layer, std::span<const Vec3> points, std::span<const int> faces) = 0;

  /// A field on the points of the last part, `components` numbers a point. The same layer must get the same fields
  /// from every part; a part that lacks one gets zeros. Some names have a meaning to the recorder: sdk/README.md, section 7.
  virtual void field(std::string_view name, std::span<const double> values, int components) = 0;

  // Shapes made of the primitives above.
  void box(Layer layer, const Mat3& R_WB, const Vec3& p_WB, const Vec3& size);
  void cylinder(Layer layer, const Vec3& from, const Vec3& to, double radius, int sides = 16);
  void sphere(Layer layer, const Vec3& centre, double radius, int rings = 8);
};

}  // namespace trammel
