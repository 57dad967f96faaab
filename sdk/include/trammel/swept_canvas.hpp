#pragma once

#include <span>

#include "trammel/canvas.hpp"
#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// A canvas that keeps the skin of what is swept with fewer numbers than a surface. Ask for it by `dynamic_cast`.
class TRAMMEL_API SweptCanvas {
 public:
  virtual ~SweptCanvas() = default;
  /// As draw_swept.
  virtual void swept(Canvas::Layer layer, std::span<const Vec3> points, int corners,
                     std::span<const int> caps) = 0;
};

/// Draws the skin through rings of `corners` points each, one ring after the other, and faces given as those of Canvas::surface.
/// The skin's outer side is that from which a ring runs counter-clockwise around the way to the next one. As one part,
/// whose fields may follow.
TRAMMEL_API void draw_swept(Canvas& canvas, Canvas::Layer layer, std::span<const Vec3> points, int corners,
                            std::span<const int> caps);

}  // namespace trammel
