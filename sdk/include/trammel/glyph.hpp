#pragma once

#include <array>
#include <span>
#include <string_view>

#include "trammel/canvas.hpp"
#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"
#include "trammel/marker.hpp"

namespace trammel {

/// How large glyphs are drawn, and how finely.
struct GlyphScale {
  double size = 0;  ///< length of a joint's glyph [m]; 0: no glyphs
  int sides = 12;   ///< of what is round; below 3: glyphs are lines
};

/// A canvas that draws glyphs sized by the model. Ask for it by `dynamic_cast`; a canvas that is none draws glyphs of a
/// given size only.
class TRAMMEL_API GlyphCanvas {
 public:
  virtual ~GlyphCanvas() = default;
  /// The scale of a glyph that is about to be drawn at a point of the world [m].
  virtual GlyphScale begin_glyph(const Vec3& at) = 0;
};

/// The scale for a glyph at a point of the world [m]: of `size` where that is 0 or more, else as the canvas says.
TRAMMEL_API GlyphScale glyph_scale(Canvas& canvas, const Vec3& at, double size = -1);

/// A canvas that keeps the unit of a field and the names of its components. Ask for it by `dynamic_cast`.
class TRAMMEL_API FieldLabels {
 public:
  virtual ~FieldLabels() = default;
  /// Labels the field of this name that was drawn last. Without `components` these have no names.
  virtual void label(std::string_view name, std::string_view unit,
                     std::span<const std::string_view> components) = 0;
};

/// Names of the components of vectors in the world, and of section forces and moments in the axes of the section.
inline constexpr std::array<std::string_view, 3> world_axes{"X", "Y", "Z"},
    section_force_names{"N", "Q2", "Q3"}, section_moment_names{"T", "M2", "M3"};

/// Draws a field as Canvas::field does, with its unit ("N") and the names of its components ("T", "M2", "M3").
TRAMMEL_API void draw_field(Canvas& canvas, std::string_view name, std::string_view unit,
                            std::span<const std::string_view> components, std::span<const double> values);
/// The same of a scalar field.
TRAMMEL_API void draw_field(Canvas& canvas, std::string_view name, std::string_view unit,
                            std::span<const double> values);

/// The glyph of one joint on the layer of joints: simple shapes of few points. Lengths and places are multiples of the
/// glyph's size; places are in the axes of the frame that is given, from its origin.
///
///     static void draw_glyph(const Glyph& glyph) {           // a hinge about e3
///       glyph.tube(glyph.A, {0, 0, -0.25}, {0, 0, 0.25}, 0.2);
///       glyph.rod(glyph.B, {0, 0, -0.5}, {0, 0, 0.5}, 0.1);
///     }
class TRAMMEL_API Glyph {
 public:
  /// `size` [m]; below 0: as the canvas says. The glyph is drawn at the origin of B.
  Glyph(Canvas& canvas, const MarkerMotion& A, const MarkerMotion& B, double size = -1);

  const MarkerMotion &A, &B;
  /// False where no glyph is to be drawn. The shapes then draw nothing.
  bool shown() const { return scale_.size > 0; }
  double size() const { return scale_.size; }  ///< [m]
  Canvas& canvas() const { return canvas_; }

  void line(const MarkerMotion& frame, std::span<const Vec3> points) const;
  /// A round bar with flat ends.
  void rod(const MarkerMotion& frame, const Vec3& from, const Vec3& to, double radius) const;
  /// The same, hollow: what runs through it stays in view.
  void tube(const MarkerMotion& frame, const Vec3& from, const Vec3& to, double radius) const;
  /// With edges along the axes of the frame.
  void box(const MarkerMotion& frame, const Vec3& centre, const Vec3& edges) const;
  /// The edges of a cube as lines: what is inside stays in view. Not drawn where glyphs are lines.
  void cage(const MarkerMotion& frame, const Vec3& centre, double edge) const;
  /// A rectangle with half edges u and v.
  void plate(const MarkerMotion& frame, const Vec3& centre, const Vec3& u, const Vec3& v) const;
  void ball(const MarkerMotion& frame, const Vec3& centre, double radius) const;
  /// Half a hollow ball, open towards `opening` (of length 1).
  void cup(const MarkerMotion& frame, const Vec3& centre, const Vec3& opening, double radius) const;
  /// A circle, or a part of it: `turns` from u towards v (of length 1, perpendicular), with a rise along u x v.
  void arc(const MarkerMotion& frame, const Vec3& centre, const Vec3& u, const Vec3& v, double radius,
           double turns = 1, double rise = 0) const;

  /// The glyph of any joint, by the motions that its equations leave: translations as a rail, a plate or three arrows, rotations as a
  /// pin, a cross or a ball, coupled ones as a thread or a pin beside B, none as a box in a cage. Columns of `equations`: derivatives by p_AB_A, by
  /// the rotation in the axes of B, and by coordinates of the joint, which may take any value.
  void free_motions(const Eigen::Ref<const Eigen::MatrixXd>& equations) const;

 private:
  Vec3 place(const MarkerMotion& frame, const Vec3& p) const {
    return frame.p_WM + frame.R_WM * (size() * p);
  }
  bool plain() const { return scale_.sides < 3; }

  Canvas& canvas_;
  GlyphScale scale_;
};

}  // namespace trammel
