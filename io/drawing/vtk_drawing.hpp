#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/drawing/drawn_lines.hpp"
#include "io/drawing/ring_corners.hpp"
#include "trammel/archive.hpp"
#include "trammel/canvas.hpp"
#include "trammel/glyph.hpp"
#include "trammel/swept_canvas.hpp"

namespace trammel {

inline constexpr int canvas_layers = 6;

/// "curves", "sections", "bodies", "joints", "forces", "markers".
std::string_view layer_name(int layer);

/// The extent of a drawing, from which its view is scaled. Numbers that are not finite do not count.
struct DrawingExtent {
  std::array<double, 3> low{infinity, infinity, infinity},
      high{-infinity, -infinity, -infinity};  ///< of points [m]
  double force = 0;                           ///< largest length of a vector of the field "force" [N]
  double moment = 0;                          ///< and of "moment" [N m]
  double shear = 0;                           ///< and of the last two components of "section force" [N]
  double bending = 0;                         ///< and of "section moment" [N m]

  void add(const DrawingExtent& other);
  template <class Archive>
  void serialize(Archive& archive) {
    archive(low, high, force, moment, shear, bending);
  }
  double diagonal() const;  ///< of the box around the points [m]; 0 where there are none

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
};

/// What one rank drew on one layer: points, and cells of them by kind, ready to be handed to VTK.
struct LayerDrawing {
  /// Cells of one kind; cell i has the points connectivity[offsets[i]] up to connectivity[offsets[i + 1]].
  struct Cells {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int64_t> connectivity;
    std::vector<std::int32_t> entity;  ///< by cell

    void clear();
  };
  /// Neighbouring points with the same values of some fields.
  struct Ring {
    std::size_t first = 0, corners = 0;
  };
  struct Field {
    int components = 1;
    std::vector<double> values;        ///< by point, or by ring; points in no ring then have zeros
    std::string unit{};                ///< "" where none is given
    std::vector<std::string> names{};  ///< of the components; empty where they have none
    bool by_ring = false;
  };

  std::vector<double> points;        ///< x, y, z of each [m]
  std::vector<std::int32_t> entity;  ///< by point
  std::vector<Ring> rings;           ///< in the order of their points
  std::map<std::string, Field, std::less<>> fields;
  Cells vertices, lines, polygons, strips;

  /// The field of this name, made where there is none.
  std::pair<const std::string, Field>& field(std::string_view name);
  /// Removes everything, and keeps the memory for the next drawing.
  void clear();
  std::size_t point_count() const { return points.size() / 3; }
  /// How many numbers a field should have.
  std::size_t size_of(const Field& field) const {
    return (field.by_ring ? rings.size() : point_count()) * static_cast<std::size_t>(field.components);
  }
  bool empty() const { return points.empty(); }
  DrawingExtent extent() const;

 private:
  std::map<std::string, Field, std::less<>> unused_;  ///< fields of the drawing before, for their memory
};

/// Gives all points of a ring its numbers, `width` a ring; points in no ring, and those of rings without numbers, get zeros.
template <class Number>
void spread(const LayerDrawing& drawing, std::size_t width, const std::vector<Number>& of_rings,
            std::vector<Number>& to) {
  to.resize(drawing.point_count() * width);
  const Number* from = of_rings.data();
  Number* next = to.data();
  const std::size_t known = std::min(drawing.rings.size(), of_rings.size() / width);
  for (const LayerDrawing::Ring& ring : std::span(drawing.rings).first(known)) {
    next = std::fill_n(next, to.data() + ring.first * width - next, Number(0));
    if (width == 3)  // most are vectors
      for (std::size_t k = 0; k < ring.corners; ++k, next += 3)
        next[0] = from[0], next[1] = from[1], next[2] = from[2];
    else
      for (std::size_t k = 0; k < ring.corners; ++k) next = std::copy_n(from, width, next);
    from += width;
  }
  std::fill(next, to.data() + to.size(), Number(0));
}

/// Makes a field of rings one of points.
void spread(const LayerDrawing& drawing, LayerDrawing::Field& field);

using DrawingLayers = std::array<LayerDrawing, canvas_layers>;

/// Gathers what this rank's instances draw, layer by layer.
class VtkDrawing final : public Canvas, public GlyphCanvas, public FieldLabels, public SweptCanvas {
 public:
  /// Of all glyphs to come.
  void set_glyph_scale(const GlyphScale& scale) { glyph_scale_ = scale; }
  /// What a picture of the whole scene shows as a few pixels [m]; skins of sections have no finer details. 0: unknown.
  void set_detail(double detail) { detail_ = detail; }
  void set_visible(const VisibleDifferences& visible) { visible_ = visible; }
  /// Removes everything.
  void clear();
  /// The following calls belong to this entity.
  void begin(int entity);
  /// Fills missing fields with zeros, and adds the field `displacement` [m] to curves and bodies: of their points
  /// since the first drawing. Bodies have it if the first drawing had the same points; a curve if its instance drew as many curves then,
  /// by the field "arc length" or with the same points. A section has the displacement of the curve around which it was swept: of the
  /// instance's last curve before it, with a ring at each of its points, or at its ends. A section that is wider than the detail has
  /// displacements and velocities of its own points, by the curve's fields "t1", "t2", "t3" and "angular velocity" (`move_sections`).
  void finish();

