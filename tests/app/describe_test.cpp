// What `trammel describe` tells of types and topics, and the one rule of `ground`.

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::at;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::table_of;
using testing::Workplace;

std::string described(const Workplace& workplace, const std::string& what) {
  const Outcome page = workplace.shell("trammel describe " + what);
  EXPECT_EQ(page.status, 0) << page.err;
  return page.out;
}

TEST(Describe, gives_coordinates_and_outputs_with_their_units) {
  const Workplace workplace;
  const std::string joint = described(workplace, "revolute");
  EXPECT_THAT(joint, ContainsRegex("coordinate +components +unit\n +angle +- +rad\n"));
  EXPECT_THAT(joint, ContainsRegex("\n +moment_world +x y z +N m\n"));
  EXPECT_THAT(joint, ContainsRegex("\n +angle_rate +- +rad/s\n"));
  EXPECT_THAT(described(workplace, "point_mass"), ContainsRegex("\n +velocity +x y z +m/s\n"));
  EXPECT_THAT(described(workplace, "motion"), ContainsRegex("\n +quaternion +w x y z +-\n"));
  // From the scene of its plugin, and folded by elements.
  EXPECT_THAT(described(workplace, "curve_sliding"), ContainsRegex("\n +s +- +m\n"));
  const std::string beam = described(workplace, "beam --markdown");
  EXPECT_THAT(beam, HasSubstr("| strain_1, strain_2, ... | Gamma1 Gamma2 Gamma3 |"));
  EXPECT_THAT(beam, Not(HasSubstr("strain_3")));
}

TEST(Describe, has_the_topics_of_a_case) {
  const Workplace workplace;
  const std::string sections = described(workplace, "sections");
  for (const char* key : {"stiffness", "EA", "rhoA", "shape", "material", "stations", "torsion_constant"})
    EXPECT_THAT(sections, ContainsRegex(std::string("\n +") + key + " ")) << key;
  EXPECT_THAT(described(workplace, "materials"), ContainsRegex("\n +rho +number +kg/m"));
  const std::string shapes = described(workplace, "shapes");
  EXPECT_THAT(shapes, HasSubstr("rectangle | circle | tube | i_section"));
  EXPECT_THAT(shapes, HasSubstr("box | cylinder | sphere | rod | stl"));
  EXPECT_THAT(shapes, HasSubstr("cylinder, sphere, rod: radius"));
  const std::string functions = described(workplace, "functions");
  for (const char* type : {"table: ", "spline: ", "ramp: ", "harmonic: ", "cycloidal: ", "smoothstep: "})
    EXPECT_THAT(functions, HasSubstr(type));
  EXPECT_THAT(functions, HasSubstr("first_slope"));
  EXPECT_THAT(workplace.shell("trammel describe section").err, HasSubstr("did you mean 'sections'"));
}

TEST(Describe, lists_only_what_a_case_writes) {
  const Workplace workplace;
  const std::string friction = described(workplace, "friction");
  EXPECT_THAT(friction, HasSubstr("in a joint: `friction: {COORDINATE: VALUE}`"));
  EXPECT_THAT(friction, Not(ContainsRegex("\n +of +text")));
  EXPECT_THAT(friction, Not(ContainsRegex("\n +coordinate +text")));
  EXPECT_THAT(friction, HasSubstr("stribeck"));
}

// `ground` alone is the world's origin, but where joints with the parameter `position` hold their markers together.
TEST(Ground, is_the_origin_unless_the_joint_has_a_position) {
  const Workplace workplace;
  const std::vector<std::pair<std::string, std::string>> joints{
      {"spherical", ""},

      {"revolute", "axis: [0, 0, 1]"},
      {"cylindrical", "axis: [0, 0, 1]"},
      {"universal", "bars: [[1, 0, 0], [0, 1, 0]]"},
      {"point_on_plane", "axis: [0, 0, 1]"},
      {"point_on_line", "axis: [0, 0, 1]"},
      {"distance", ""},
      {"parallel_axes", "axis: [0, 0, 1]"},
      {"free", ""},
      {"generic", "constrained: [0, 0, 0, 1, 1, 1]"}};
  for (const auto& [type, own] : joints) {
    const bool has_position =
        std::regex_search(described(workplace, type), std::regex("\n  position +vector"));
    const Outcome run = workplace.run(
        "trammel: 1\n"
        "bodies: {a: {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3]}}\n"
        "joints: {j: {type: " +
        type + ", between: [ground, a]" + (own.empty() ? "" : ", ") + own +
        R"(}}
sensors: {j: {type: outputs, of: j}}
stages: [{type: dynamic, until: 0.01, step: 0.01}]
)");
    ASSERT_EQ(run.status, 0) << type << ": " << run.err;
    const auto j = table_of(workplace.read("out/j.csv"));
    EXPECT_NEAR(at(j, 0.01, "displacement.x"), has_position ? 0 : 1, 1e-9) << type;
    EXPECT_NEAR(at(j, 0.01, "displacement.z"), has_position ? 0 : 3, 1e-9) << type;
  }
  const Outcome open = workplace.run(
      R"(trammel: 1
bodies: {a: {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3]}}
joints: {j: {type: generic, between: [ground, a], constrained: [1, 1, 1, 0, 0, 0]}}
stages: [{type: dynamic, until: 0.01, step: 0.01}]
)");
  EXPECT_EQ(open.status, 1);
  EXPECT_THAT(open.err, HasSubstr("`ground` alone is the world's origin here"));
}

}  // namespace
}  // namespace trammel
