// The glyphs of joints in the files for ParaView.

#include <gtest/gtest.h>
#include <vtkDataArray.h>
#include <vtkInformation.h>
#include <vtkInformationStringKey.h>
#include <vtkPointData.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "command.hpp"
#include "drawn_piece.hpp"
#include "places.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {
namespace {

using testing::read_piece;

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
  const auto joints = read_piece(here / "out/out_vtk/000001_joints_0.vtp");
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

/// The points of glyphs relative to a place, along an axis and at a distance from it.
struct AroundAxis {
  double lowest = 1e300, highest = -1e300, nearest = 1e300, farthest = 0;

  AroundAxis(const std::vector<Vec3>& points, const Vec3& at, const Vec3& axis) {
    for (const Vec3& p : points) {
      const double along = (p - at).dot(axis), off = (p - at - along * axis).norm();
      lowest = std::min(lowest, along), highest = std::max(highest, along);
      nearest = std::min(nearest, off), farthest = std::max(farthest, off);
    }
  }
};

/// A joint along a skew axis with something on its coordinate; markers away from the frames' origins, or at them, where the joint
/// identifies unknowns.
std::string with_coordinate(const std::string& joint, const std::string& key, const std::string& coordinate,
                            bool at_origin) {
  return "trammel: 1\nbodies:\n  b: {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3]}\n"
         "joints:\n  j: {type: " +
         joint + ", axis: [1, 2, 2], size: 0.6, between: [{on: ground, at: [1, 2, " +
         (at_origin ? "3" : "3.5") + "]}, " + (at_origin ? "b" : "{on: b, at: [0, 0, 0.5]}") + "], " + key +
         ": {" + coordinate + R"(}}
stages:
  - {type: dynamic, until: 1e-4, step: 1e-4}
output: {vtk: {every: 1}}
)";
}

TEST(Glyphs, of_what_acts_on_a_coordinate_stand_along_its_axis) {
  const Vec3 axis = Vec3(1, 2, 2) / 3;
  const double size = 0.6, close = 1e-5;
  for (const bool at_origin : {true, false}) {
    const Vec3 at(1, 2, at_origin ? 3 : 3.5);
    const auto drawn = [&](const char* joint, const std::string& key, const std::string& value) {
      const std::string coordinate = joint == std::string("revolute") ? "angle" : "slide";
      const auto all = glyphs_of(with_coordinate(joint, key, coordinate + ": " + value, at_origin));
      const std::string name = "j." + coordinate + "." + key;
      EXPECT_TRUE(all.contains(name)) << name;
      return all.contains(name) ? AroundAxis(all.at(name), at, axis) : AroundAxis({at}, at, axis);
    };
    // A spiral in a plane across the axis; a coil around the axis, as long below the joint as above.
    const AroundAxis spiral = drawn("revolute", "spring", "1"), coil = drawn("prismatic", "spring", "1");
    EXPECT_NEAR(spiral.lowest, spiral.highest, close);
    EXPECT_NEAR(spiral.nearest, 0.14 * size, close);
    EXPECT_NEAR(spiral.farthest, 0.42 * size, close);
    EXPECT_NEAR(coil.lowest, -0.6 * size, close);
    EXPECT_NEAR(coil.highest, 0.6 * size, close);
    EXPECT_NEAR(coil.nearest, 0.3 * size, close);
    EXPECT_NEAR(coil.farthest, 0.3 * size, close);
    // A drum around the axis; a dashpot beside it.
    const AroundAxis drum = drawn("revolute", "damper", "1"), dashpot = drawn("prismatic", "damper", "1");
    EXPECT_LT(drum.highest, -0.4 * size);
    EXPECT_NEAR(dashpot.highest, 0.6 * size, close);
    EXPECT_GT(dashpot.nearest, 0.25 * size);
    // A motor on the axis; an arrow around it, and one along it.
    const AroundAxis motor = drawn("revolute", "actuator", "0"), turned = drawn("revolute", "motion", "0*t"),
                     moved = drawn("prismatic", "motion", "0*t");
    EXPECT_NEAR(motor.highest, size, close);
    EXPECT_NEAR(turned.lowest, turned.highest, close);
    EXPECT_GT(turned.nearest, 0.3 * size);
    EXPECT_NEAR(moved.lowest, -0.6 * size, close);
    EXPECT_NEAR(moved.highest, 0.6 * size, close);
  }
}

