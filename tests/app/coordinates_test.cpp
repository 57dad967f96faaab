// Elements on coordinates, through the command: what is refused in a run, and what joints give to them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Workplace;

/// A wheel on a hinge with `elements on coordinates`, and what comes behind.
std::string wheel(const std::string& coordinate_elements, const std::string& rest = "",
                  const std::string& start = "consistent") {
  return R"(trammel: 1
bodies:
  wheel: {type: rigid_body, mass: 2, inertia: [0.1, 0.1, 0.2]}
joints:
  hinge: {type: revolute, between: [ground, wheel], axis: [0, 0, 1], )" +
         coordinate_elements + "}\n" + rest +
         "stages:\n"
         "  - {type: dynamic, until: 0.2, step: 0.01, start: " +
         start + "}\n";
}

void expect_error(const std::string& text, const std::string& expected) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(text);
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr(expected));
}

TEST(Motions, may_not_jump_at_the_start) {
  expect_error(wheel("motion: {angle: 0.3 + t}"),
               "coordinate 'hinge.angle.motion' (motion) is open by 0.3 rad");
  expect_error(
      wheel("motion: {angle: 2*t}", "", "as_given"),
      "coordinate 'hinge.angle.motion' (motion) opens at 2 rad/s at the start, t = 0: its velocity would "
      "jump");
  const Workplace workplace;
  EXPECT_EQ(workplace.run(wheel("motion: {angle: 2*t}")).status, 0);
  EXPECT_EQ(workplace.run(wheel("motion: {angle: t^2}", "", "as_given")).status, 0);
}

TEST(Motions, may_not_jump_in_the_run) {
  expect_error(wheel("motion: {angle: 0.3*step(t - 0.105)}"), "its value changes by 0.3 rad at t = 0.105");
  expect_error(wheel("motion: {angle: 'ramp(t, 0.055, 0.1, 0, 0.09)'}"),
               "its rate changes by 2 rad/s at t = 0.055");
  const Workplace workplace;
  EXPECT_EQ(workplace.run(wheel("motion: {angle: 'cycloidal(t, 0.055, 0.1, 0, 0.09)'}")).status, 0);
}

TEST(Motions, prescribe_a_coordinate_once) {
  expect_error(wheel("motion: {angle: 1, angle: 2}"), "the key 'angle' stands here a second time");
  expect_error(
      R"(trammel: 1
bodies:
  a: {type: rigid_body, mass: 2, inertia: [0.1, 0.1, 0.2]}
  b: {type: rigid_body, mass: 2, inertia: [0.1, 0.1, 0.2]}
joints:
  A: {type: revolute, between: [ground, a], axis: [0, 0, 1], motion: {angle: t}}
  gears: {type: coupling, terms: {A.angle: 1, B.angle: 2}}
  B: {type: revolute, between: [ground, b], axis: [0, 0, 1], motion: {angle: t}}
)",
      "joint 'B', motion of 'angle': the coordinate 'B.angle' is prescribed already, by 'gears', "
      "'A.angle.motion'");
}

TEST(Coordinates, that_do_not_exist_are_named) {
  expect_error(wheel("damper: {angel: 1}"), "joint 'hinge' has no coordinate 'angel'; it has: angle");
  expect_error(wheel("friction: {angle: {coefficient: -1, regularization: 1, radius: 1}}"), "'coefficient'");
  expect_error(wheel("stop: {angle: {from: 1, to: 0, stiffness: 1}}"), "in the wrong order: from 1 to 0");
}

TEST(Coordinates, may_be_read_by_earlier_entries) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(
      R"(trammel: 1
bodies:
  a: {type: rigid_body, mass: 2, inertia: [0.1, 0.1, 0.2]}
  b: {type: rigid_body, mass: 2, inertia: [0.1, 0.1, 0.2], angular_velocity: [0, 0, 1]}
joints:
  A: {type: revolute, between: [ground, a], axis: [0, 0, 1],
      actuator: {angle: 0.2*(B.angle - A.angle) + 0.1*B.angle_rate}}
  B: {type: revolute, between: [ground, b], axis: [0, 0, 1]}
sensors: {a: {type: outputs, of: A.angle.actuator}}
stages: [{type: dynamic, until: 0.1, step: 0.01}]
)");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(Counters, count_from_their_last_reset) {
  const Workplace workplace;
  const std::string motion = "motion: {angle: 40*t + 25*t^2}, ";
  const Outcome outcome =
      workplace.run(wheel(motion + "counter: {angle: {at: [0.055], when: hinge.angle_rate - 47.6}}",
                          R"(sensors:
  hinge: {type: outputs, of: hinge.angle.counter}
  wheel: {type: outputs, of: hinge}
)"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const testing::Table counter = testing::table_of(workplace.read("out/hinge.csv")),
                       hinge = testing::table_of(workplace.read("out/wheel.csv"));
  const auto angle = [](double t) { return 40 * t + 25 * t * t; };
  EXPECT_NEAR(at(hinge, 0.2, "angle"), 9, 1e-9);
  EXPECT_NEAR(at(counter, 0.05, "counted"), angle(0.05), 1e-9);
  EXPECT_NEAR(at(counter, 0.06, "counted"), angle(0.06) - angle(0.055), 1e-9);
  EXPECT_NEAR(at(counter, 0.15, "counted"), angle(0.15) - angle(0.055), 1e-9);
  EXPECT_EQ(at(counter, 0.15, "resets"), 1);
  // The rate is 47.6 at t = 0.152.
  const double counted = angle(0.2) - angle(0.152);
  EXPECT_NEAR(at(counter, 0.2, "counted"), counted, 1e-5);
  EXPECT_NEAR(at(counter, 0.2, "turns"), counted / (2 * M_PI), 1e-5);
  EXPECT_NEAR(at(counter, 0.2, "angle"), counted, 1e-5);
  EXPECT_EQ(at(counter, 0.2, "resets"), 2);
}

TEST(Friction, makes_its_joint_keep_its_multipliers) {
  const Workplace workplace;
  const std::string friction = "friction: {angle: {coefficient: 0.2, regularization: 1e-2, radius: 0.05}}";
  const std::string weight =
      R"(loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
sensors:
  friction: {type: outputs, of: hinge.angle.friction}
)";
  const Outcome outcome = workplace.run(wheel(friction, weight));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  expect_error(wheel("share: yes, " + friction, weight),
               "'share' must be 'no' here: 'friction' reads the reaction");
}

}  // namespace
}  // namespace trammel
