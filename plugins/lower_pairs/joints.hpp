#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "lower_pair.hpp"
#include "trammel/glyph.hpp"

namespace trammel::lower_pairs {

/// How far B has moved along e3 of A, in multiples of the glyph's size.
inline double drawn_slide(const Glyph& glyph) {
  return glyph.A.R_WM.col(2).dot(glyph.B.p_WM - glyph.A.p_WM) / glyph.size();
}

/// Draws a line on each side that shows by how much it has turned about e3.
inline void draw_hands(const Glyph& glyph, double height) {
  const std::array<Vec3, 2> of_A{Vec3(0.2, 0, height), Vec3(0.45, 0, height)},
      of_B{Vec3(0, 0, height), Vec3(0.35, 0, height)};
  glyph.line(glyph.A, of_A);
  glyph.line(glyph.B, of_B);
}

/// Draws a round bar of A from A to B, and a sleeve of B on it.
inline void draw_sleeve(const Glyph& glyph) {
  const double slide = drawn_slide(glyph);
  glyph.rod(glyph.A, {0, 0, -0.6 + std::min(slide, 0.0)}, {0, 0, 0.6 + std::max(slide, 0.0)}, 0.1);
  glyph.tube(glyph.B, {0, 0, -0.3}, {0, 0, 0.3}, 0.2);
}

/// p_WB = p_WA, and R_AB = 1: nothing moves.
class Fixed : public LowerPair<Fixed, SameRotation, Slides{}> {
 public:
  /// A block, and pins through its corners, which reach out of a beam whose section hides the block.
  static void draw_glyph(const Glyph& glyph) {
    glyph.box(glyph.A, Vec3::Zero(), Vec3::Constant(0.35));
    constexpr int fewest_sides = 3;  // thousands of glyphs are lines: the block alone
    if (!glyph.shown() || glyph_scale(glyph.canvas(), glyph.A.p_WM).sides < fewest_sides) return;
    constexpr double reach = 0.4;
    for (const double x : {-reach, reach})
      for (const double y : {-reach, reach}) {
        const std::array<Vec3, 2> pin{Vec3(x, y, reach), Vec3(-x, -y, -reach)};
        glyph.line(glyph.A, pin);
      }
  }
};

/// p_WB = p_WA, one axis common (eqs. 26).
template <bool with_angle>
class Revolute : public LowerPair<Revolute<with_angle>, AboutAxis<with_angle>, Slides{}> {
 public:
  /// A pin of B in an eye of A.
  static void draw_glyph(const Glyph& glyph) {
    glyph.tube(glyph.A, {0, 0, -0.2}, {0, 0, 0.2}, 0.2);
    glyph.rod(glyph.B, {0, 0, -0.5}, {0, 0, 0.5}, 0.1);
    draw_hands(glyph, 0.5);
  }
};

/// R_AB = 1, B moves along e3 of A (eqs. 28).
template <bool with_slide>
class Prismatic : public LowerPair<Prismatic<with_slide>, SameRotation, Slides{2, 1, with_slide}> {
 public:
  /// A square rail of A, a hollow carriage of B on it.
  static void draw_glyph(const Glyph& glyph) {
    const double slide = drawn_slide(glyph);
    glyph.box(glyph.A, {0, 0, 0.5 * slide}, {0.14, 0.14, 1.2 + std::abs(slide)});
    constexpr double half = 0.15;
    for (const double side : {-half, half}) {
      glyph.plate(glyph.B, {side, 0, 0}, {0, half, 0}, {0, 0, 0.3});
      glyph.plate(glyph.B, {0, side, 0}, {half, 0, 0}, {0, 0, 0.3});
    }
  }
};

/// One axis common; B turns about it and moves along it (section 3.3).
template <bool with_coordinates>
class Cylindrical : public LowerPair<Cylindrical<with_coordinates>, AboutAxis<with_coordinates>,
                                     Slides{2, 1, with_coordinates}> {
 public:
  static void draw_glyph(const Glyph& glyph) {
    draw_sleeve(glyph);
    const std::array<Vec3, 2> hand{Vec3(0.2, 0, 0.3), Vec3(0.4, 0, 0.3)};
    glyph.line(glyph.B, hand);
  }
};

/// A cylindrical joint with slide = pitch angle / 2 pi (eq. 30).
class Screw : public LowerPair<Screw, AboutAxis<true>, Slides{2, 1, true, true}> {
 public:
  using LowerPair::LowerPair;

  void report_multipliers(const LocalState& x, OutputSink& sink) const {
    report_multiplier_groups(x, sink);
    sink.scalar("thread_force", "N", -x.value(multiplier_block(2))[0]);
  }
  /// A thread on the bar of A, a nut of B.
  static void draw_glyph(const Glyph& glyph) {
    draw_sleeve(glyph);
    glyph.arc(glyph.A, {0, 0, -0.6}, Vec3::UnitX(), Vec3::UnitY(), 0.14, 4, 1.2);
  }
};

/// B moves in the plane of e1 and e2 of A and turns about e3 (eqs. 31).
template <bool with_coordinates>
class Planar : public LowerPair<Planar<with_coordinates>, AboutAxis<with_coordinates>,
                                Slides{0, 2, with_coordinates}> {
 public:
  /// A plate of A below B, and a foot of B on it.
  static void draw_glyph(const Glyph& glyph) {
    const Vec3 to_B = glyph.A.R_WM.transpose() * (glyph.B.p_WM - glyph.A.p_WM) / glyph.size();
    glyph.plate(glyph.A, to_B, {0.6, 0, 0}, {0, 0.6, 0});
    glyph.tube(glyph.B, {0, 0, 0}, {0, 0, 0.15}, 0.2);
    draw_hands(glyph, 0.15);
  }
};

}  // namespace trammel::lower_pairs
