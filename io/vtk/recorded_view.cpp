#include "io/vtk/recorded_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/drawing/view_style.hpp"

namespace trammel {

RecordedView view_of(const std::vector<SeriesLayer>& layers, const Vec3& gravity, const Mat3& motion,
                     double glyph_size) {
  DrawingExtent all;
  DrawingExtent arrows;  // beams draw their inner forces as fields, not as arrows
  for (const SeriesLayer& layer : layers) {
    all.add(layer.extent);
    if (layer.name == "joints" || layer.name == "forces") arrows.add(layer.extent);
  }
  RecordedView view;
  const double size = all.diagonal() > 0 ? all.diagonal() : 1;
  using namespace view_style;
  const double longest =
      std::clamp(longest_arrow_by_glyph * glyph_size, longest_arrow_at_least * size, longest_arrow * size);
  // What rounding leaves of moments beside forces, or of forces beside moments, is not drawn.
  constexpr double rounding = 1e-9;
  if (arrows.force * size > rounding * arrows.moment) view.metres_per_newton = longest / arrows.force;
  if (arrows.moment > rounding * arrows.force * size) view.metres_per_newton_metre = longest / arrows.moment;
  if (all.diagonal() > 0)
    view.camera = camera_for({Vec3(all.low.data()), Vec3(all.high.data()), gravity, motion});
  return view;
}

std::string view_file(const RecordedView& view) {
  const auto text = [](const Vec3& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); };
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<!-- How trammel-render looks at these results. Lengths in m. -->\n"
      "<View>\n"
      "  <Camera focus=\"{}\" position=\"{}\" up=\"{}\"/>\n"
      "  <Arrow field=\"force\" scale=\"{}\"/>\n"
      "  <Arrow field=\"moment\" scale=\"{}\"/>\n"
      "</View>\n",
      text(view.camera.focus), text(view.camera.position), text(view.camera.up), view.metres_per_newton,
      view.metres_per_newton_metre);
}

}  // namespace trammel
