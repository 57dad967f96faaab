// Unilateral contact and dry friction, in all forms, against closed forms; see also the cases lift_off, block_on_incline and
// turntable.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Table;
using testing::Workplace;

class Contact : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Forms, Contact, ::testing::Values("index3", "index2", "index1"),
                         [](const auto& form) { return std::string(form.param); });

/// A block of 2 kg on a support that shakes as a (1 - cos(w t)), a w^2 > g: numbers of cases/lift_off.
TEST_P(Contact, lifts_off_flies_and_lands) {
  const Workplace here;
  const Outcome run = here.run(R"(trammel: 1
bodies:
  support: {type: rigid_body, mass: 5, inertia: [0.1, 0.1, 0.1]}
  block: {type: rigid_body, mass: 2, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0]}
joints:
  shaker: {type: prismatic, between: [ground, support], axis: [0, 0, 1], motion: {slide: 0.1*(1 - cos(12*t))}}
  guide: {type: prismatic, between: [ground, block], axis: [0, 0, 1]}
  contact: {type: point_contact, between: [support, block]}
loads: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
sensors:
  block: {type: motion, of: block}
  contact: {type: outputs, of: contact}
stages:
  - {type: dynamic, until: 0.6, step: 0.002, form: )" +
                               std::string(GetParam()) + ", newton: {tolerance: 1e-11}}\n");
  ASSERT_EQ(run.status, 0) << run.err;
  const Table block = testing::table_of(here.read("out/block.csv")),
              contact = testing::table_of(here.read("out/contact.csv"));
  EXPECT_NEAR(at(contact, 0.1, "normal_force"), 30.05590332893, 1e-2);
  EXPECT_EQ(at(contact, 0.1, "active"), 1);
  EXPECT_EQ(at(contact, 0.3, "active"), 0);
  EXPECT_EQ(at(contact, 0.3, "normal_force"), 0);
  EXPECT_NEAR(at(block, 0.4, "position.z"), 0.1402009925519, 1e-8);
  EXPECT_NEAR(at(block, 0.4, "velocity.z"), -1.148722236284, 1e-7);
  EXPECT_EQ(at(contact, 0.5, "active"), 1);
  EXPECT_NEAR(at(block, 0.6, "velocity.z"), 0.952401436619, 1e-4);
  EXPECT_NEAR(at(contact, 0.6, "normal_force"), 37.14051785853, 1e-2);
  EXPECT_THAT(run.out, HasSubstr("'contact' with 2.784"));  // N s
}

/// Numbers of cases/block_on_incline.
TEST_P(Contact, sticks_slips_and_sticks_again) {
  const Workplace here;
  const Outcome run = here.run(R"(trammel: 1
parameters: {slope: deg(20)}
bodies:
  block: {type: rigid_body, mass: 2, inertia: [0.02, 0.02, 0.02], rotation: {axis: [0, 1, 0], angle: slope}}
joints:
  upright: {type: generic, constrained: [0, 0, 0, 1, 1, 1], between: [{on: ground, rotation: {axis: [0, 1, 0], angle: slope}}, block]}
  plane: {type: point_contact, between: [{on: ground, rotation: {axis: [0, 1, 0], angle: slope}}, block], friction: {static: 0.5, kinetic: 0.4}}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  pull: {type: force, on: block, force: [6*sin(2*t)*cos(slope), 0, -6*sin(2*t)*sin(slope)]}
sensors:
  plane: {type: outputs, of: plane}
stages:
  - {type: dynamic, until: 3, step: 0.005, form: )" +
                               std::string(GetParam()) + ", newton: {tolerance: 1e-11}}\n");
  ASSERT_EQ(run.status, 0) << run.err;
  const Table plane = testing::table_of(here.read("out/plane.csv"));
  EXPECT_NEAR(at(plane, 0.2, "slip.1"), 0, 1e-12);
  EXPECT_NEAR(at(plane, 0.2, "friction_force.1"), -(2 * 9.81 * std::sin(M_PI / 9) + 6 * std::sin(0.4)), 1e-6);
  EXPECT_NEAR(at(plane, 1.5, "slip.1"), 2.421074861338, 5e-5);
  EXPECT_NEAR(at(plane, 1.5, "friction_force.1"), -7.374707687928, 1e-6);
  EXPECT_NEAR(at(plane, 3, "displacement.x"), 3.283967968089, 1e-4);
  EXPECT_NEAR(at(plane, 3, "slip.1"), 0, 1e-12);
  EXPECT_NEAR(at(plane, 3, "friction_force.1"), -5.033942222856, 1e-6);
}