  void polyline(Layer layer, std::span<const Vec3> points) override;
  void points(Layer layer, std::span<const Vec3> points) override;
  void surface(Layer layer, std::span<const Vec3> points, std::span<const int> faces) override;
  /// Strips of triangles, one between two rings: a third of the numbers that rectangles take. Narrow round rings have fewer
  /// corners (RingCorners); a field of one component then has the value of largest magnitude near each. A part of two rings continues the strip of the part before it where both are much shorter than their
  /// section is wide, or than the detail: the ring between them is omitted.
  void swept(Layer layer, std::span<const Vec3> points, int corners, std::span<const int> caps) override;
  /// Keeps one tuple a ring. Throws Error as `field`.
  void ring_field(std::string_view name, std::span<const double> values, int components) override;
  /// Throws Error where the number of values is not that of the part's points, or a name is taken.
  void field(std::string_view name, std::span<const double> values, int components) override;
  VisibleDifferences visible() const override { return visible_; }
  void label(std::string_view name, std::string_view unit,
             std::span<const std::string_view> components) override;
  GlyphScale begin_glyph(const Vec3&) override { return glyph_scale_; }

  /// A scalar on all points that the present entity's instance drew on a layer. Does nothing where it drew none, or drew a field
  /// of this name.
  void add_number(Layer layer, std::string_view name, std::string_view unit, double value);
  /// Whether the present entity's instance drew a field of this name on a layer.
  bool drew(Layer layer, std::string_view name) const;

  const LayerDrawing& layer(int i) const { return layers_[static_cast<std::size_t>(i)]; }
  LayerDrawing& layer(int i) { return layers_[static_cast<std::size_t>(i)]; }
  /// Where the points of an instance were in the first drawing, x, y, z of each [m].
  struct InstanceStart {
    std::int32_t entity = -1;
    std::vector<double> curves, bodies;
    std::vector<double> stations;           ///< of `curves` along their lines [m]; 0 where nobody gave them
    std::vector<double> axes;               ///< t1, t2, t3 at `curves`; empty where nobody gave them
    std::vector<std::int32_t> line_points;  ///< how many of these points each line has

    bool empty() const { return curves.empty() && bodies.empty(); }
    void serialize(Archive& archive) { archive(entity, curves, bodies, stations, axes, line_points); }
  };
  bool has_start() const { return has_start_; }
  /// By `begin` of the first drawing.
  std::vector<InstanceStart> starts() const;
  /// In place of a first drawing.
  void set_starts(const std::vector<InstanceStart>& starts);
  /// All layers; none is left here.
  DrawingLayers take_layers();
  /// The memory of layers that are not needed any more, for the next drawing.
  void reuse(DrawingLayers layers);

 private:
  /// The points of a part are those of the layer from `first` on. `given`: the points that the part has, drawn or not.
  void begin_part(LayerDrawing& drawing, std::size_t first, std::size_t given);
  LayerDrawing& add_points(Layer layer, std::span<const Vec3> points);
  bool continues_strip(const LayerDrawing& drawing, std::span<const Vec3> points, std::size_t ring) const;
  LayerDrawing::Field& field_of_last(std::string_view name);
  void forget_fields();

  DrawingLayers layers_;
  /// Points of a layer in the first drawing.
  struct Start {
    std::vector<double> points;
    std::vector<std::int32_t> entity;
  };
  void displace_bodies();
  void displace_curves();
  void note_lines(const LayerDrawing& drawing);
  /// Adds rings to a layer, which begin at its point `first`, and notes the points of curves around which they stand.
  void place_rings(LayerDrawing& drawing, std::size_t first, std::size_t corners, std::size_t count);
  /// The field of this name, to which the last part adds numbers; where it is new it is `by_ring`. `places`: of the part.
  LayerDrawing::Field& field_of_part(std::string_view name, std::span<const double> values, int components,
                                     bool by_ring, std::size_t places);

  /// Where the bodies of an instance begin in the first drawing, and whose it is.
  struct InstanceBegin {
    std::int32_t entity = -1;
    std::size_t bodies = 0;
  };

  DrawnLines lines_, lines_start_;          ///< of curves, now and in the first drawing
  std::vector<std::size_t> line_at_start_;  ///< by line now: its number in the first drawing, or unknown
  Start bodies_start_;
  std::vector<InstanceBegin> instances_at_start_;
  bool has_start_ = false;
  GlyphScale glyph_scale_;
  std::array<std::size_t, canvas_layers> begun_{};  ///< points of each layer where the entity began
  std::array<std::size_t, canvas_layers> begun_rings_{};
  int entity_ = -1;
  LayerDrawing* last_ = nullptr;   ///< where the last part lies
  std::size_t last_first_ = 0;     ///< its first point
  std::size_t last_ring_ = 0;      ///< its first ring
  std::size_t given_ = 0;          ///< points that it has
  std::vector<std::size_t> kept_;  ///< those of them that are drawn; empty: all
  std::size_t given_rings_ = 0;    ///< rings that it has
  std::size_t kept_rings_ = 0;     ///< the last ones of them, which are drawn
  RingCorners ring_corners_;
  double detail_ = 0;
  VisibleDifferences visible_;
  /// The last skin without caps: its layer, entity, corners, and the points of the layer after it.
  struct Skin {
    const LayerDrawing* layer = nullptr;
    int entity = -1;
    std::size_t corners = 0, end = 0;
  } skin_;
  /// The last curve of the present instance: its first point, and how many it has.
  struct {
    std::size_t first = 0, count = 0;
  } axis_;
  std::vector<std::size_t> ring_centres_;  ///< by ring of the layer of sections: point of the layer of curves
  using NamedField = std::pair<const std::string, LayerDrawing::Field>;
  NamedField* last_field_ = nullptr;  ///< of the last part
  /// The fields of each layer in the order in which a part drew them. Most parts draw the same ones in the same
  /// order, so that none is looked up by its name.
  std::array<std::vector<NamedField*>, canvas_layers> in_order_;
  std::size_t next_field_ = 0;  ///< in this order, of the last part
};

}  // namespace trammel
