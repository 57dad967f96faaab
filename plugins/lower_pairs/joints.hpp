#pragma once

#include <array>
#include <numbers>

#include "lower_pair.hpp"

namespace trammel::lower_pairs {

/// Draws along the axis of A through B: the pin of a hinge, or a guide.
inline void draw_pin(Canvas& canvas, const MarkerMotion& A, const MarkerMotion& B, double length,
                     double radius) {
  const Vec3 half = 0.5 * length * A.R_WM.col(2);
  canvas.cylinder(Canvas::Layer::joints, B.p_WM - half, B.p_WM + half, radius);
}

/// p_WB = p_WA, and R_AB = 1: nothing moves.
class Fixed : public LowerPair<Fixed, SameRotation, Slides{}> {
 public:
  static void draw_body(Canvas& canvas, const MarkerMotion& A, const MarkerMotion& B, double size) {
    canvas.box(Canvas::Layer::joints, A.R_WM, B.p_WM, Vec3::Constant(0.4 * size));
  }
};

/// p_WB = p_WA, one axis common (eqs. 26).
template <bool with_angle>
class Revolute : public LowerPair<Revolute<with_angle>, AboutAxis<with_angle>, Slides{}> {
 public:
  static void draw_body(Canvas& canvas, const MarkerMotion& A, const MarkerMotion& B, double size) {
    draw_pin(canvas, A, B, size, 0.2 * size);
  }
};

/// R_AB = 1, B moves along e3 of A (eqs. 28).
template <bool with_slide>
class Prismatic : public LowerPair<Prismatic<with_slide>, SameRotation, Slides{2, 1, with_slide}> {
 public:
  /// A square bar on A, a block on it.
  static void draw_body(Canvas& canvas, const MarkerMotion& A, const MarkerMotion& B, double size) {
    const double slide = A.R_WM.col(2).dot(B.p_WM - A.p_WM);
    const double length = size + std::abs(slide);
    canvas.box(Canvas::Layer::joints, A.R_WM, A.p_WM + 0.5 * slide * A.R_WM.col(2),
               Vec3(0.2 * size, 0.2 * size, length));
    canvas.box(Canvas::Layer::joints, B.R_WM, B.p_WM, Vec3(0.4 * size, 0.4 * size, 0.6 * size));
  }
};

/// Draws a round bar on A and a sleeve of B on it.
inline void draw_sleeve(Canvas& canvas, const MarkerMotion& A, const MarkerMotion& B, double size) {
  const Vec3 e3 = A.R_WM.col(2), half = 0.5 * size * e3;
  const double slide = e3.dot(B.p_WM - A.p_WM);
  canvas.cylinder(Canvas::Layer::joints, A.p_WM - half + std::min(slide, 0.0) * e3,
                  A.p_WM + half + std::max(slide, 0.0) * e3, 0.12 * size);
  draw_pin(canvas, A, B, 0.6 * size, 0.2 * size);
}

/// One axis common; B turns about it and moves along it (section 3.3).
template <bool with_coordinates>
class Cylindrical : public LowerPair<Cylindrical<with_coordinates>, AboutAxis<with_coordinates>,
                                     Slides{2, 1, with_coordinates}> {
 public:
  static void draw_body(Canvas& canvas, const MarkerMotion& A, const MarkerMotion& B, double size) {
    draw_sleeve(canvas, A, B, size);
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
  static void draw_body(Canvas& canvas, const MarkerMotion& A, const MarkerMotion& B, double size) {
    draw_sleeve(canvas, A, B, size);
    // One turn of the thread on the sleeve.
    std::array<Vec3, 25> thread;
    for (std::size_t i = 0; i < thread.size(); ++i) {
      const double part = static_cast<double>(i) / 24, angle = 2 * std::numbers::pi * part;
      thread[i] =
          B.p_WM + B.R_WM * (size * Vec3(0.2 * std::cos(angle), 0.2 * std::sin(angle), 0.5 * part - 0.25));
    }
    canvas.polyline(Canvas::Layer::joints, thread);
  }
};

/// B moves in the plane of e1 and e2 of A and turns about e3 (eqs. 31).
template <bool with_coordinates>
class Planar : public LowerPair<Planar<with_coordinates>, AboutAxis<with_coordinates>,
                                Slides{0, 2, with_coordinates}> {
 public:
  /// The plane below a foot.
  static void draw_body(Canvas& canvas, const MarkerMotion& A, const MarkerMotion& B, double size) {
    canvas.box(Canvas::Layer::joints, A.R_WM, B.p_WM - 0.05 * size * A.R_WM.col(2),
               Vec3(size, size, 0.02 * size));
    canvas.cylinder(Canvas::Layer::joints, B.p_WM - 0.04 * size * A.R_WM.col(2),
                    B.p_WM + 0.2 * size * A.R_WM.col(2), 0.15 * size);
  }
};

}  // namespace trammel::lower_pairs
