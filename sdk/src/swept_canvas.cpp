#include "trammel/swept_canvas.hpp"

#include <vector>

#include "canvas_extension.hpp"

namespace trammel {

void draw_swept(Canvas& canvas, Canvas::Layer layer, std::span<const Vec3> points, int corners,
                std::span<const int> caps) {
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

}  // namespace trammel
