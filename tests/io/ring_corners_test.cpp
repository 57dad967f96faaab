// What is drawn of skins that are narrow, or cut into short parts.

#include "io/drawing/ring_corners.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "io/drawing/vtk_drawing.hpp"
#include "trammel/error.hpp"
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

TEST(RingCorners, are_a_third_where_the_ring_is_narrow) {
  const std::vector<Vec3> points = bent(2, 24, 0.2);
  std::vector<int> cap{24};
  for (int k = 0; k < 24; ++k) cap.push_back(24 + k);
  RingCorners chosen;
  chosen.choose(points, 24, cap, 0.9 * 2 * radius);
  EXPECT_TRUE(chosen.all());
  chosen.choose(points, 24, cap, 1.1 * 2 * radius);
  EXPECT_EQ(chosen.of_ring(), 8U);
  EXPECT_EQ(chosen.kept()[1], 3U);
  EXPECT_EQ(chosen.kept()[8], 24U);
  std::vector<int> expected{8};
  for (int k = 0; k < 8; ++k) expected.push_back(8 + k);
  EXPECT_EQ(chosen.caps(), expected);
  chosen.choose(bent(2, 32, 0.2), 32, {}, 1);
  EXPECT_EQ(chosen.of_ring(), 16U);
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
  EXPECT_EQ(drawn.point_count(), 5U * 8U);
  EXPECT_EQ(drawn.fields.at("place").values, drawn.points);
  EXPECT_EQ(drawn.strips.entity.size(), 4U);
}

TEST(RingCorners, keep_the_extreme_stress_of_bending_about_any_axis) {
  const std::vector<Vec3> points = bent(2, 24, 0);
  for (int degrees = 0; degrees < 360; degrees += 5) {
    const double axis = degrees * pi / 180;
    std::vector<double> stress;
    for (const Vec3& p : points) stress.push_back((std::cos(axis) * p.y() + std::sin(axis) * p.z()) / radius);
    VtkDrawing drawing;
    drawing.set_detail(1);
    drawing.begin(3);
    draw_swept(drawing, Canvas::Layer::sections, points, 24, {});
    drawing.field("axial stress", stress, 1);
    drawing.finish();
    const std::vector<double>& drawn =
        drawing.layer(static_cast<int>(Canvas::Layer::sections)).fields.at("axial stress").values;
    ASSERT_EQ(drawn.size(), 2U * 8U);
    for (const auto& all : {stress, drawn}) {
      EXPECT_GT(*std::ranges::max_element(all), std::cos(pi / 24) - 1e-12) << degrees;
      EXPECT_LT(*std::ranges::min_element(all), -std::cos(pi / 24) + 1e-12) << degrees;
    }
    for (std::size_t i = 0; i < drawn.size(); ++i)
      ASSERT_NEAR(drawn[i], stress[3 * i], 2 * std::sin(pi / 24)) << "of a neighbour at most";
  }
}

TEST(VtkDrawing, keeps_fields_of_rings_until_a_part_has_one_of_points) {
  const std::vector<Vec3> points = bent(3, 4, 0);
  VtkDrawing drawing;
  const auto sweep = [&] {
    draw_swept(drawing, Canvas::Layer::sections, points, 4, std::array{4, 0, 1, 2, 3});
  };
  const std::vector<double> of_rings{1, 2, 3};
  drawing.begin(1);
  sweep();
  draw_ring_field(drawing, 4, "force", "N", {}, of_rings);
  LayerDrawing& layer = drawing.layer(static_cast<int>(Canvas::Layer::sections));
  EXPECT_TRUE(layer.fields.at("force").by_ring);
  EXPECT_EQ(layer.fields.at("force").values, of_rings);
  EXPECT_EQ(layer.fields.at("force").unit, "N");
  drawing.begin(2);
  const std::vector<double> of_points{5, 6, 7};
  drawing.surface(Canvas::Layer::sections, std::span(points).first(3), {});
  drawing.field("force", of_points, 1);
  drawing.begin(3);
  sweep();
  draw_ring_field(drawing, 4, "force", "N", {}, of_rings);
  drawing.finish();
  EXPECT_EQ(layer.fields.at("force").values, (std::vector<double>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 5, 6,
                                                                  7, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
  EXPECT_THROW(draw_ring_field(drawing, 4, "moment", "N m", {}, std::vector<double>{1, 2}), Error);
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

TEST(RingCorners, must_be_whole_rings) {
  VtkDrawing drawing;
  const std::vector<Vec3> points(9, Vec3::Zero());
  for (const int corners : {0, -3, 1, 4})
    EXPECT_THROW(draw_swept(drawing, Canvas::Layer::sections, points, corners, {}), Error) << corners;
}

}  // namespace
}  // namespace trammel
