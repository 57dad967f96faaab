// Free pairs of bodies that tumble fast, in every form of the equations of motion.

#include <gtest/gtest.h>

#include <cmath>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::Outcome;
using testing::Table;
using testing::Workplace;

std::string homokinetic_pair(const std::string& form) {
  return R"(trammel: 1
bodies:
  a: {type: rigid_body, mass: 2, inertia: [0.3, 0.4, 0.5], angular_velocity: [3, -2, 4]}
  b: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.35, -0.1, 0.7], velocity: [0.05, 0.1, -0.1],
      angular_velocity: [-2.5, 1, 0.5]}
joints:
  ball: {type: constant_velocity, axis: [0, 0, 1], assemble: yes, between: [{on: a, at: [0.3, -0.2, 0.5]}, {on: b, at: [-0.1, 0, -0.2]}]}
sensors:
  ball: {type: outputs, of: ball}
  total: {type: energy}
stages:
  - {type: assemble}
  - {type: dynamic, until: 2.4, step: 0.005, radius: 0.9, start: consistent, form: )" +
         form + R"(}
)";
}

// The shafts come to a bend of half a turn at t = 1.79 s with a finite speed, and close to a whole turn at 2.28 s.
TEST(Tumble, bends_shafts_through_half_a_turn) {
  for (const std::string form : {"index3", "projected", "index2", "index1"}) {
    const Workplace here;
    const Outcome run = here.run(homokinetic_pair(form));
    ASSERT_EQ(run.status, 0) << form << run.err;
    const Table ball = testing::table_of(here.read("out/ball.csv")),
                total = testing::table_of(here.read("out/total.csv"));
    EXPECT_LT(testing::at(ball, 1.7, "bend ["), 3.0) << form;
    EXPECT_GT(testing::at(ball, 1.9, "bend ["), 3.4) << form;
    EXPECT_NEAR(testing::at(ball, 2.25, "bend ["), 6.02, 0.03) << form;
    // The joint does no work: what changes is the method's own error, of second order.
    EXPECT_NEAR(testing::at(total, 2.25, "total ["), testing::at(total, 0, "total ["), 2e-3) << form;
  }
}

}  // namespace
}  // namespace trammel