// Of two coordinates of one joint each has its own motion.
TEST(Glyphs, of_a_cylindrical_joints_springs_tell_turning_from_sliding) {
  const auto all = glyphs_of(with_coordinate("cylindrical", "spring", "angle: 1, slide: 2", false));
  const Vec3 axis = Vec3(1, 2, 2) / 3, at(1, 2, 3.5);
  const AroundAxis spiral(all.at("j.angle.spring"), at, axis), coil(all.at("j.slide.spring"), at, axis);
  EXPECT_NEAR(spiral.lowest, spiral.highest, 1e-5);
  EXPECT_NEAR(coil.highest - coil.lowest, 1.2 * 0.6, 1e-5);
}

/// The points of one instant of a case in cases/, by layer and name.
std::map<std::string, std::vector<Vec3>> drawn_in_case(const std::string& arguments,
                                                       const std::string& layer) {
  const testing::Workplace here;
  const testing::Outcome run =
      here.shell("trammel run " TRAMMEL_SOURCE_DIR "/cases/" + arguments + " -o out");
  EXPECT_EQ(run.status, 0) << run.err;
  const auto drawn = read_piece(here / ("out/out_vtk/000000_" + layer + "_0.vtp"));
  expect_finite(*drawn);
  return by_name(*drawn, here.read("out/out_entities.csv"));
}

TEST(Glyphs, of_a_rolling_disc_are_its_rim_and_reach_the_plane) {
  const auto joints = drawn_in_case("rolling_disc/case.yaml --set until=0.004", "joints");
  const std::vector<Vec3>& wheel = joints.at("wheel");
  double lowest = 1e300;
  for (const Vec3& p : wheel) lowest = std::min(lowest, p.z());
  EXPECT_GT(wheel.size(), 12U);
  EXPECT_NEAR(lowest, 0, 1e-6);
}

TEST(Glyphs, of_a_contact_of_surfaces_have_the_normal_at_the_point_of_contact) {
  const std::string run = "ball_in_bowl/case.yaml --set until=0.004";
  const auto joints = drawn_in_case(run, "joints");
  // The ball of radius 0.15 m is at this place at the start.
  const Vec3 centre(0.965074869994768, -0.589813503748474, 0.301521375021800);
  const std::vector<Vec3>& contact = joints.at("slide");
  double nearest = 1e300;
  for (const Vec3& p : contact) nearest = std::min(nearest, std::abs((p - centre).norm() - 0.15));
  EXPECT_GT(contact.size(), 12U);
  EXPECT_LT(nearest, 0.05);
  EXPECT_LT(extent(contact), 1);
}

TEST(Glyphs, of_a_contact_of_curves_are_a_tangent_and_a_normal) {
  const auto joints = drawn_in_case("cam_follower/case.yaml --set until=0.001", "joints");
  const std::vector<Vec3>& contact = joints.at("contact");
  EXPECT_GT(contact.size(), 24U);
  for (const Vec3& p : contact) EXPECT_LT((p - contact.front()).norm(), 0.1);
  EXPECT_GT(joints.at("guide.slide.spring").size(), 20U);
}

TEST(Glyphs, of_a_spring_are_a_coil_between_its_ends) {
  const auto curves = drawn_in_case("andrews_squeezer/case.yaml --set until=1e-4", "curves");
  const std::vector<Vec3>& coil = curves.at("spring");
  const Vec3 from(0.014, 0.072, 0);
  EXPECT_GT(coil.size(), 30U);
  EXPECT_LT((coil.front() - from).norm(), 1e-6);
  const Vec3 d = (coil.back() - from).normalized();
  double farthest = 0;
  for (const Vec3& p : coil) farthest = std::max(farthest, (p - from - (p - from).dot(d) * d).norm());
  EXPECT_NEAR(farthest, 0.002, 2e-5);  // its radius in the case
}

TEST(Glyphs, of_a_bushing_are_two_tubes_and_what_joins_them) {
  const auto joints = glyphs_of(R"(trammel: 1
bodies:
  b: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}
elements:
  mount: {type: bushing, between: [ground, b], stiffness: [1, 1, 1, 1, 1, 1]}
stages:
  - {type: dynamic, until: 0.01, step: 0.01}
output: {vtk: {every: 1}}
)");
  const AroundAxis tubes(joints.at("mount"), Vec3::Zero(), Vec3::UnitX());
  EXPECT_NEAR(tubes.highest, -tubes.lowest, 1e-6);
  EXPECT_NEAR(tubes.farthest / tubes.highest, 1, 1e-4);  // 0.35 of the size, both
}

