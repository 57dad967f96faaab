// A slider that comes to the end of its curve, through the command.

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

/// A bead that runs along a wire from its middle, 0.1 m from either end, at 1 m/s.
std::string wire(const std::string& ends) {
  return R"(trammel: 1
bodies: {bead: {type: point_mass, mass: 2, velocity: [1, 0, 0]}}
curves: {wire: {type: line, from: [-0.1, 0, 0], to: [0.1, 0, 0]}}
joints: {slide: {type: curve_sliding, between: [wire, bead])" +
         ends +
         R"(}}
loads: {weight: {type: gravity, acceleration: [0, 0, -10]}}
sensors: {bead: {type: motion, of: bead}, slide: {type: outputs, of: slide}}
stages:
  - {type: dynamic, until: 0.2, step: 0.003, newton: {tolerance: 1e-12}}
)";
}

TEST(CurveEnds, end_the_run_by_default) {
  const Workplace workplace;
  const Outcome run = workplace.run(wire(""));
  EXPECT_EQ(run.status, 1) << run.out;
  EXPECT_THAT(run.err, HasSubstr("the slider runs off the end of curve 'wire' at s = 0.2 m, with 1 m/s"));
  const std::size_t time = run.err.find(" t = ");
  EXPECT_NE(time, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find(" t = ", time + 1), std::string::npos) << "one time: " << run.err;
}

TEST(CurveEnds, make_the_joint_inactive_within_a_step) {
  const Workplace workplace;
  const Outcome run = workplace.run(wire(", ends: inactive"));
  ASSERT_EQ(run.status, 0) << run.err;
  const auto bead = table_of(workplace.read("out/bead.csv"));
  // Gone at t = 0.1, which no step ends at.
  EXPECT_NEAR(at(bead, 0.2, "position.x"), 0.2, 1e-9);
  EXPECT_NEAR(at(bead, 0.2, "position.z"), -0.5 * 10 * 0.1 * 0.1, 1e-9);
  EXPECT_NEAR(at(bead, 0.2, "velocity.z"), -1, 1e-9);
  EXPECT_EQ(at(table_of(workplace.read("out/slide.csv")), 0.2, "active"), 0);
}

TEST(CurveEnds, yield_and_push_back) {
  const Workplace workplace;
  const Outcome run = workplace.run(wire(", ends: stop, end_stiffness: 2e4"));
  ASSERT_EQ(run.status, 0) << run.err;
  // Half a swing at w = sqrt(k/m) = 100 rad/s, in steps of 0.3 rad.
  EXPECT_NEAR(at(table_of(workplace.read("out/slide.csv")), 0.2, "s_rate"), -1, 0.01);
}

}  // namespace
}  // namespace trammel
