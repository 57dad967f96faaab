// One piece of a drawing, read back by VTK: the precision of its numbers.

#include "io/vtk_piece.hpp"

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
    ASSERT_LE(std::abs(value - before[i]), 7.7e-6 * std::abs(before[i]) + 6e-8 * largest) << i;
    if (i % 3 == 2) {
      ASSERT_EQ(value, 0) << "rounding beside the others";
    }
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
