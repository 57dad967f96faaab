// Joints whose equations stand in the case, through the command.

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::at;
using testing::difference;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::table_of;
using testing::Workplace;

const std::string cases = TRAMMEL_SOURCE_DIR "/cases/";

/// Runs a case of the folder `cases` on some ranks, and reads a history of it.
testing::Table run_case(const std::string& name, const std::string& options, int ranks,
                        const std::string& history) {
  const Workplace place;
  const Outcome outcome = place.shell(testing::command_on(ranks) + " run '" + cases + name +
                                      "/case.yaml' -o out --set frames=1000000 " + options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return table_of(place.read("out/" + history + ".csv"));
}

TEST(FormulaJoint, gives_the_same_on_every_number_of_ranks) {
  for (const auto& [name, history] : {std::pair<std::string, std::string>("elliptic_trammel", "trammel"),
                                      std::pair<std::string, std::string>("turning_skate", "blade")}) {
    const testing::Table one = run_case(name, "--set until=0.6 --set h=0.01", 1, history);
    ASSERT_GT(one.rows.size(), 50U);
    for (const int ranks : {2, 4}) {
      const testing::Table several = run_case(name, "--set until=0.6 --set h=0.01", ranks, history);
      for (const char* channel : {"force_world", "displacement", "moment_world"}) {
        const testing::Difference d = difference(one, several, channel);
        EXPECT_LE(d.largest, 1e-9 * std::max(d.range, 1e-3)) << name << " " << channel << " on " << ranks;
      }
    }
  }
}

/// The number of the first column whose name begins so.
std::size_t column(const testing::Table& table, const std::string& name) {
  const auto found =
      std::ranges::find_if(table.names, [&](const std::string& n) { return n.starts_with(name); });
  EXPECT_NE(found, table.names.end()) << name;
  return static_cast<std::size_t>(found - table.names.begin());
}

/// Two rods on hinges, the second with a spring on its angle.
std::string hinge(const std::string& joint) {
  return R"(trammel: 1
bodies:
  rod: {type: rigid_body, mass: 2, inertia: [0.1, 0.3, 0.4], position: [0.5, 0, 0]}
  tip: {type: rigid_body, mass: 1, inertia: [0.02, 0.03, 0.04], position: [1.4, 0, 0], angular_velocity: [0, 0, 0.8],
        velocity: [0, 0.32, 0]}
joints:
  base: {type: revolute, between: [ground, {on: rod, at: [-0.5, 0, 0]}], axis: [0.1, 0, 1]}
  knee: {)" +
         joint +
         R"(, between: [{on: rod, at: [0.5, 0, 0]}, {on: tip, at: [-0.4, 0, 0]}],
         spring: {angle: {stiffness: 6, rest: 0.3}}, initial_rate: {angle: 1.5}}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
sensors:
  knee: {type: outputs, of: knee}
stages:
  - {type: dynamic, until: 1, step: 0.005, radius: 0.9, newton: {tolerance: 1e-12}}
)";
}

