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
  const std::string launcher =
      ranks > 1 ? "mpirun -q --oversubscribe -n " + std::to_string(ranks) + " '" TRAMMEL_COMMAND "'"
                : "trammel";
  const Outcome outcome =
      place.shell(launcher + " run '" + cases + name + "/case.yaml' -o out --set frames=1000000 " + options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return table_of(place.read("out/" + history + ".csv"));
}

TEST(FormulaJoint, GivesTheSameOnEveryNumberOfRanks) {
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

TEST(FormulaJoint, AHingeByFormulaMovesAsTheRevoluteJoint) {
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

TEST(FormulaJoint, ATypingErrorIsOneMessageWithItsPlace) {
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
