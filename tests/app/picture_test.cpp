// A run on two ranks, drawn: what each rank wrote comes together in one picture.

#include <gtest/gtest.h>

#include "command.hpp"
#include "picture.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using namespace testing::picture;

const char* const pendulum_of_beam_and_block = R"(trammel: 1
sections:
  bar: {shape: {type: rectangle, width: 0.1, height: 0.1}, material: {E: 1e8, nu: 0.3, rho: 1000}}
bodies:
  beam: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 8}
  block: {type: rigid_body, mass: 5, inertia: [0.05, 0.05, 0.05], position: [1.15, 0, 0], shape: {type: box, size: [0.3, 0.3, 0.3]}}
joints:
  pin: {type: revolute, axis: [0, 1, 0], between: [ground, beam.start], size: 0.2}
  weld: {type: fixed, between: [beam.end, block], position: [1, 0, 0]}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
stages:
  - {type: dynamic, until: 0.2, step: 0.01}
output: {vtk: {every: 10}}
)";

TEST(Picture, OfTwoRanksShowsSectionsBodiesAndForces) {
  const testing::Workplace here;
  const testing::Outcome run = here.run_on(2, pendulum_of_beam_and_block);
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string shot = (here / "picture.png").string();
  ASSERT_EQ(run_on_display(TRAMMEL_BINARY_DIR "/bin/trammel-render " + (here / "out").string() +
                           " --size 640x400 -o " + shot),
            0);
  EXPECT_GT(share(shot, is_section), 0.3);
  EXPECT_GT(share(shot, is_body), 0.3);
  EXPECT_GT(share(shot, is_force), 2 * axes_share);
}

}  // namespace
}  // namespace trammel