TEST(FormulaJoint, moves_a_hinge_as_the_revolute_joint_does) {
  const Workplace by_hand, by_formula;
  const Outcome first = by_hand.run(hinge("type: revolute, axis: [0, 0, 1], share: no"));
  const Outcome second = by_formula.run(hinge(R"(type: formula,
         coordinates: {angle: {measures: angle}},
         equations: [{zero: p.x, measures: length}, {zero: p.y, measures: length}, {zero: p.z, measures: length},
                     {zero: R.zx, measures: angle}, {zero: R.zy, measures: angle},
                     {zero: R.xx*sin(angle) + R.xy*cos(angle), measures: angle}])"));
  ASSERT_EQ(first.status, 0) << first.err;
  ASSERT_EQ(second.status, 0) << second.err;
  const testing::Table a = table_of(by_hand.read("out/knee.csv")),
                       b = table_of(by_formula.read("out/knee.csv"));
  // Rows in other axes change the method's first accelerations, and forces with them, by 1e-6; that decays.
  for (const auto& [channel, bound] : {std::pair("angle [rad]", 1e-12), std::pair("rotation", 1e-12),
                                       std::pair("angle_rate", 1e-8), std::pair("force_world", 1e-6)}) {
    const testing::Difference d = difference(a, b, channel);
    EXPECT_GT(d.range, 0.1) << channel;
    EXPECT_LE(d.largest, bound * d.range) << channel;
  }
}

TEST(FormulaJoint, lets_a_mass_slide_down_a_ball_and_leave_it) {
  const Workplace place;
  const Outcome outcome = place.run(R"(trammel: 1
parameters: {start: deg(10), r: 1}
bodies:
  mass: {type: point_mass, mass: 1, position: [r*sin(start), 0, r*cos(start)]}
joints:
  ball:
    type: formula
    between: [ground, mass]
    equations: [{gap: "sqrt(p.x^2 + p.y^2 + p.z^2) - r", measures: length}]
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
sensors:
  mass: {type: motion, of: mass}
  ball: {type: outputs, of: ball}
stages:
  - {type: dynamic, until: 1.1, step: 0.001, radius: 0.9}
)");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const testing::Table mass = table_of(place.read("out/mass.csv")),
                       ball = table_of(place.read("out/ball.csv"));
  const std::size_t x = column(mass, "position.x"), z = column(mass, "position.z"),
                    force = column(ball, "multipliers");
  ASSERT_EQ(mass.rows.size(), ball.rows.size());
  double height = 0;
  for (std::size_t k = 0; k < mass.rows.size(); ++k) {
    EXPECT_GT(std::hypot(mass.rows[k][x], mass.rows[k][z]), 1 - 1e-9);
    EXPECT_LE(ball.rows[k][force], 1e-3);  // of 9.81 N, at the instant at which it lets go
    if (ball.rows[k][force] < 0) height = mass.rows[k][z];
  }
  // From rest at the angle a it leaves where cos b = 2/3 cos a; a step there is 2e-3 m long.
  EXPECT_NEAR(height, 2.0 / 3 * std::cos(10 * M_PI / 180), 3e-3);
  EXPECT_LT(mass.rows.back()[z], 0.5);
}

/// A mass that `joint` holds at a height until t = 0.2, and that falls then: its depth at t = 0.5.
double depth_after_release(const std::string& joint, const std::string& options = "") {
  const Workplace place;
  const Outcome outcome = place.run(R"(trammel: 1
bodies:
  mass: {type: point_mass, mass: 1, position: [2, 0, 0]}
joints:
  held: {)" + joint + R"(, active: 0.2 - t}
  rail: {type: formula, between: [ground, mass], equations: [{zero: p.x - 2, measures: length}]}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
sensors:
  mass: {type: motion, of: mass}
stages:
  - {type: dynamic, until: 0.5, step: 0.005, radius: 0.9}
)",
                                    options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const testing::Table mass = table_of(place.read("out/mass.csv"));
  return mass.rows.back()[column(mass, "position.z")];
}

TEST(FormulaJoint, is_active_as_its_function_of_time_says) {
  EXPECT_NEAR(depth_after_release(
                  "type: formula, between: [ground, mass], equations: [{zero: p.z, measures: length}]"),
              -0.5 * 9.81 * 0.3 * 0.3, 1e-6);
}

TEST(MarkerConstraint, is_active_as_its_function_of_time_says) {
  // From (2, 0, 2) over (2, 0, 1) to the mass at (2, 0, 0): its length is 2.
  EXPECT_NEAR(
      depth_after_release(
          "type: sound_belt, between: [{on: ground, at: [2, 0, 2]}, {on: ground, at: [2, 0, 1]}, mass]",
          " --plugin '" TRAMMEL_TEST_PLUGIN_DIR "/unsound_plugin.so'"),
      -0.5 * 9.81 * 0.3 * 0.3, 1e-6);
}

TEST(FormulaJoint, reports_a_typing_error_in_one_message_with_its_position) {
  const Workplace place;
  const Outcome outcome = place.run(R"(trammel: 1
bodies:
  ball: {type: point_mass, mass: 1, position: [0, 0, 0]}
joints:
  bowl:
    type: formula
    between: [ground, ball]
    parameters: {radius: 0.5}
    equations:
      - {zero: p.z - p.x^2/(2*radus), measures: length}
stages: [{type: dynamic, until: 0.1, step: 0.01}]
)");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("case.yaml:10:16: error: joint 'bowl' (formula): equation 1: column 16 of "
                        "'p.z - p.x^2/(2*radus)': unknown name 'radus'; did you mean 'radius'?"));
}

}  // namespace
}  // namespace trammel
