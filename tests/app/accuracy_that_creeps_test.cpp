// Steps by accuracy that become so short that a run would not end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"

namespace trammel {
namespace {

/// A force of 1e7 1/s shakes a block for some 0.1 ms of a stage of 10 s.
TEST(Accuracy, that_makes_steps_creep_is_told) {
  const testing::Workplace here;
  const testing::Outcome run = here.run(R"yaml(trammel: 1
bodies:
  block: {type: rigid_body, mass: 2, inertia: [0.02, 0.02, 0.02], velocity: [1, 0, 0]}
joints:
  guide: {type: prismatic, between: [ground, block], axis: [1, 0, 0], actuator: {slide: "4e13*cos(1e7*t)*exp(-(t/4e-5)^2)"}}
stages:
  - {type: dynamic, until: 10, accuracy: 1e-3}
)yaml");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out + run.err, ::testing::HasSubstr("WARNING: t = "));
  EXPECT_THAT(run.out + run.err,
              ::testing::HasSubstr("for an accuracy of 0.001 the last 5000 steps covered"));
  EXPECT_THAT(run.out + run.err, ::testing::HasSubstr("the largest error is that of block.position"));
}

}  // namespace
}  // namespace trammel