/// A rod of length l turns about a contact at its end and strikes an obstacle at 0.6 l. Both contacts held, the first would
/// have to pull, 1/2 - 1/(3 * 0.6) < 0: it opens. About the obstacle the angular momentum stays: of the spin
/// (1/12 - 0.1/2)/(1/12 + 0.01) = 0.357143 is left.
TEST_P(Contact, opens_where_an_impact_would_pull) {
  const Workplace here;
  const Outcome run = here.run(R"(trammel: 1
bodies:
  rod: {type: rigid_body, mass: 1, inertia: [1e-3, 1/12, 1/12]}
joints:
  end: {type: point_contact, between: [ground, {on: rod, at: [-0.5, 0, 0]}]}
  obstacle: {type: point_contact, between: [{on: ground, at: [0, 0, -1e-3]}, {on: rod, at: [0.1, 0, 0]}]}
loads: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
sensors:
  rod: {type: motion, of: rod}
  end: {type: outputs, of: end}
  obstacle: {type: outputs, of: obstacle}
stages:
  - {type: dynamic, until: 0.02, step: 0.0005, form: )" +
                               std::string(GetParam()) + ", newton: {tolerance: 1e-11}}\n");
  ASSERT_EQ(run.status, 0) << run.err;
  const Table rod = testing::table_of(here.read("out/rod.csv")),
              end = testing::table_of(here.read("out/end.csv")),
              obstacle = testing::table_of(here.read("out/obstacle.csv"));
  // Two rows share the instant of the impact: before it and after it.
  const auto active = [](const Table& t, std::size_t row) {
    for (std::size_t i = 0; i < t.names.size(); ++i)
      if (t.names[i].rfind("active", 0) == 0) return t.rows[row][i];
    return -1.0;
  };
  std::size_t strikes = 1;
  while (strikes < obstacle.rows.size() && active(obstacle, strikes) == 0) ++strikes;
  ASSERT_LT(strikes, obstacle.rows.size());
  EXPECT_EQ(active(end, strikes - 1), 1);
  EXPECT_EQ(active(end, strikes), 0);
  std::size_t spin = 0;
  while (rod.names[spin].rfind("angular_velocity.y", 0) != 0) ++spin;
  const double g = 9.81, until = rod.rows[strikes][0] - rod.rows[strikes - 1][0];
  const double before = rod.rows[strikes - 1][spin] + 1.5 * g * until;
  // Afterwards gravity turns it back, with 0.1 g/(1/12 + 0.01).
  EXPECT_NEAR(rod.rows[strikes][spin] / before, 0.357143, 0.01);
  EXPECT_EQ(active(obstacle, obstacle.rows.size() - 1), 1);
}

/// A contact between `markers`, with what is `own`.
std::string block_with(const std::string& own, const std::string& joints = "") {
  return R"(trammel: 1
bodies:
  block: {type: rigid_body, mass: 2, inertia: [1, 1, 1]}
joints:
  contact: {type: point_contact, between: [ground, block])" +
         own + "}\n" + joints + "stages: [{type: dynamic, until: 0.1, step: 0.01}]\n";
}

TEST(BadContact, is_refused) {
  const auto message = [](const std::string& text) {
    const Outcome run = Workplace().run(text);
    EXPECT_EQ(run.status, 1);
    return run.err;
  };
  EXPECT_THAT(message(block_with(", restitution: 0.5")),
              HasSubstr("a restitution of 0.5 is not available yet"));
  EXPECT_THAT(message(block_with(", friction: -0.2")),
              HasSubstr("coefficient of friction is negative, -0.2"));
  EXPECT_THAT(message(block_with(", friction: {static: 0.1, kinetic: 0.2}")),
              HasSubstr("at rest, 0.1, is less than that of sliding, 0.2"));
}

TEST(BadContact, is_lifted_in_statics) {
  const auto text = [](const char* force) {
    return std::string(R"(trammel: 1
bodies:
  block: {type: rigid_body, mass: 2, inertia: [1, 1, 1]}
joints:
  guide: {type: prismatic, between: [ground, block], axis: [0, 0, 1]}
  contact: {type: point_contact, between: [ground, block]}
loads:
  push: {type: force, on: block, force: [0, 0, )") +
           force + "]}\nstages: [{type: static, steps: 4}]\n";
  };
  EXPECT_EQ(Workplace().run(text("-10")).status, 0);
  const Outcome run = Workplace().run(text("10*(t - 0.5)"));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err,
              HasSubstr("'contact' (point_contact) opens, closes or slips in the load step to t = 0.75"));
}

TEST(BadContact, that_repeats_an_equality_names_both_joints) {
  const Outcome run = Workplace().run(
      block_with("", "  guide: {type: prismatic, between: [ground, block], axis: [1, 0, 0], share: no}\n"));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(
      run.err,
      HasSubstr("joint 'contact' (point_contact) can open, but its equation follows from those of 'guide'"));
}

}  // namespace
}  // namespace trammel
