// One piece of a drawing, read back by VTK: the precision of its numbers.

#include "io/vtk/vtk_piece.hpp"

// Before VTK, which has a function by the name of one of Eigen's constants.
#include "drawn_scene.hpp"

#include "drawn_piece.hpp"

#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace trammel {
namespace {

using testing::fresh_folder;
using testing::read_piece;
namespace fs = std::filesystem;

TEST(VtkPiece, has_coordinates_in_double_precision_far_from_the_origin) {
  for (const double away : {0.0, 1e3, 1e6}) {
    LayerDrawing drawing;
    for (const double x : {away, away + 1 / 3.0}) drawing.points.insert(drawing.points.end(), {x, 0.2, 0});
    drawing.entity = {0, 0};
    for (std::int64_t i : {0, 1}) drawing.lines.connectivity.push_back(i);
    drawing.lines.offsets.push_back(2);
    drawing.lines.entity = {0};
    const fs::path file = fresh_folder("vtk_far") / "far.vtp";
    std::ofstream(file, std::ios::binary) << vtk_piece(drawing, {}, coordinates_for(drawing.extent()));
    const auto poly = read_piece(file);
    ASSERT_EQ(poly->GetNumberOfPoints(), 2);
    EXPECT_NEAR(poly->GetPoint(1)[0] - away, 1 / 3.0, 1e-6) << away;
    EXPECT_EQ(poly->GetPoints()->GetDataType(), away > 0 ? VTK_DOUBLE : VTK_FLOAT);
  }
}

TEST(VtkPiece, keeps_five_digits_of_fields) {
  LayerDrawing drawing;
  constexpr int count = 1000;
  LayerDrawing::Field force{3, {}};
  for (int i = 0; i < count; ++i) {
    drawing.points.insert(drawing.points.end(), {0.1 * i, 0, 0});
    drawing.entity.push_back(0);
    for (const double size : {1.0, -1.0, 1e-14}) force.values.push_back(size * std::pow(1.1, i % 60) / 3);
  }
  const std::vector<double> before = force.values;
  const double largest = std::pow(1.1, 59) / 3;
  drawing.fields["force"] = force;
  const fs::path file = fresh_folder("vtk_digits") / "digits.vtp";
  std::ofstream(file, std::ios::binary)
      << vtk_piece(drawing, {{"force", 3}}, Coordinates::in_single_precision);
  const auto poly = read_piece(file);
  vtkDataArray* values = poly->GetPointData()->GetArray("force");
  ASSERT_NE(values, nullptr);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double value = values->GetComponent(static_cast<vtkIdType>(i / 3), static_cast<int>(i % 3));
    ASSERT_LE(std::abs(value - before[i]), 7.7e-6 * std::abs(before[i]) + 4e-6 * largest) << i;
    if (i % 3 == 2) {
      ASSERT_EQ(value, 0) << "rounding beside the others";
    }
  }
}

TEST(VtkPiece, rounds_components_of_their_own_by_themselves) {
  // A shear force beside a normal force a billion times as large.
  LayerDrawing drawing;
  LayerDrawing::Field force{3, {}};
  for (int i = 0; i < 50; ++i) {
    drawing.points.insert(drawing.points.end(), {0.1 * i, 0, 0});
    drawing.entity.push_back(0);
    for (const double size : {1e9, 1.0, 1e-3}) force.values.push_back(size * (1 + i / 7.0));
  }
  drawing.fields["section force"] = force;
  const fs::path file = fresh_folder("vtk_scales") / "scales.vtp";
  std::ofstream(file, std::ios::binary)
      << vtk_piece(drawing, {{"section force", 3, "N", {"N", "Q2", "Q3"}}}, Coordinates::in_single_precision);
  const auto poly = read_piece(file);
  vtkDataArray* values = poly->GetPointData()->GetArray("section force");
  ASSERT_NE(values, nullptr);
  for (std::size_t i = 0; i < force.values.size(); ++i) {
    const double largest = force.values[force.values.size() - 3 + i % 3];
    EXPECT_NEAR(values->GetComponent(static_cast<vtkIdType>(i / 3), static_cast<int>(i % 3)), force.values[i],
                7.7e-6 * force.values[i] + 4e-6 * largest);
  }
}

