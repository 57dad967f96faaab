#pragma once

#include <array>
#include <span>
#include <vector>

#include "trammel/canvas.hpp"
#include "trammel/linear_algebra.hpp"
#include "trammel/marker.hpp"

namespace trammel {

/// Draws what an author gives in the axes of marker A: `Vec3 surface(double u, double v) const` over the unit square, or
/// `Vec3 curve(double s) const` over [0, 1]. False where the formula gives neither.
template <class Formula>
bool draw_formula(const Formula& formula, const Mat3& R_WA, const Vec3& p_WA, Canvas& canvas,
                  Canvas::Layer layer = Canvas::Layer::joints) {
  constexpr int steps = 24;
  const auto placed = [&](const Vec3& p) -> Vec3 { return p_WA + R_WA * p; };
  if constexpr (requires { formula.surface(0.0, 0.0); }) {
    std::vector<Vec3> points;
    std::vector<int> faces;
    for (int i = 0; i <= steps; ++i)
      for (int j = 0; j <= steps; ++j)
        points.push_back(
            placed(formula.surface(static_cast<double>(i) / steps, static_cast<double>(j) / steps)));
    for (int i = 0; i < steps; ++i)
      for (int j = 0; j < steps; ++j) {
        const int first = i * (steps + 1) + j, next = first + steps + 1;
        faces.insert(faces.end(), {4, first, first + 1, next + 1, next});
      }
    canvas.surface(layer, points, faces);
    return true;
  } else if constexpr (requires { formula.curve(0.0); }) {
    std::vector<Vec3> points;
    for (int i = 0; i <= 4 * steps; ++i)
      points.push_back(placed(formula.curve(static_cast<double>(i) / (4 * steps))));
    canvas.polyline(layer, points);
    return true;
  } else {
    return false;
  }
}

/// The same of a formula of several markers, A first; one that gives neither is drawn as lines from marker to marker.
template <class Formula>
void draw_formula(const Formula& formula, std::span<const MarkerMotion> markers, Canvas& canvas) {
  const MarkerMotion& A = markers.front();
  if (draw_formula(formula, A.R_WM, A.p_WM, canvas, Canvas::Layer::curves)) return;
  std::vector<Vec3> points;
  for (const MarkerMotion& marker : markers) points.push_back(marker.p_WM);
  canvas.polyline(Canvas::Layer::curves, points);
}

}  // namespace trammel
