// Statics of what hangs: it has no stiffness until it is under tension.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::at;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::table_of;
using testing::Workplace;

/// A rod of half a metre on a joint at the tip of a cantilever, swung by `angle` from where it will hang, under a force of
/// 20 N down.
std::string hanging(const std::string& joint, const std::string& angle) {
  return "trammel: 1\n"
         "parameters: {a: " +
         angle +
         R"(}
bodies:
  arm: {type: beam, from: [0, 0, 0], to: [1, 0, 0], elements: 4, section: {
    stiffness: {EA: 1e6, GA: [4e5, 4e5], GJ: 100, EI: [100, 100]},
    mass: {rhoA: 1, J: [2e-3, 1e-3, 1e-3]}}}
  rod: {type: rigid_body, mass: 2, inertia: [0.1, 0.1, 0.1],
        position: [1 + 0.5*sin(a), 0, -0.5*cos(a)], markers: {top: {at: [-0.5*sin(a), 0, 0.5*cos(a)]}}}
joints:
  clamp: {type: fixed, between: [ground, arm.start]}
  hook: {between: [arm.end, rod.top], )" +
         joint +
         R"(}
loads: {pull: {type: force, on: rod, force: [0, 0, -20]}}
sensors:
  tip: {type: motion, of: arm.end}
  rod: {type: motion, of: rod}
  hook: {type: reaction, of: hook}
stages: [{type: static, until: 1, steps: 1, newton: {tolerance: 1e-11}}]
)";
}

void expect_straight_below(const Workplace& workplace) {
  const auto tip = table_of(workplace.read("out/tip.csv")), rod = table_of(workplace.read("out/rod.csv")),
             hook = table_of(workplace.read("out/hook.csv"));
  EXPECT_NEAR(at(rod, 1, "position.x"), at(tip, 1, "position.x"), 1e-9);
  EXPECT_NEAR(at(rod, 1, "position.z"), at(tip, 1, "position.z") - 0.5, 1e-9);
  EXPECT_LT(at(tip, 1, "position.z"), -0.06);
  EXPECT_NEAR(std::abs(at(hook, 1, "force_world.z")), 20, 1e-6);
}

TEST(Hanging, rod_comes_to_rest_below_its_joint) {
  for (const char* joint :
       {"type: universal, bars: [[1, 0, 0], [0, 1, 0]]", "type: revolute, axis: [0, 1, 0]",
        "type: revolute, axis: [0, 1, 0], coordinate: no"})
    for (const char* angle : {"0", "0.3", "pi/2", "2.5"}) {
      const Workplace workplace;
      const Outcome outcome = workplace.run(hanging(joint, angle));
      ASSERT_EQ(outcome.status, 0) << joint << " from " << angle << "\n" << outcome.err;
      EXPECT_THAT(outcome.out, HasSubstr("of them cut 0"));
      expect_straight_below(workplace);
    }
}

/// A rope of 10 m, weight 1 N/m, between two points: it sags by w L^2/8 H, H = EA (8/3) (sag/L)^2 + ..., so that sag^3 =
/// 3 w L^4/(64 EA), to (sag/L)^2; its bending stiffness changes that by 48 EI sag/(w L^4) = 1e-6.
TEST(Hanging, rope_that_is_taut_sags) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(
      R"(trammel: 1
bodies:
  rope: {type: beam, from: [0, 0, 0], to: [10, 0, 0], elements: 20, section: {
    stiffness: {EA: 1e5, GA: [4e4, 4e4], GJ: 1e-4, EI: [1e-3, 1e-3]},
    mass: {rhoA: 0.1, J: [2e-6, 1e-6, 1e-6]}}}
joints:
  left: {type: revolute, axis: [0, 1, 0], between: [ground, rope.start]}
  right: {type: spherical, between: [rope.end, ground]}
loads: {weight: {type: distributed, on: rope, force: [0, 0, -1]}}
sensors: {middle: {type: motion, of: rope.at(0.5)}}
stages: [{type: static, until: 1, steps: 1}]
)");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const double sag = std::cbrt(3.0 * 1e4 / (64 * 1e5));
  EXPECT_NEAR(-at(table_of(workplace.read("out/middle.csv")), 1, "displacement.z"), sag, 3e-3 * sag);
}

TEST(Hanging, rod_comes_to_rest_on_two_ranks) {
  const Workplace workplace;
  const Outcome outcome =
      workplace.run_on(2, hanging("type: universal, bars: [[1, 0, 0], [0, 1, 0]]", "0.3"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_straight_below(workplace);
}

TEST(Hanging, model_without_support_is_named) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(hanging("type: spherical", "0"));
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, HasSubstr("no stiffness or mass in 'rod.rotation' (3)"));
}

}  // namespace
}  // namespace trammel
