#include "trammel/swept_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "canvas_extension.hpp"
#include "trammel/error.hpp"
#include "trammel/glyph.hpp"

namespace trammel {

VisibleDifferences visible_differences(Canvas& canvas) {
  const auto* const swept = extension_of<SweptCanvas>(canvas);
  return swept != nullptr ? swept->visible() : VisibleDifferences();
}

void draw_swept(Canvas& canvas, Canvas::Layer layer, std::span<const Vec3> points, int corners,
                std::span<const int> caps) {
  if (corners < 2 || points.size() % static_cast<std::size_t>(corners) != 0)
    throw Error(fmt::format(
        "a swept skin has {} points in rings of {} corners: each ring needs all its corners, at least 2",
        points.size(), corners));
  if (auto* const swept = extension_of<SweptCanvas>(canvas))
    return swept->swept(layer, points, corners, caps);
  std::vector<int> faces;
  const int rings = static_cast<int>(points.size()) / corners;
  for (int ring = 0; ring + 1 < rings; ++ring)
    for (int i = 0; i < corners; ++i) {
      const int a = ring * corners + i;
      const int b = ring * corners + (i + 1) % corners;
      faces.insert(faces.end(), {4, a, b, b + corners, a + corners});
    }
  faces.insert(faces.end(), caps.begin(), caps.end());
  canvas.surface(layer, points, faces);
}

void draw_ring_field(Canvas& canvas, int corners, std::string_view name, std::string_view unit,
                     std::span<const std::string_view> components, std::span<const double> values) {
  const std::size_t width = std::max<std::size_t>(components.size(), 1);
  if (auto* const swept = extension_of<SweptCanvas>(canvas)) {
    swept->ring_field(name, values, static_cast<int>(width));
    if (auto* const labels = extension_of<FieldLabels>(canvas)) labels->label(name, unit, components);
    return;
  }
  std::vector<double> of_points;
  for (std::size_t first = 0; first + width <= values.size(); first += width)
    for (int i = 0; i < corners; ++i)
      of_points.insert(of_points.end(), values.begin() + static_cast<std::ptrdiff_t>(first),
                       values.begin() + static_cast<std::ptrdiff_t>(first + width));
  draw_field(canvas, name, unit, components, of_points);
}

}  // namespace trammel
