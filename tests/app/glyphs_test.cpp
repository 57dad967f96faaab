// The glyphs of joints in the files for ParaView.

#include <gtest/gtest.h>
#include <vtkDataArray.h>
#include <vtkInformation.h>
#include <vtkInformationStringKey.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkXMLPolyDataReader.h>

#include <cmath>
#include <map>
#include <sstream>

#include "command.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {
namespace {

namespace fs = std::filesystem;

vtkSmartPointer<vtkPolyData> read(const fs::path& file) {
  const vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  return reader->GetOutput();
}

/// The points of each thing on a layer, the thing by its name.
std::map<std::string, std::vector<Vec3>> by_name(vtkPolyData& poly, const std::string& entities) {
  std::map<int, std::string> names;
  std::istringstream lines(entities);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const auto first = line.find(','), second = line.find(',', first + 1);
    names[std::stoi(line)] = line.substr(first + 1, second - first - 1);
  }
  std::map<std::string, std::vector<Vec3>> found;
  vtkDataArray* of = poly.GetPointData()->GetArray("entity");
  for (vtkIdType i = 0; i < poly.GetNumberOfPoints(); ++i)
    found[names[static_cast<int>(of->GetTuple1(i))]].push_back(Eigen::Map<const Vec3>(poly.GetPoint(i)));
  return found;
}

double extent(const std::vector<Vec3>& points) {
  Vec3 low = points.front(), high = low;
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return (high - low).norm();
}

void expect_finite(vtkPolyData& poly) {
  for (vtkIdType i = 0; i < poly.GetNumberOfPoints(); ++i)
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(std::isfinite(poly.GetPoint(i)[k]));
  for (int a = 0; a < poly.GetPointData()->GetNumberOfArrays(); ++a) {
    vtkDataArray* array = poly.GetPointData()->GetArray(a);
    if (array == nullptr) continue;
    for (vtkIdType i = 0; i < array->GetNumberOfTuples(); ++i)
      for (int k = 0; k < array->GetNumberOfComponents(); ++k)
        ASSERT_TRUE(std::isfinite(array->GetComponent(i, k))) << array->GetName();
  }
}

struct Glyph {
  const char *name, *joint;
};

// Each stands between the ground and a body of its own, B<i>, a metre from the next.
constexpr Glyph all_types[] = {
    {"fixed", "type: fixed"},
    {"revolute", "type: revolute, axis: [0, 0, 1]"},
    {"prismatic", "type: prismatic, axis: [0, 0, 1]"},
    {"cylindrical", "type: cylindrical, axis: [0, 1, 0]"},
    {"screw", "type: screw, axis: [0, 0, 1], pitch: 0.1"},
    {"spherical", "type: spherical"},
    {"planar", "type: planar, axis: [0, 0, 1]"},
    {"universal", "type: universal, bars: [[0, 0, 1], [0, 1, 0]]"},
    {"constant_velocity", "type: constant_velocity, axis: [1, 0, 0]"},
    {"point_on_plane", "type: point_on_plane, axis: [0, 0, 1]"},
    {"point_on_line", "type: point_on_line, axis: [0, 0, 1]"},
    {"parallel_axes", "type: parallel_axes, axis: [0, 0, 1]"},
    {"free", "type: free"},
    {"generic", "type: generic, constrained: [1, 1, 0, 1, 1, 0]"},
    {"prescribed_frame", "type: prescribed_frame"},
    {"point_contact", "type: point_contact"},
    {"no_turn",
     "type: formula, equations: [{zero: R.xy, measures: angle}, {zero: R.yz, measures: angle}, "
     "{zero: R.zx, measures: angle}]"},
    {"no_slide", "type: formula, equations: [{zero: v.y, measures: velocity}]"},
};

std::string case_of_all(double scale) {
  std::ostringstream bodies, joints;
  double x = 0;
  for (const Glyph& glyph : all_types) {
    x += scale;
    bodies << "  B_" << glyph.name << ": {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [" << x
           << ", 0, 0]}\n";
    joints << "  " << glyph.name << ": {between: [{on: ground, at: [" << x << ", 0, 0]}, B_" << glyph.name
           << "], " << glyph.joint << "}\n";
  }
  return "trammel: 1\nbodies:\n" + bodies.str() + "joints:\n" + joints.str() +
         R"(stages:
  - {type: dynamic, until: 0.01, step: 0.01}
output: {vtk: {every: 1}}
)";
}

std::map<std::string, std::vector<Vec3>> glyphs_of(const std::string& text) {
  const testing::Workplace here;
  here.write("case.yaml", text);
  const testing::Outcome run = here.shell("trammel run case.yaml -o out");
  EXPECT_EQ(run.status, 0) << run.err;
  const auto joints = read(here / "out/out_vtk/000001_joints_0.vtp");
  expect_finite(*joints);
  return by_name(*joints, here.read("out/out_entities.csv"));
}

