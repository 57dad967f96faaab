// The fields of beams in the files for ParaView: units, components, and values of a cantilever.

#include <gtest/gtest.h>
#include <vtkDataArray.h>
#include <vtkInformation.h>
#include <vtkInformationStringKey.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkXMLPPolyDataReader.h>

#include <array>
#include <cmath>
#include <map>

#include "command.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {
namespace {

namespace fs = std::filesystem;

// Bends about t3 by a force along -y at its tip; a rectangle, small displacements.
constexpr double length = 2, tip = 3, width = 0.1, height = 0.2, modulus = 2e11;
const char* const cantilever = R"(trammel: 1
sections:
  bar: {shape: {type: rectangle, width: 0.1, height: 0.2}, material: {E: 2e11, nu: 0.3, rho: 1000}}
bodies:
  beam: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], elements: 4, up: [0, 0, 1]}
joints:
  clamp: {type: fixed, between: [ground, beam.start]}
loads:
  pull: {type: force, on: beam.end, force: [5, -3, 0]}
stages:
  - {type: static, until: 1, steps: 1}
output: {vtk: {every: 1}}
)";

vtkSmartPointer<vtkPolyData> last_of(const testing::Workplace& here, const std::string& layer,
                                     int frame = 1) {
  const vtkNew<vtkXMLPPolyDataReader> reader;
  reader->SetFileName((here / ("out/out_vtk/00000" + std::to_string(frame) + "_" + layer + ".pvtp")).c_str());
  reader->Update();
  return reader->GetOutput();
}

vtkDataArray* field(vtkPolyData& poly, const char* name, const char* unit,
                    const std::array<const char*, 3>& components) {
  vtkDataArray* array = poly.GetPointData()->GetArray(name);
  EXPECT_NE(array, nullptr) << name;
  if (array == nullptr) return nullptr;
  const char* given = array->GetInformation()->Get(vtkDataArray::UNITS_LABEL());
  EXPECT_STREQ(given == nullptr ? "" : given, unit) << name;
  for (int k = 0; k < array->GetNumberOfComponents() && array->GetNumberOfComponents() > 1; ++k)
    EXPECT_STREQ(array->GetComponentName(k), components[static_cast<std::size_t>(k)]) << name;
  return array;
}

TEST(SectionFields, of_a_cantilever_are_those_of_beam_theory) {
  const testing::Workplace here;
  here.write("case.yaml", cantilever);
  const testing::Outcome run = here.shell("trammel run case.yaml -o out");
  ASSERT_EQ(run.status, 0) << run.err;

  const auto curves = last_of(here, "curves");
  const std::array<const char*, 3> xyz{"X", "Y", "Z"};
  vtkDataArray* force = field(*curves, "section force", "N", {"N", "Q2", "Q3"});
  vtkDataArray* moment = field(*curves, "section moment", "N m", {"T", "M2", "M3"});
  vtkDataArray* arc = field(*curves, "arc length", "m", {});
  vtkDataArray* displacement = field(*curves, "displacement", "m", xyz);
  field(*curves, "strain", "", {"Gamma1", "Gamma2", "Gamma3"});
  field(*curves, "curvature", "1/m", {"kappa1", "kappa2", "kappa3"});
  field(*curves, "velocity", "m/s", xyz);
  field(*curves, "acceleration", "m/s^2", xyz);
  vtkDataArray* energy = field(*curves, "strain energy by length", "J/m", {});
  field(*curves, "kinetic energy by length", "J/m", {});
  ASSERT_FALSE(HasFailure());

  // The bending moment is linear along the beam, and so are its values on both sides of a node.
  double work = 0;
  for (vtkIdType i = 0; i < curves->GetNumberOfPoints(); ++i) {
    const double s = arc->GetComponent(i, 0);
    EXPECT_NEAR(force->GetComponent(i, 0), 5, 1e-4);
    EXPECT_NEAR(std::hypot(force->GetComponent(i, 1), force->GetComponent(i, 2)), tip, 1e-4);
    EXPECT_NEAR(moment->GetComponent(i, 0), 0, 1e-6);
    EXPECT_NEAR(std::hypot(moment->GetComponent(i, 1), moment->GetComponent(i, 2)), tip * (length - s),
                1e-4 * tip * length)
        << s;
    if (s < 1e-12) {
      EXPECT_NEAR(displacement->GetComponent(i, 1), 0, 1e-15);
    }
    work = std::max(work, energy->GetComponent(i, 0));
  }
  EXPECT_GT(work, 0);
  const double I = height * width * width * width / 12;  // about t3, which is along z
  const double sag = tip * length * length * length / (3 * modulus * I);
  EXPECT_NEAR(displacement->GetComponent(curves->GetNumberOfPoints() - 1, 1), -sag, 0.05 * sag);

  const auto sections = last_of(here, "sections");
  field(*sections, "axial stress", "Pa", {});
  vtkDataArray* of_skin = field(*sections, "displacement", "m", xyz);
  ASSERT_NE(of_skin, nullptr);
  EXPECT_NEAR(of_skin->GetRange(1)[0], -sag, 0.05 * sag);
}

