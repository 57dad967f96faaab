#pragma once

#include <vector>

#include "io/drawing/vtk_drawing.hpp"
#include "kernel/assembler.hpp"

namespace trammel {

/// Collects the positions of the glyphs of a model, its size, and the sections of its beams, once, before anything is drawn.
class GlyphSurvey final : public Canvas, public GlyphCanvas, public SweptCanvas {
 public:
  DrawingExtent extent;
  std::vector<double> places;  ///< x, y, z of each glyph [m]
  struct Ring {
    Vec3 centre;
    double radius;  ///< largest distance of a corner [m]
  };
  std::vector<Ring> rings;  ///< of all sections

  void polyline(Layer layer, std::span<const Vec3> points) override;
  void points(Layer layer, std::span<const Vec3> points) override;
  void surface(Layer layer, std::span<const Vec3> points, std::span<const int> faces) override;
  void field(std::string_view, std::span<const double>, int) override {}
  void swept(Layer layer, std::span<const Vec3> points, int corners, std::span<const int> caps) override;
  void ring_field(std::string_view, std::span<const double>, int) override {}
  GlyphScale begin_glyph(const Vec3& at) override;
};

/// By place: the radius of the thickest section that the place lies in; 0 where it lies in none.
std::vector<double> radii_at(const std::vector<double>& places, std::vector<GlyphSurvey::Ring> rings);

/// The size of glyphs: 6 % of the model's diagonal, or less if their neighbours are near, so that they hide neither
/// each other nor the bodies. Where most of those on beams would be hidden in the sections they are larger: `radii` as of radii_at. The
/// more glyphs there are, the fewer points each has; in a model with thousands of joints they are lines. Does not depend on the order
/// of `places`.
GlyphScale glyph_scale_of(const DrawingExtent& extent, const std::vector<double>& places,
                          std::vector<double> radii);
/// A model at a state: the scale of its glyphs, and the extent of all that it draws without them.
struct ModelSurvey {
  GlyphScale glyphs;
  DrawingExtent extent;
};
/// Of the whole model, the same on all ranks. Collective.
ModelSurvey survey_of(Assembler& assembler, const State& state);

}  // namespace trammel
