#pragma once

#include <vector>

#include "io/vtk_drawing.hpp"
#include "kernel/assembler.hpp"

namespace trammel {

/// Collects the positions of the glyphs of a model and its size, once, before anything is drawn.
class GlyphSurvey final : public Canvas, public GlyphCanvas {
 public:
  DrawingExtent extent;
  std::vector<double> places;  ///< x, y, z of each glyph [m]

  void polyline(Layer layer, std::span<const Vec3> points) override;
  void points(Layer layer, std::span<const Vec3> points) override;
  void surface(Layer layer, std::span<const Vec3> points, std::span<const int> faces) override;
  void field(std::string_view, std::span<const double>, int) override {}
  GlyphScale begin_glyph(const Vec3& at) override;
};

/// The size of glyphs: 6 % of the model's diagonal, or less if their neighbours are near, so that they hide neither
/// each other nor the bodies. The more glyphs there are, the fewer points each has; in a model with thousands of
/// joints they are lines. Does not depend on the order of `places`.
GlyphScale glyph_scale_of(const DrawingExtent& extent, const std::vector<double>& places);
/// The same of a whole model at a state, over all ranks. Collective.
GlyphScale glyph_scale_of(Assembler& assembler, const State& state);

}  // namespace trammel