Vec3 vector_at(vtkDataArray& array, vtkIdType i) {
  return {array.GetComponent(i, 0), array.GetComponent(i, 1), array.GetComponent(i, 2)};
}
Vec3 place_of(vtkPolyData& data, vtkIdType i) { return Eigen::Map<const Vec3>(data.GetPoint(i)); }

// A beam flies and turns by half a radian; it is nearly rigid, and later bent, so that it has other points than at the start.
TEST(SectionFields, have_displacement_and_velocity_of_each_point_of_a_wide_section) {
  for (const std::string bend : {"0", "2e4"}) {
    const testing::Workplace here;
    const testing::Outcome run = here.run(R"(trammel: 1
sections:
  bar: {shape: {type: rectangle, width: 0.1, height: 0.2}, material: {E: 2e11, nu: 0.3, rho: 1000}}
bodies:
  beam: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], elements: 4, up: [0, 0, 1], velocity: [1, 0, 2],
         angular_velocity: [2, 3, 4]}
loads:
  pull: {type: force, on: beam.end, force: [0, )" +
                                          bend + R"(, 0]}
stages:
  - {type: dynamic, until: 0.1, step: 0.0005}
output: {vtk: {every: 200}}
)");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto curves = last_of(here, "curves"), sections = last_of(here, "sections");
    vtkDataArray& moved = *field(*sections, "displacement", "m", {"X", "Y", "Z"});
    vtkDataArray& velocity = *field(*sections, "velocity", "m/s", {"X", "Y", "Z"});
    vtkDataArray& spin = *field(*curves, "angular velocity", "rad/s", {"X", "Y", "Z"});
    ASSERT_FALSE(HasFailure());
    double largest = 0;
    for (vtkIdType i = 0; i < sections->GetNumberOfPoints(); ++i) {
      const Vec3 start = place_of(*sections, i) - vector_at(moved, i);
      // A corner of the beam that it was.
      EXPECT_NEAR(std::abs(start.y()), 0.05, 3e-5) << i;
      EXPECT_NEAR(std::abs(start.z()), 0.1, 3e-5) << i;
      EXPECT_GT(start.x(), -3e-5);
      EXPECT_LT(start.x(), 2 + 3e-5);
      largest = std::max(largest, vector_at(moved, i).norm());
    }
    EXPECT_GT(largest, 0.3);
    if (bend == "0") {
      EXPECT_EQ(sections->GetNumberOfPoints(), 32);
      const Vec3 w = vector_at(spin, 0), v = vector_at(velocity, 0), p = place_of(*sections, 0);
      EXPECT_GT(w.norm(), 5);
      for (vtkIdType i = 0; i < sections->GetNumberOfPoints(); ++i)
        EXPECT_LT((vector_at(velocity, i) - v - w.cross(place_of(*sections, i) - p)).norm(), 0.01) << i;
    } else {
      EXPECT_GT(sections->GetNumberOfPoints(), 32);
    }
  }
}

