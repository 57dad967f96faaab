// --restart-anyway: another case goes on from a checkpoint, with what fits it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "io/files/checkpoint_file.hpp"
#include "swinging_rod.hpp"

namespace trammel {
namespace {

using ::testing::AllOf;
using testing::at;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::run_with_two_checkpoints;
using testing::swinging_rod;
using testing::Table;
using testing::table_of;
using testing::with;
using testing::Workplace;

const double g = 9.81;

/// Goes on in the folder `other` from out/checkpoint_0001.h5 with another text of the case.
Outcome go_on(const Workplace& place, const std::string& text, int ranks = 1) {
  place.write("case.yaml", text);
  return place.shell(testing::command_on(ranks) +
                     " run case.yaml -o other --restart out/checkpoint_0001.h5 --restart-anyway");
}

TEST(RestartAnyway, with_another_mass_begins_the_stage_with_its_acceleration) {
  const Workplace place;
  run_with_two_checkpoints(place);
  const Outcome outcome = place.shell(
      "trammel run case.yaml -o out --restart out/checkpoint_0001.h5 --set mass=3 --restart-anyway");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      AllOf(
          HasSubstr("WARNING: goes on although it differs: bodies.rod.mass = 3, was 2"),
          HasSubstr("taken over from the checkpoint: positions, velocities, multipliers and the histories of "
                    "all entities"),
          HasSubstr("the stage begins anew at t = 0.13 s"), Not(HasSubstr("initial value"))));
  const Table table = table_of(place.read("out/rod.csv"));
  // Both lines of the instant, the state before and the one with the other mass, in one history without a gap.
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (std::abs(table.rows[i][0] - 0.13) < 1e-9) lines.push_back(i);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(table.rows.size(), 202U);
  // (I + m l^2) a = m g l cos(angle), the centre at l = 1/2.
  const double cosine = at(table, 0.13, "position.x") / 0.5;
  EXPECT_NEAR(at(table, 0.13, "angular_acceleration_body.z"), -3 * g * 0.5 * cosine / (1.0 / 6 + 3 * 0.25),
              1e-6);
}

TEST(RestartAnyway, with_other_entities_lists_what_is_taken_over_and_what_begins_at_its_initial_value) {
  for (const int ranks : {1, 2}) {
    const Workplace place;
    run_with_two_checkpoints(place);
    const Table before = table_of(place.read("out/rod.csv"));
    // The pin breaks, and a ball comes in.
    std::string text = swinging_rod;
    const std::size_t joints = text.find("joints:"), loads = text.find("loads:");
    text.erase(joints, loads - joints);
    text = with(text, "bodies:\n",
                "bodies:\n  ball: {type: point_mass, mass: 1, position: [3, 2, 0], velocity: [1, 0, 0]}\n");
    text = with(text, "sensors:\n", "sensors:\n  ball: {type: motion, of: ball}\n");
    const Outcome outcome = go_on(place, text, ranks);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(
        outcome.out,
        AllOf(HasSubstr("WARNING: the case has other entities than the checkpoint; missing: joint 'pin' "
                        "(revolute); new: body 'ball' (point_mass); sensor 'ball' (motion)"),
              HasSubstr(
                  "histories of body 'rod' (rigid_body); load 'weight' (gravity); sensor 'rod' (motion)\n"),
              HasSubstr("begins at its initial value: body 'ball' (point_mass); sensor 'ball' (motion)\n"),
              HasSubstr("dropped from the checkpoint: joint 'pin' (revolute)\n"),
              HasSubstr("the stage begins anew at t = 0.13 s")));
    // Both fly freely from there: the rod with the velocity that it had.
    const Table rod = table_of(place.read("other/rod.csv")), ball = table_of(place.read("other/ball.csv"));
    const double t = 0.2 - 0.13;
    const auto was = [&](const std::string& channel) { return at(before, 0.13, channel); };
    EXPECT_NEAR(at(rod, 0.2, "position.x"), was("position.x") + was("velocity.x") * t, 1e-7);
    EXPECT_NEAR(at(rod, 0.2, "position.y"), was("position.y") + was("velocity.y") * t - g * t * t / 2, 1e-7);
    EXPECT_NEAR(at(rod, 0.2, "angular_velocity_body.z"), was("angular_velocity_body.z"), 1e-7);
    EXPECT_NEAR(at(ball, 0.13, "position.y"), 2, 1e-12);
    EXPECT_NEAR(at(ball, 0.2, "position.x"), 3 + t, 1e-7);
    EXPECT_NEAR(at(ball, 0.2, "position.y"), 2 - g * t * t / 2, 1e-7);
  }
}

TEST(RestartAnyway, with_other_entities_needs_another_folder) {
  const Workplace place;
  run_with_two_checkpoints(place);
  place.write("case.yaml", with(swinging_rod, "sensors:\n", "sensors:\n  all: {type: energy}\n"));
  const Outcome without = place.shell("trammel run case.yaml -q -o out --restart");
  EXPECT_EQ(without.status, 1);
  EXPECT_THAT(without.err, AllOf(HasSubstr("new: sensor 'all' (energy)"), HasSubstr("(--restart-anyway")));
  const Outcome same =
      place.shell("trammel run case.yaml -q -o out --restart out/checkpoint_0001.h5 --restart-anyway");
  EXPECT_EQ(same.status, 1);
  EXPECT_THAT(same.err, HasSubstr("-o must name another folder than the checkpoint's"));
}

/// Two bodies that are one where `bond` holds them: b is turned by 40 degrees against a.
std::string bonded(bool bond) {
  return std::string(R"yaml(trammel: 1
bodies:
  a: {type: rigid_body, mass: 2, inertia: [0.1, 0.2, 0.3], velocity: [1, 0.5, 0], angular_velocity: [0.3, 2, 1]}
  b:
    type: rigid_body
    mass: 1
    inertia: [0.2, 0.1, 0.2]
    rotation: [cos(deg(20)), 0, 0, sin(deg(20))]
    velocity: [1, 0.5, 0]
    angular_velocity: [0.3*cos(deg(40)) + 2*sin(deg(40)), 2*cos(deg(40)) - 0.3*sin(deg(40)), 1]
)yaml") + (bond ? "joints:\n  bond: {type: fixed, between: [a, b]}\n" : "") +
         R"yaml(sensors:
  a: {type: motion, of: a}
  b: {type: motion, of: b}
stages:
  - {type: dynamic, until: 0.2, step: 0.001}
)yaml";
}