TEST(VtkPiece, draws_skins_as_closed_strips_between_rings) {
  // A square tube of three rings with one cap; the outer side of each triangle is away from the axis.
  std::vector<Vec3> points;
  for (const double x : {0.0, 1.0, 3.0})
    for (const auto& [y, z] : {std::pair(1, 1), std::pair(-1, 1), std::pair(-1, -1), std::pair(1, -1)})
      points.emplace_back(x, y, z);
  constexpr std::array<int, 5> cap{4, 8, 9, 10, 11};
  VtkDrawing drawing;
  drawing.begin(7);
  draw_swept(drawing, Canvas::Layer::sections, points, 4, cap);
  drawing.finish();
  const fs::path file = fresh_folder("vtk_strips") / "strips.vtp";
  std::ofstream(file, std::ios::binary) << vtk_piece(drawing.layer(static_cast<int>(Canvas::Layer::sections)),
                                                     {}, Coordinates::in_single_precision);
  const auto poly = read_piece(file);
  ASSERT_EQ(poly->GetNumberOfStrips(), 2);
  ASSERT_EQ(poly->GetNumberOfPolys(), 1);
  ASSERT_EQ(poly->GetCellData()->GetArray("entity")->GetNumberOfTuples(), 3);
  double area = 0;
  const vtkNew<vtkIdList> ids;
  for (vtkIdType cell = 1; cell < 3; ++cell) {  // polygons come first
    poly->GetCellPoints(cell, ids);
    for (vtkIdType k = 0; k + 2 < ids->GetNumberOfIds(); ++k) {
      const auto at = [&](vtkIdType i) {
        return Vec3(Eigen::Map<const Vec3>(poly->GetPoint(ids->GetId(i))));
      };
      const Vec3 a = at(k), b = at(k + 1), c = at(k + 2);
      const Vec3 normal = (b - a).cross(c - a) * (k % 2 == 0 ? 0.5 : -0.5);
      area += normal.norm();
      const Vec3 middle = (a + b + c) / 3;
      EXPECT_GT(normal.y() * middle.y() + normal.z() * middle.z(), 0) << cell << " " << k;
    }
  }
  EXPECT_NEAR(area, 4 * 2 * 3, 1e-6);
}

// Two tubes of `rings` rings, and a triangle beside them; the field "force" has the number of the ring, and `largest` at the triangle.
LayerDrawing tubes(std::size_t rings, double largest) {
  VtkDrawing drawing;
  for (const int entity : {4, 5}) {
    std::vector<Vec3> points;
    std::vector<double> force;
    for (std::size_t i = 0; i < rings; ++i) {
      for (const auto& [y, z] : {std::pair(1, 1), std::pair(-1, 1), std::pair(-1, -1), std::pair(1, -1)})
        points.emplace_back(static_cast<double>(i), y, z + 5 * entity);
      for (int k = 0; k < 3; ++k) force.push_back(static_cast<double>(i) + 0.25 * k);
    }
    drawing.begin(entity);
    draw_swept(drawing, Canvas::Layer::sections, points, 4, std::array{4, 0, 1, 2, 3});
    draw_ring_field(drawing, 4, "force", "N", std::array<std::string_view, 3>{"N", "Q2", "Q3"}, force);
    if (entity == 5) continue;
    drawing.surface(Canvas::Layer::sections, std::span(points).first(3), std::array{3, 0, 1, 2});
    if (largest > 0) drawing.field("force", std::vector<double>(9, largest), 3);
  }
  drawing.finish();
  return drawing.layer(static_cast<int>(Canvas::Layer::sections));
}

TEST(VtkPiece, writes_one_drawing_after_the_other) {
  // The same cells again, then others, then the first ones; fields of rings alone and with a part that has one by points.
  VtkPieceWriter writer;
  const std::vector<LayerField> fields{{"force", 3, "N", {"N", "Q2", "Q3"}}, {"missing", 1}};
  const fs::path file = fresh_folder("vtk_repeated") / "repeated.vtp";
  for (const auto& [rings, largest] :
       {std::pair<std::size_t, double>(3, 0), {3, 0}, {5, 0}, {3, 7}, {2, 0}, {3, 0}}) {
    LayerDrawing drawing = tubes(rings, largest);
    EXPECT_EQ(drawing.fields.at("force").by_ring, largest == 0);
    std::ofstream(file, std::ios::binary) << writer.text(drawing, fields, Coordinates::in_single_precision);
    const auto poly = read_piece(file);
    const auto count = static_cast<vtkIdType>(rings);
    ASSERT_EQ(poly->GetNumberOfPoints(), 8 * count + 3);
    ASSERT_EQ(poly->GetNumberOfStrips(), 2 * (count - 1));
    ASSERT_EQ(poly->GetNumberOfPolys(), 3);
    vtkDataArray* force = poly->GetPointData()->GetArray("force");
    vtkDataArray* entity = poly->GetPointData()->GetArray("entity");
    ASSERT_NE(force, nullptr);
    EXPECT_STREQ(force->GetComponentName(1), "Q2");
    EXPECT_EQ(poly->GetPointData()->GetArray("missing")->GetComponent(0, 0), 0);
    for (vtkIdType i = 0; i < poly->GetNumberOfPoints(); ++i) {
      const bool triangle = i >= 4 * count && i < 4 * count + 3;
      EXPECT_EQ(entity->GetComponent(i, 0), i < 4 * count + 3 ? 4 : 5);
      for (int k = 0; k < 3; ++k)
        ASSERT_EQ(force->GetComponent(i, k), triangle ? largest : poly->GetPoint(i)[0] + 0.25 * k) << i;
    }
    const vtkNew<vtkIdList> ids;
    poly->GetCellPoints(3, ids);  // the first strip
    for (vtkIdType k = 0; k < ids->GetNumberOfIds(); ++k)
      EXPECT_EQ(poly->GetPoint(ids->GetId(k))[0], k % 2 == 0 ? 1 : 0);
  }
}

