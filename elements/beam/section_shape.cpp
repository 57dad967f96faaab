#include "section_shape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel::beam {

namespace {

constexpr double pi = std::numbers::pi;

double rectangle_shear_factor(double nu) { return 10 * (1 + nu) / (12 + 11 * nu); }

/// a b^3 / 3 (1 - 192/pi^5 b/a sum tanh(n pi a / 2b) / n^5), n odd, a the longer side.
double rectangle_torsion(double side, double other) {
  const double a = std::max(side, other);
  const double b = std::min(side, other);
  double sum = 0;
  for (int n = 199; n > 0; n -= 2) sum += std::tanh(n * pi * a / (2 * b)) / std::pow(n, 5);
  return a * b * b * b / 3 * (1 - 192 / std::pow(pi, 5) * b / a * sum);
}

Outline round_outline(double radius) {
  constexpr int sides = 24;
  std::vector<Eigen::Vector2d> points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * pi * i / sides;
    points.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  return Outline(std::move(points));
}

}  // namespace

ShapeConstants rectangle(double width, double height, double nu) {
  ShapeConstants s;
  s.area = width * height;
  s.I2 = width * height * height * height / 12;
  s.I3 = height * width * width * width / 12;
  s.torsion = rectangle_torsion(width, height);
  s.k2 = s.k3 = rectangle_shear_factor(nu);
  const double x = width / 2;
  const double y = height / 2;
  s.outline = Outline({{-x, -y}, {x, -y}, {x, y}, {-x, y}});
  return s;
}

ShapeConstants circle(double radius, double nu) {
  ShapeConstants s;
  const double square = radius * radius;
  s.area = pi * square;
  s.I2 = s.I3 = pi * square * square / 4;
  s.torsion = pi * square * square / 2;
  s.k2 = s.k3 = 6 * (1 + nu) / (7 + 6 * nu);
  s.outline = round_outline(radius);
  return s;
}

ShapeConstants tube(double radius, double wall, double nu) {
  ShapeConstants s;
  const double inner = radius - wall;
  const double quartic = std::pow(radius, 4) - std::pow(inner, 4);
  s.area = pi * (radius * radius - inner * inner);
  s.I2 = s.I3 = pi * quartic / 4;
  s.torsion = pi * quartic / 2;
  const double m = inner / radius;
  const double q = (1 + m * m) * (1 + m * m);
  s.k2 = s.k3 = 6 * (1 + nu) * q / ((7 + 6 * nu) * q + (20 + 12 * nu) * m * m);
  s.outline = round_outline(radius);
  return s;
}

ShapeConstants i_section(double width, double height, double flange, double web, double nu) {
  ShapeConstants s;
  const double clear = height - 2 * flange;
  const double between = height - flange;  // of the middle lines of the flanges
  s.area = 2 * width * flange + clear * web;
  s.I2 = (width * std::pow(height, 3) - (width - web) * std::pow(clear, 3)) / 12;
  s.I3 = (2 * flange * std::pow(width, 3) + clear * std::pow(web, 3)) / 12;

  const double ratio = web / flange;
  const double alpha = -0.042 + 0.2204 * ratio - 0.0725 * ratio * ratio;
  const double inscribed = flange + web * web / (4 * flange);
  s.torsion = 2.0 / 3.0 * width * std::pow(flange, 3) + clear * std::pow(web, 3) / 3 +
              2 * alpha * std::pow(inscribed, 4) - 0.42 * std::pow(flange, 4);

  const double m = 2 * width * flange / (between * web);
  const double n = width / between;
  const double top = 10 * (1 + nu) * (1 + 3 * m) * (1 + 3 * m);
  const double bottom = 12 + 72 * m + 150 * m * m + 90 * m * m * m +
                        nu * (11 + 66 * m + 135 * m * m + 90 * m * m * m) + 30 * n * n * (m + m * m) +
                        5 * nu * n * n * (8 * m + 9 * m * m);
  s.k3 = top / bottom;
  s.k2 = rectangle_shear_factor(nu) * 2 * width * flange / s.area;

  const double x = width / 2;
  const double y = height / 2;
  const double w = web / 2;
  const double f = clear / 2;
  s.outline.points = {{-x, -y}, {x, -y}, {x, -f}, {w, -f}, {w, f},   {x, f},
                      {x, y},   {-x, y}, {-x, f}, {-w, f}, {-w, -f}, {-x, -f}};
  s.outline.caps = {{0, 1, 2, 11}, {3, 4, 9, 10}, {5, 6, 7, 8}};
  return s;
}

Section make_section(const ShapeConstants& shape, const Material& material) {
  Section section;
  section.stiffness = diagonal_stiffness(
      material.E * shape.area, material.G * shape.area * Eigen::Vector2d(shape.k2, shape.k3),
      material.G * shape.torsion, material.E * Eigen::Vector2d(shape.I2, shape.I3));
  section.mass.density = material.rho * shape.area;
  section.mass.inertia = material.rho * Vec3(shape.I2 + shape.I3, shape.I2, shape.I3).asDiagonal();
  section.outline = shape.outline;
  section.outline.area = shape.area;
  section.outline.I2 = shape.I2;
  section.outline.I3 = shape.I3;
  return section;
}

}  // namespace trammel::beam