TEST(RestartAnyway, takes_over_bodies_that_were_identified) {
  for (const int ranks : {1, 2}) {
    const Workplace place;
    place.write("case.yaml", bonded(true));
    const Outcome whole = place.shell("trammel run case.yaml -o out --checkpoint-every 100");
    ASSERT_EQ(whole.status, 0) << whole.err;
    EXPECT_THAT(whole.out, HasSubstr("unknowns                      6")) << "the bodies are not identified";
    const Outcome outcome = go_on(place, bonded(false), ranks);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("initial value")));
    for (const std::string body : {"a", "b"}) {
      const Table before = table_of(place.read("out/" + body + ".csv")),
                  after = table_of(place.read("other/" + body + ".csv"));
      for (const std::string channel :
           {"position.x", "position.y", "quaternion.w", "quaternion.x", "quaternion.y", "quaternion.z",
            "velocity.x", "velocity.y", "angular_velocity_body.x", "angular_velocity_body.y",
            "angular_velocity_body.z"})
        EXPECT_NEAR(at(before, 0.1, channel), at(after, 0.1, channel), 1e-12) << body << " " << channel;
    }
    // Free, they come apart: each turns by its own inertia.
    const Table a = table_of(place.read("other/a.csv")), b = table_of(place.read("other/b.csv"));
    EXPECT_GT(std::abs(at(a, 0.2, "angular_velocity_body.x") -
                       at(table_of(place.read("out/a.csv")), 0.2, "angular_velocity_body.x")),
              1e-4);
  }
}

TEST(RestartAnyway, refuses_a_joint_that_would_pull_together_what_has_come_apart) {
  const Workplace place;
  place.write("case.yaml", with(bonded(false), "b:\n    type: rigid_body\n    mass: 1",
                                "b:\n    type: rigid_body\n    mass: 1.0"));
  ASSERT_EQ(place.shell("trammel run case.yaml -q -o out --checkpoint-every 100").status, 0);
  const Outcome outcome = go_on(place, bonded(true));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("joints that the checkpoint does not know are to hold together what has moved "
                              "apart: 'b"),
                    HasSubstr("' by 0.")));
}

/// A beam that hangs down, and a ball beside it.
std::string beam_and_ball(int elements) {
  return fmt::format(R"yaml(trammel: 1
sections:
  rod: {{shape: {{type: circle, radius: 0.02}}, material: {{E: 1e7, nu: 0.3, rho: 1000}}}}
bodies:
  rod: {{type: beam, section: rod, from: [0, 0, 0], to: [1, 0, 0], elements: {}}}
  ball: {{type: point_mass, mass: 1, position: [0, 2, 0]}}
joints:
  pin: {{type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}}
loads:
  weight: {{type: gravity, acceleration: [0, -9.81, 0]}}
sensors:
  ball: {{type: motion, of: ball}}
  tip: {{type: motion, of: rod.end}}
stages:
  - {{type: dynamic, until: 0.1, step: 0.001}}
)yaml",
                     elements);
}