TEST(Glyphs, of_every_joint_are_more_than_a_point_and_follow_the_size_of_the_model) {
  const auto small = glyphs_of(case_of_all(1)), large = glyphs_of(case_of_all(3));
  for (const Glyph& glyph : all_types) {
    ASSERT_TRUE(small.contains(glyph.name)) << glyph.name;
    const auto &a = small.at(glyph.name), &b = large.at(glyph.name);
    EXPECT_GT(a.size(), 3U) << glyph.name;
    EXPECT_LT(a.size(), 120U) << glyph.name;
    // Neighbours a metre apart: large enough to see, and clear of the next.
    EXPECT_GT(extent(a), 0.1) << glyph.name;
    EXPECT_LT(extent(a), 1.5) << glyph.name;
    EXPECT_NEAR(extent(b) / extent(a), 3, 0.05) << glyph.name;
  }
}

TEST(Glyphs, have_the_given_size_and_are_points_for_zero) {
  const auto with = [](const char* size) {
    return glyphs_of(std::string(R"(trammel: 1
bodies:
  b: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}
joints:
  pin: {type: revolute, axis: [0, 0, 1], between: [ground, b], size: )") +
                     size + R"(}
stages:
  - {type: dynamic, until: 0.01, step: 0.01}
output: {vtk: {every: 1}}
)")
        .at("pin");
  };
  EXPECT_EQ(with("0").size(), 1U);
  EXPECT_NEAR(extent(with("0.4")) / extent(with("0.2")), 2, 1e-4);
}

// A chain of thousands: lines, so that a frame stays small.
TEST(Glyphs, of_many_joints_have_few_points_each) {
  const auto points_of = [](int links) {
    const testing::Workplace here;
    here.write("case.yaml", "trammel: 1\nparameters: {N: " + std::to_string(links) + R"(}
bodies:
  link.(i): {for: {i: 1..N}, type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [i, 0, 0]}
joints:
  pin.(i): {for: {i: 1..N}, type: revolute, axis: [0, 1, 0], between: [{on: ground, at: [i, 0, 0]}, link.(i)]}
stages:
  - {type: dynamic, until: 0.01, step: 0.01}
output: {vtk: {every: 1}}
)");
    const testing::Outcome run = here.shell("trammel run case.yaml -o out");
    EXPECT_EQ(run.status, 0) << run.err;
    return static_cast<double>(read(here / "out/out_vtk/000001_joints_0.vtp")->GetNumberOfPoints()) / links;
  };
  EXPECT_GT(points_of(20), 40);
  EXPECT_LT(points_of(400), 30);
  EXPECT_LT(points_of(3200), 10);
}

TEST(Glyphs, carry_coordinates_and_multipliers_with_their_units) {
  const testing::Workplace here;
  here.write("case.yaml", R"(trammel: 1
bodies:
  b: {type: rigid_body, mass: 2, inertia: [1, 1, 1]}
joints:
  pin: {type: revolute, axis: [0, 1, 0], between: [ground, b], motion: {angle: 2*t}}
loads:
  weight: {type: gravity, acceleration: [0, 0, -10]}
stages:
  - {type: dynamic, until: 0.1, step: 0.01}
output: {vtk: {every: 10}}
)");
  const testing::Outcome run = here.shell("trammel run case.yaml -o out");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto joints = read(here / "out/out_vtk/000001_joints_0.vtp");
  const auto check = [&](const char* name, const char* unit, double value) {
    vtkDataArray* array = joints->GetPointData()->GetArray(name);
    ASSERT_NE(array, nullptr) << name;
    for (vtkIdType i = 0; i < array->GetNumberOfTuples(); ++i)
      EXPECT_NEAR(array->GetComponent(i, 0), value, 1e-3 * std::abs(value)) << name;
    ASSERT_NE(array->GetInformation()->Get(vtkDataArray::UNITS_LABEL()), nullptr) << name;
    EXPECT_STREQ(array->GetInformation()->Get(vtkDataArray::UNITS_LABEL()), unit);
  };
  check("angle", "rad", 0.2);
  check("angle_rate", "rad/s", 2);
  vtkDataArray* force = joints->GetPointData()->GetArray("force");
  ASSERT_NE(force, nullptr);
  EXPECT_STREQ(force->GetComponentName(2), "Z");
  EXPECT_STREQ(force->GetInformation()->Get(vtkDataArray::UNITS_LABEL()), "N");
  EXPECT_NEAR(force->GetComponent(0, 2), 20, 1e-3);
  for (vtkIdType i = 1; i < force->GetNumberOfTuples(); ++i)
    EXPECT_EQ(force->GetComponent(i, 2), 0);  // one arrow a joint
}

}  // namespace
}  // namespace trammel
