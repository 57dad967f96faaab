// Functions and kinds of stages that a plugin brings, and signals of sensors, through the command.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "command.hpp"
#include "histories.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using testing::at;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::table_of;
using testing::Workplace;

const std::string plugin = "trammel: 1\nplugins: [" TRAMMEL_TEST_PLUGIN_DIR "/kinds_plugin.so]\n";

TEST(PluginKinds, include_a_function_that_loads_a_mass) {
  const Workplace here;
  const Outcome run = here.run(plugin + R"yaml(
bodies: {bead: {type: point_mass, mass: 2}}
functions: {push: {type: parabola, factor: 6}}
loads: {push: {type: force, on: bead, force: [push, 0, 0]}}
sensors: {bead: {type: motion, of: bead}}
stages: [{type: dynamic, until: 1, step: 0.001}]
output: {csv: {every: 1000}}
)yaml");
  ASSERT_EQ(run.status, 0) << run.err;
  // 2 x'' = 6 t^2
  EXPECT_NEAR(at(table_of(here.read("out/bead.csv")), 1, "velocity.x"), 1, 1e-6);
}

TEST(PluginKinds, include_a_kind_of_stage_that_stands_for_two) {
  const Workplace here;
  const Outcome run = here.run(plugin + R"yaml(
bodies: {bead: {type: point_mass, mass: 2, position: [0.1, 0, 0]}}
elements: {spring: {type: spring, between: [ground, bead], stiffness: 8}}
stages: [{type: load_then_move, until: 0.1}]
)yaml");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(
      here.run(plugin + "bodies: {bead: {type: point_mass, mass: 2}}\nstages: [{type: load_then_move}]\n")
          .err,
      HasSubstr("stage 1 (load_then_move): 'until' is missing"));
}

TEST(PluginKinds, include_a_load_that_reads_the_velocity_of_a_sensor) {
  // A brake: 2 v' = -3 v.
  const Workplace here;
  const Outcome run = here.run(R"yaml(trammel: 1
bodies: {bead: {type: point_mass, mass: 2, velocity: [1, 0, 0]}}
loads: {brake: {type: force, on: bead, force: [-3*speed.velocity.x, 0, 0]}}
sensors: {speed: {type: motion, of: bead}}
stages: [{type: dynamic, until: 1, step: 0.001}]
output: {csv: {every: 1000}}
)yaml");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NEAR(at(table_of(here.read("out/speed.csv")), 1, "velocity.x"), std::exp(-1.5), 1e-6);
}

}  // namespace
}  // namespace trammel
