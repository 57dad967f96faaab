// What is drawn of skins that are narrow, or cut into short parts.

#include "io/ring_corners.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "io/vtk_drawing.hpp"
#include "trammel/swept_canvas.hpp"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double radius = 0.05;

/// Rings around an arc of the given angle, a metre long: `corners` points each, the first outside of the bend.
std::vector<Vec3> bent(std::size_t rings, std::size_t corners, double angle) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < rings; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(rings - 1), phi = angle * s;
    const Vec3 middle = angle > 0 ? Vec3(Vec3(std::sin(phi), 1 - std::cos(phi), 0) / angle) : Vec3(s, 0, 0);
    const Vec3 outside(std::sin(phi), -std::cos(phi), 0);
    for (std::size_t k = 0; k < corners; ++k) {
      const double at = 2 * pi * static_cast<double>(k) / static_cast<double>(corners);
      points.emplace_back(middle + radius * (std::cos(at) * outside + std::sin(at) * Vec3(0, 0, 1)));
    }
  }
  return points;
}

TEST(RingCorners, are_half_where_the_ring_is_narrow) {
  const std::vector<Vec3> points = bent(2, 24, 0.2);
  std::vector<int> cap{24};
  for (int k = 0; k < 24; ++k) cap.push_back(24 + k);
  RingCorners chosen;
  chosen.choose(points, 24, cap, 0.9 * 2 * radius);
  EXPECT_TRUE(chosen.all());
  chosen.choose(points, 24, cap, 1.1 * 2 * radius);
  EXPECT_EQ(chosen.of_ring(), 12U);
  EXPECT_EQ(chosen.kept()[1], 2U);
  EXPECT_EQ(chosen.kept()[12], 24U);
  std::vector<int> expected{12};
  for (int k = 0; k < 12; ++k) expected.push_back(12 + k);
  EXPECT_EQ(chosen.caps(), expected);
  // Few corners are those of a shape.
  chosen.choose(bent(2, 12, 0.2), 12, {}, 1);
  EXPECT_TRUE(chosen.all());
}

TEST(RingCorners, keep_their_values) {
  VtkDrawing drawing;
  drawing.set_detail(1);
  drawing.begin(3);
  const std::vector<Vec3> points = bent(5, 24, 0.001);
  std::vector<double> place;
  for (const Vec3& p : points) place.insert(place.end(), p.data(), p.data() + 3);
  draw_swept(drawing, Canvas::Layer::sections, points, 24, {});
  drawing.field("place", place, 3);
  drawing.finish();
  const LayerDrawing& drawn = drawing.layer(static_cast<int>(Canvas::Layer::sections));
  EXPECT_EQ(drawn.point_count(), 5U * 12U);
  EXPECT_EQ(drawn.fields.at("place").values, drawn.points);
  EXPECT_EQ(drawn.strips.entity.size(), 4U);
}

TEST(VtkDrawing, joins_parts_of_a_skin_that_are_shorter_than_the_detail) {
  const auto strips = [](double detail) {
    VtkDrawing drawing;
    drawing.set_detail(detail);
    const std::vector<Vec3> points = bent(101, 4, 0);
    for (std::size_t part = 0; part < 100; ++part) {
      drawing.begin(3);
      draw_swept(drawing, Canvas::Layer::sections, std::span(points).subspan(4 * part, 8), 4, {});
    }
    return drawing.layer(static_cast<int>(Canvas::Layer::sections)).strips.entity.size();
  };
  // Parts of 0.01 m; a quarter of the width is 0.025 m.
  EXPECT_EQ(strips(0), 50U);
  EXPECT_EQ(strips(0.1001), 10U);
}

}  // namespace
}  // namespace trammel