// The sleeve of the trolley clears the boom, whose section reaches farther than a glyph's own tube.
TEST(Glyphs, of_a_slider_on_a_beam_are_a_sleeve_larger_than_the_beams_section) {
  const std::string run = "slewing_crane/case.yaml --set until=0.02";
  const auto joints = drawn_in_case(run, "joints");
  const auto sections = drawn_in_case(run, "sections");
  // Both lie along x at the start of the first stage, before gravity bends the boom.
  const AroundAxis boom(sections.at("boom"), Vec3::Zero(), Vec3::UnitX());
  const auto outside = [&](const Vec3& p) { return std::hypot(p.y(), p.z()) > 1.1 * boom.farthest; };
  EXPECT_GT(boom.farthest, 0.2);
  EXPECT_GE(std::ranges::count_if(joints.at("wheels"), outside), 24);  // both ends of the sleeve
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
    return static_cast<double>(read_piece(here / "out/out_vtk/000001_joints_0.vtp")->GetNumberOfPoints()) /
           links;
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
  const auto joints = read_piece(here / "out/out_vtk/000001_joints_0.vtp");
  vtkDataArray* entity = joints->GetPointData()->GetArray("entity");
  const auto check = [&](const char* name, const char* unit, double value) {
    vtkDataArray* array = joints->GetPointData()->GetArray(name);
    ASSERT_NE(array, nullptr) << name;
    int points = 0;
    for (vtkIdType i = 0; i < array->GetNumberOfTuples(); ++i) {
      if (entity->GetComponent(i, 0) != entity->GetComponent(0, 0)) continue;  // the glyph of the motion
      ++points;
      EXPECT_NEAR(array->GetComponent(i, 0), value, 1e-3 * std::abs(value)) << name;
    }
    EXPECT_GT(points, 20);
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

// The block of a clamp lies in the beam; its pins end outside of the section.
TEST(Glyphs, of_a_clamp_are_seen_around_a_thick_beam) {
  constexpr double half = 0.15;  // of the section's edges
  const testing::Workplace here;
  const testing::Outcome run = here.run(R"(trammel: 1
sections:
  bar: {shape: {type: rectangle, width: 0.3, height: 0.3}, material: {E: 2e11, nu: 0.3, rho: 1000}}
bodies:
  beam: {type: beam, section: bar, from: [0, 0, 0], to: [3, 0, 0], elements: 4, up: [0, 0, 1]}
joints:
  clamp: {type: fixed, between: [ground, beam.start]}
stages:
  - {type: dynamic, until: 0.01, step: 0.01}
output: {vtk: {every: 1}}
)");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto joints =
      by_name(*read_piece(here / "out/out_vtk/000000_joints_0.vtp"), here.read("out/out_entities.csv"));
  int outside = 0;
  for (const Vec3& p : joints.at("clamp"))
    if (p.tail<2>().cwiseAbs().minCoeff() > half) ++outside;
  EXPECT_EQ(outside, 8);
}

// The page of glyphs shows every type of joint: its case runs, and each joint has more than a point.
TEST(Glyphs, of_the_page_are_drawn_for_every_joint) {
  const testing::Workplace here;
  const testing::Outcome run =
      here.shell("trammel run '" TRAMMEL_SOURCE_DIR "/docs/glyphs/case.yaml' -q -o out");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string entities = here.read("out/out_entities.csv");
  const auto drawn = by_name(*read_piece(here / "out/out_vtk/000001_joints_0.vtp"), entities);
  std::istringstream lines(entities);
  int joints = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(",joint,") == std::string::npos) continue;
    ++joints;
    const auto first = line.find(',') + 1;
    const std::string name = line.substr(first, line.find(',', first) - first);
    ASSERT_TRUE(drawn.contains(name)) << name;
    if (name == "spring") continue;  // of size 0, for its name
    EXPECT_GT(extent(drawn.at(name)), 0) << name;
  }
  EXPECT_GT(joints, 25);
}

}  // namespace
}  // namespace trammel
