#include "trammel/canvas.hpp"

#include <cmath>
#include <numbers>

namespace trammel {

void Canvas::box(Layer layer, const Mat3& R_WB, const Vec3& p_WB, const Vec3& size) {
  std::vector<Vec3> corners;
  corners.reserve(8);
  for (int i = 0; i < 8; ++i) {
    const Vec3 sign((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.5 : -0.5);
    corners.push_back(p_WB + R_WB * sign.cwiseProduct(size));
  }
  static constexpr int faces[] = {4, 0, 2, 3, 1, 4, 4, 5, 7, 6, 4, 0, 1, 5, 4,
                                  4, 2, 6, 7, 3, 4, 0, 4, 6, 2, 4, 1, 3, 7, 5};
  surface(layer, corners, faces);
}

void Canvas::cylinder(Layer layer, const Vec3& from, const Vec3& to, double radius, int sides) {
  const Vec3 axis = to - from;
  const double length = axis.norm();
  if (!(length > 0)) return;
  const Vec3 e3 = axis / length;
  const Vec3 e1 = e3.unitOrthogonal();
  const Vec3 e2 = e3.cross(e1);
  std::vector<Vec3> points;
  std::vector<int> faces;
  points.reserve(static_cast<std::size_t>(2 * sides));
  for (const Vec3& centre : {from, to})
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * std::numbers::pi * i / sides;
      points.push_back(centre + radius * (std::cos(angle) * e1 + std::sin(angle) * e2));
    }
  for (int i = 0; i < sides; ++i) {
    const int j = (i + 1) % sides;
    faces.insert(faces.end(), {4, i, j, sides + j, sides + i});
  }
  faces.push_back(sides);
  for (int i = sides; i-- > 0;) faces.push_back(i);
  faces.push_back(sides);
  for (int i = 0; i < sides; ++i) faces.push_back(sides + i);
  surface(layer, points, faces);
}

void Canvas::sphere(Layer layer, const Vec3& centre, double radius, int rings) {
  const int sides = 2 * rings;
  std::vector<Vec3> points{centre + Vec3(0, 0, radius)};
  for (int i = 1; i < rings; ++i) {
    const double polar = std::numbers::pi * i / rings;
    for (int j = 0; j < sides; ++j) {
      const double azimuth = 2 * std::numbers::pi * j / sides;
      points.push_back(centre + radius * Vec3(std::sin(polar) * std::cos(azimuth),
                                              std::sin(polar) * std::sin(azimuth), std::cos(polar)));
    }
  }
  points.push_back(centre - Vec3(0, 0, radius));
  const auto at = [sides](int ring, int side) { return 1 + (ring - 1) * sides + side % sides; };
  const int last = 1 + (rings - 1) * sides;
  std::vector<int> faces;
  for (int j = 0; j < sides; ++j) faces.insert(faces.end(), {3, 0, at(1, j), at(1, j + 1)});
  for (int i = 1; i + 1 < rings; ++i)
    for (int j = 0; j < sides; ++j)
      faces.insert(faces.end(), {4, at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
  for (int j = 0; j < sides; ++j)
    faces.insert(faces.end(), {3, last, at(rings - 1, j + 1), at(rings - 1, j)});
  surface(layer, points, faces);
}

}  // namespace trammel