TEST(RestartAnyway, begins_a_body_with_other_elements_at_its_initial_value) {
  for (const auto& [first, second] : {std::pair{4, 6}, {6, 4}}) {
    const Workplace place;
    place.write("case.yaml", beam_and_ball(first));
    ASSERT_EQ(place.shell("trammel run case.yaml -q -o out --checkpoint-every 50").status, 0);
    const Outcome outcome = go_on(place, beam_and_ball(second));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr(fmt::format("bodies.rod.elements = {}, was {}", second, first)),
                      HasSubstr("begins at its initial value: body 'rod' (beam); joint 'pin' (revolute)\n")));
    const Table ball = table_of(place.read("other/ball.csv")), tip = table_of(place.read("other/tip.csv"));
    EXPECT_NEAR(at(ball, 0.1, "position.y"), 2 - g * 0.005, 1e-7);
    EXPECT_NEAR(at(tip, 0.05, "position.x"), 1, 1e-12);
    EXPECT_NEAR(at(tip, 0.05, "position.y"), 0, 1e-12);
  }
}

TEST(RestartAnyway, a_spring_that_is_moved_to_another_body_acts_there) {
  const auto text = [](const std::string& body) {
    return R"yaml(trammel: 1
bodies:
  a: {type: point_mass, mass: 2, position: [1, 0, 0], velocity: [1, 0, 0]}
  b: {type: point_mass, mass: 2, position: [2, 0, 0], velocity: [1, 0, 0]}
elements:
  spring: {type: spring, between: [ground, )yaml" +
           body + R"yaml(], stiffness: 8, rest_length: 1}
sensors:
  a: {type: motion, of: a}
  b: {type: motion, of: b}
stages:
  - {type: dynamic, until: 0.2, step: 0.0005}
)yaml";
  };
  const Workplace place;
  place.write("case.yaml", text("a"));
  ASSERT_EQ(place.shell("trammel run case.yaml -q -o out --checkpoint-every 200").status, 0);
  const Outcome outcome = go_on(place, text("b"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // a swung with 2 rad/s about x = 1 and goes on freely; b was free, and swings now.
  const Table a = table_of(place.read("other/a.csv")), b = table_of(place.read("other/b.csv"));
  const double w = 2, t = 0.1;
  EXPECT_NEAR(at(a, 0.2, "position.x"), 1 + std::sin(w * t) / w + std::cos(w * t) * t, 1e-6);
  EXPECT_NEAR(at(b, 0.2, "position.x"), 1 + (1 + t) * std::cos(w * t) + std::sin(w * t) / w, 1e-6);
}

/// Runs with a version of the plugin `tearing`.
std::string with_plugin(int version) {
  return fmt::format("TRAMMEL_PLUGIN_PATH=$PWD/plugins_{} '" TRAMMEL_COMMAND "' run '" TRAMMEL_SOURCE_DIR
                     "/sdk/examples/tearing/case.yaml' -o ",
                     version);
}

class Migration : public ::testing::Test {
 protected:
  Migration() {
    for (const std::string version : {"1", "2"})
      place.shell("mkdir plugins_" + version + " && cp " TRAMMEL_TEST_PLUGIN_DIR "/tearing_" + version +
                  ".so plugins_" + version);
  }
  Workplace place;
};

TEST_F(Migration, a_checkpoint_of_version_1_goes_on_with_the_plugin_of_version_2) {
  ASSERT_EQ(place.shell(with_plugin(1) + "one -q --checkpoint-every 1500 && cp -r one two").status, 0);
  const std::string restart = "two -q --checkpoint-every 1500 --restart two/checkpoint_0001.h5";
  const Outcome refused = place.shell(with_plugin(2) + restart);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("plugin 'tearing' 2.0, was 1.0"));
  const Outcome outcome = place.shell(with_plugin(2) + restart + " --restart-anyway");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // After its first deflection, the largest of all, version 1 tore no further; version 2, told of one largest deflection for
  // both sides, does the same. A side that had begun anew would be as stiff as at the start.
  const Table one = table_of(place.read("one/spring.csv")), two = table_of(place.read("two/spring.csv"));
  ASSERT_EQ(one.rows.size(), two.rows.size());
  const testing::Difference stiffness = testing::difference(one, two, "stiffness"),
                            force = testing::difference(one, two, "force");
  EXPECT_LE(stiffness.largest, 1e-12 * stiffness.range);
  EXPECT_LE(force.largest, 1e-9 * force.range);
  EXPECT_LT(at(two, 3, "stiffness"), 7);
  EXPECT_EQ(stiffness.range, 40);
}

TEST_F(Migration, a_checkpoint_of_version_2_is_refused_by_the_plugin_of_version_1) {
  ASSERT_EQ(place.shell(with_plugin(2) + "out -q --checkpoint-every 1500").status, 0);
  const Outcome refused =
      place.shell(with_plugin(1) + "out -q --restart out/checkpoint_0001.h5 --restart-anyway");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("what was saved of 'axle.angle.tearing' (tearing) cannot be read: its history has "
                        "version 2, and this plugin reads version 1: a newer plugin is needed that reads "
                        "version 2"));
  EXPECT_THAT(place.read("out/run.log"), HasSubstr("plugin 'tearing' 1.0, was 2.0"));
}

}  // namespace
}  // namespace trammel