constexpr double pi = std::numbers::pi;

// Parts of two rings each, as the elements of a beam draw them: a circle of 24 corners around an arc that twists.
LayerDrawing skin_of_parts(std::size_t parts, double spacing, double twist) {
  constexpr int corners = 24;
  constexpr double radius = 0.02, bend = 1.0;
  const auto ring_point = [&](std::size_t ring, int corner) {
    const double s = static_cast<double>(ring) * spacing, angle = 2 * pi * corner / corners + twist * s;
    const Vec3 inwards(-std::sin(s / bend), std::cos(s / bend), 0);
    return Vec3(bend * Vec3(std::sin(s / bend), 1 - std::cos(s / bend), 0) +
                radius * (std::cos(angle) * inwards + std::sin(angle) * Vec3(0, 0, 1)));
  };
  VtkDrawing drawing;
  for (std::size_t part = 0; part < parts; ++part) {
    drawing.begin(3);
    std::vector<Vec3> points;
    std::vector<double> stress, force;
    for (const std::size_t ring : {part, part + 1})
      for (int k = 0; k < corners; ++k) {
        points.push_back(ring_point(ring, k));
        stress.push_back(points.back().z());
        for (int i = 0; i < 3; ++i) force.push_back(points.back()[i]);
      }
    std::vector<int> cap;
    if (part == 0 || part == parts - 1) {
      cap.push_back(corners);
      for (int k = 0; k < corners; ++k) cap.push_back((part == 0 ? 0 : corners) + k);
    }
    draw_swept(drawing, Canvas::Layer::sections, points, corners, cap);
    drawing.field("stress", stress, 1);
    drawing.field("force", force, 3);
  }
  drawing.finish();
  return drawing.layer(static_cast<int>(Canvas::Layer::sections));
}

double area_of_strips(const LayerDrawing& drawing) {
  const auto at = [&](std::size_t i) {
    return Vec3(Eigen::Map<const Vec3>(drawing.points.data() + 3 * drawing.strips.connectivity[i]));
  };
  double area = 0;
  std::size_t begin = 0;
  for (const std::int64_t end : drawing.strips.offsets) {
    for (std::size_t k = begin; k + 2 < static_cast<std::size_t>(end); ++k)
      area += 0.5 * (at(k + 1) - at(k)).cross(at(k + 2) - at(k)).norm();
    begin = static_cast<std::size_t>(end);
  }
  return area;
}

TEST(VtkPiece, leaves_out_rings_much_closer_than_the_section_is_wide) {
  constexpr std::size_t parts = 2002;
  constexpr double spacing =
      2e-4;  // a ring may be a quarter of 0.04 from the next at the outer side of the bend: 49 parts
  const LayerDrawing skin = skin_of_parts(parts, spacing, 0);
  // The first and the last part have caps and stay as they are.
  EXPECT_EQ(skin.strips.entity.size(), 2 + (parts - 2 + 48) / 49);
  EXPECT_EQ(skin.polygons.entity.size(), 2U);
  EXPECT_EQ(skin.entity.size(), 48 * skin.strips.entity.size());
  EXPECT_NEAR(area_of_strips(skin), 48 * 0.02 * std::sin(pi / 24) * static_cast<double>(parts) * spacing,
              1e-4 * 0.05);
  for (std::size_t i = 0; i < skin.point_count(); ++i) {
    ASSERT_EQ(skin.fields.at("stress").values[i], skin.points[3 * i + 2]) << i;
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_EQ(skin.fields.at("force").values[3 * i + k], skin.points[3 * i + k]) << i;
  }
}

TEST(VtkPiece, keeps_rings_between_which_the_section_turns_or_that_are_far_apart) {
  EXPECT_EQ(skin_of_parts(50, 6e-3, 0).strips.entity.size(), 50U);
  const std::size_t twisted = skin_of_parts(2002, 2e-4, 100).strips.entity.size();  // by 1.1 degrees a part
  EXPECT_EQ(twisted, 2U + 1000U);
}

TEST(VtkPiece, replaces_fields_beyond_single_precision_by_its_largest_number) {
  LayerDrawing drawing;
  drawing.points = {0, 0, 0, 1, 0, 0};
  drawing.entity = {0, 0};
  drawing.fields["force"] = {3, {1e300, 1, -1e300, std::nan(""), std::numeric_limits<double>::infinity(), 0}};
  const fs::path file = fresh_folder("vtk_beyond") / "beyond.vtp";
  std::ofstream(file, std::ios::binary)
      << vtk_piece(drawing, {{"force", 3}}, Coordinates::in_single_precision);
  const auto poly = read_piece(file);
  vtkDataArray* values = poly->GetPointData()->GetArray("force");
  ASSERT_NE(values, nullptr);
  EXPECT_GT(values->GetComponent(0, 0), 3e38);
  EXPECT_LT(values->GetComponent(0, 2), -3e38);
  EXPECT_TRUE(std::isnan(values->GetComponent(1, 0)));
  EXPECT_TRUE(std::isinf(values->GetComponent(1, 1)));
}

}  // namespace
}  // namespace trammel
