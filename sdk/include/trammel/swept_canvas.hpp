#pragma once

#include <span>
#include <string_view>

#include "trammel/canvas.hpp"
#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// The smallest differences that a picture of the whole scene shows. An element that draws finer detail wastes space. 0: not known.
struct VisibleDifferences {
  double length = 0;          ///< between places [m]
  double shear_force = 0;     ///< between magnitudes of the shear forces of beams [N]
  double bending_moment = 0;  ///< between magnitudes of their bending moments [N m]
};

/// A canvas that keeps the skin of what is swept with fewer numbers than a surface. Ask for it by `dynamic_cast`.
class TRAMMEL_API SweptCanvas {
 public:
  virtual ~SweptCanvas() = default;
  /// As draw_swept.
  virtual void swept(Canvas::Layer layer, std::span<const Vec3> points, int corners,
                     std::span<const int> caps) = 0;
  /// As Canvas::field, with one tuple for each ring. The last part must come from `swept`.
  virtual void ring_field(std::string_view name, std::span<const double> values, int components) = 0;
  virtual VisibleDifferences visible() const { return {}; }
};

/// Those of a recorder that knows the scene; zeros from any other canvas.
TRAMMEL_API VisibleDifferences visible_differences(Canvas& canvas);

/// Draws, as one part whose fields may follow, the skin through rings of `corners` points each [m, world axes], one ring after the
/// other. Seen from the next ring, the points of a ring run counter-clockwise. `caps` are faces that close the ends, given as
/// those of Canvas::surface; empty for an open skin.
TRAMMEL_API void draw_swept(Canvas& canvas, Canvas::Layer layer, std::span<const Vec3> points, int corners,
                            std::span<const int> caps);

/// After draw_swept: draws a field that has the same value at all `corners` of a ring. `values` holds one tuple for each ring, with
/// one number for each name in `components`, or one number where there are no names.
TRAMMEL_API void draw_ring_field(Canvas& canvas, int corners, std::string_view name, std::string_view unit,
                                 std::span<const std::string_view> components,
                                 std::span<const double> values);

}  // namespace trammel