// A skin's rings stand at points of the axis, and have their displacement and velocity where the section is narrow, as beside a body far
// away: with a ring at each point, and with two an element.
TEST(SectionFields, have_displacement_and_velocity_of_the_axis_of_a_narrow_section) {
  const testing::Workplace here;
  std::string moving = cantilever;
  moving.insert(moving.find("joints:"),
                "  far: {type: point_mass, mass: 1, position: [200, 0, 0], radius: 1}\n");
  moving.replace(moving.find("{type: static, until: 1, steps: 1}"), 34,
                 "{type: dynamic, until: 0.01, step: 0.0005}");
  moving.replace(moving.find("every: 1"), 8, "every: 20");
  for (const char* force : {"[5, -3, 0]", "[0, -3e6, 0]"}) {
    std::string text = moving;
    text.replace(text.find("[5, -3, 0]"), 10, force);
    const testing::Outcome run = here.run(text);
    ASSERT_EQ(run.status, 0) << run.err;
    const auto curves = last_of(here, "curves"), sections = last_of(here, "sections");
    // The beam was straight, and had no points between its nodes.
    vtkDataArray* moved = curves->GetPointData()->GetArray("displacement");
    vtkDataArray* arc = curves->GetPointData()->GetArray("arc length");
    ASSERT_NE(moved, nullptr);
    ASSERT_NE(arc, nullptr);
    for (vtkIdType i = 0; i < curves->GetNumberOfPoints(); ++i) {
      const std::array<double, 3> start{arc->GetComponent(i, 0), 0, 0};
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(curves->GetPoint(i)[c] - moved->GetComponent(i, static_cast<int>(c)), start[c], 2e-5);
    }
    for (const auto& [name, unit] : {std::pair("displacement", "m"), std::pair("velocity", "m/s")}) {
      vtkDataArray* of_axis = curves->GetPointData()->GetArray(name);
      vtkDataArray* of_skin = field(*sections, name, unit, {"X", "Y", "Z"});
      ASSERT_NE(of_axis, nullptr);
      ASSERT_NE(of_skin, nullptr);
      const double largest = of_axis->GetRange(-1)[1];
      EXPECT_GT(largest, 0);
      for (vtkIdType i = 0; i < sections->GetNumberOfPoints(); ++i) {
        // The centre of a ring of four corners.
        std::array<double, 3> centre{}, p{};
        for (vtkIdType k = i / 4 * 4; k < i / 4 * 4 + 4; ++k) {
          sections->GetPoint(k, p.data());
          for (std::size_t c = 0; c < 3; ++c) centre[c] += p[c] / 4;
        }
        double nearest = HUGE_VAL;
        vtkIdType point = 0;
        for (vtkIdType j = 0; j < curves->GetNumberOfPoints(); ++j) {
          curves->GetPoint(j, p.data());
          const double d = std::hypot(p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]);
          if (d < nearest) nearest = d, point = j;
        }
        EXPECT_LT(nearest, 1e-5);
        for (int c = 0; c < 3; ++c)
          EXPECT_NEAR(of_skin->GetComponent(i, c), of_axis->GetComponent(point, c), 1e-4 * largest) << name;
      }
    }
    const auto rings = sections->GetNumberOfPoints() / 4;
    if (force[1] == '5')
      EXPECT_EQ(rings, 8);  // of four elements
    else
      EXPECT_GE(rings, 20);
  }
}

TEST(SectionFields, give_the_stress_of_beam_theory_at_the_corners) {
  const testing::Workplace here;
  here.write("case.yaml", cantilever);
  ASSERT_EQ(here.shell("trammel run case.yaml -o out").status, 0);
  const auto sections = last_of(here, "sections");
  vtkDataArray* stress = sections->GetPointData()->GetArray("axial stress");
  ASSERT_NE(stress, nullptr);
  const double modulus_of_section = height * width * width / 6;
  const double bending = tip * length / modulus_of_section, axial = 5 / (width * height);
  double low = 0, high = 0;
  for (vtkIdType i = 0; i < sections->GetNumberOfPoints(); ++i) {
    low = std::min(low, stress->GetComponent(i, 0));
    high = std::max(high, stress->GetComponent(i, 0));
    // A load along -y pulls on the upper side.
    double p[3];
    sections->GetPoint(i, p);
    if (p[0] < 1.5 && std::abs(p[1]) > 0.04) {
      EXPECT_GT(stress->GetComponent(i, 0) * p[1], 0) << p[0];
    }
  }
  EXPECT_NEAR(high, axial + bending, 1e-3 * bending);
  EXPECT_NEAR(low, axial - bending, 1e-3 * bending);
}

}  // namespace
}  // namespace trammel
