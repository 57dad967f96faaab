#pragma once

#include <span>
#include <string_view>

#include "trammel/canvas.hpp"
#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// The smallest differences that a picture of the whole scene shows: what is drawn needs no finer detail. 0: unknown.
struct VisibleDifferences {
  double length = 0;                           ///< [m]
  double shear_force = 0, bending_moment = 0;  ///< of their magnitudes in beams [N], [N m]
};

/// A canvas that keeps the skin of what is swept with fewer numbers than a surface. Ask for it by `dynamic_cast`.
class TRAMMEL_API SweptCanvas {
 public:
  virtual ~SweptCanvas() = default;
  /// As draw_swept.
  virtual void swept(Canvas::Layer layer, std::span<const Vec3> points, int corners,
                     std::span<const int> caps) = 0;
  /// As Canvas::field, with one tuple a ring of the last part, which was swept.
  virtual void ring_field(std::string_view name, std::span<const double> values, int components) = 0;
  virtual VisibleDifferences visible() const { return {}; }
};

/// As the canvas knows them.
TRAMMEL_API VisibleDifferences visible_differences(Canvas& canvas);

/// Draws the skin through rings of `corners` points each, one ring after the other, and faces given as those of Canvas::surface.
/// The skin's outer side is that from which a ring runs counter-clockwise around the way to the next one. As one part,
/// whose fields may follow.
TRAMMEL_API void draw_swept(Canvas& canvas, Canvas::Layer layer, std::span<const Vec3> points, int corners,
                            std::span<const int> caps);

/// After draw_swept: draws a field that has the same value at all `corners` of a ring; one tuple a ring. With its unit and the names of
/// its components.
TRAMMEL_API void draw_ring_field(Canvas& canvas, int corners, std::string_view name, std::string_view unit,
                                 std::span<const std::string_view> components,
                                 std::span<const double> values);

}  // namespace trammel
