// Runs whose energy comes from nowhere are stopped or warned of; what moves by functions of time, impacts, and rests is not.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "command.hpp"
#include "growing_pendulum.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using ::testing::AllOf;
using testing::growing_pendulum;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Table;
using testing::Workplace;

Outcome run(const Workplace& here, const std::string& text, const std::string& launcher = "") {
  here.write("case.yaml", text);
  return here.shell(launcher.empty() ? "trammel run case.yaml -o out"
                                     : launcher + " '" TRAMMEL_COMMAND "' run case.yaml -o out");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(EnergyGuard, stops_a_motion_that_grows_and_names_the_joint) {
  const Workplace here;
  const Outcome ended = run(here, growing_pendulum("until: 9, form: index3"));
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("came from nowhere, most of it at joint 'rod' (distance)"),
                               HasSubstr("the step of 0.05 s is too long for `form: index3`"),
                               HasSubstr("Try a smaller step, or `form: projected`")));
  const std::string log = here.read("out/run.log");
  EXPECT_EQ(count(log, "WARNING: at t = "), 1u) << log;
  EXPECT_LT(log.find("WARNING: at t = "), log.find("Try a smaller step"));
  EXPECT_THAT(log, AllOf(HasSubstr("\nsummary\n"), HasSubstr("J came from nowhere by t = "),
                         HasSubstr("\nresults in ")));
  // The state that it ended with is recorded, and it is still one of the motion.
  const Table all = testing::table_of(here.read("out/all.csv"));
  EXPECT_LT(all.rows.back()[0], 9);
  const auto total = static_cast<std::size_t>(
      std::ranges::find_if(all.names, [](const std::string& n) { return n.starts_with("total"); }) -
      all.names.begin());
  const double lowest = -9.81 * 1.2, start = all.rows.front()[total] - lowest;
  EXPECT_GT(all.rows.back()[total] - lowest, 1.1 * start);
  EXPECT_LT(all.rows.back()[total] - lowest, 2 * start);
}

TEST(EnergyGuard, is_the_same_on_several_ranks) {
  const Workplace here;
  const Outcome ended = run(here, growing_pendulum("until: 9, form: index3"), "mpirun -q -n 2");
  EXPECT_EQ(ended.status, 3) << ended.err;
  EXPECT_EQ(count(ended.err, "most of it at joint 'rod' (distance)"), 1u) << ended.err;
}

TEST(EnergyGuard, warns_or_ignores_as_the_case_says) {
  const Workplace here;
  const Outcome warned = run(here, growing_pendulum("until: 8, form: index3, energy: warn"));
  EXPECT_EQ(warned.status, 0) << warned.err;
  const std::string log = here.read("out/run.log");
  EXPECT_EQ(count(log, " came from nowhere"), 2u) << log;  // when it happens, and in the summary
  EXPECT_LT(log.find("WARNING: at t = "), log.find("summary"));
  const Outcome ignored = run(here, growing_pendulum("until: 8, form: index3, energy: ignore"));
  EXPECT_EQ(ignored.status, 0) << ignored.err;
  EXPECT_THAT(here.read("out/run.log"), Not(HasSubstr("came from nowhere")));
}

/// A mass that swings on a spring, whose elongation oscillates 20 times in a second and hardly counts among the positions: steps of a
/// tenth as accuracy gain energy from it.
std::string on_spring(const std::string& stage) {
  return R"(trammel: 1
bodies:
  bob: {type: point_mass, mass: 1, position: [1.2*sin(70*pi/180), 0, -1.2*cos(70*pi/180)], velocity: [0, 1.8, 0]}
elements:
  rod: {type: spring, between: [ground, bob], stiffness: 1e6}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
stages:
  - {type: dynamic, until: 20, radius: 1, )" +
         stage + "}\n";
}

double part_from_nowhere(const std::string& log) {
  const std::string before = "energy from nowhere ";
  const std::size_t at = log.find(before);
  return at == std::string::npos ? HUGE_VAL : std::stod(log.substr(at + before.size()));
}

TEST(EnergyGuard, shortens_steps_by_accuracy_that_would_gain_too_much) {
  const Workplace here;
  const Outcome free = run(here, on_spring("accuracy: 0.1, energy: warn"));
  ASSERT_EQ(free.status, 0) << free.err;
  EXPECT_GT(part_from_nowhere(here.read("out/run.log")), 25);
  const Outcome held = run(here, on_spring("accuracy: 0.1"));
  EXPECT_EQ(held.status, 0) << held.err;
  EXPECT_LE(part_from_nowhere(here.read("out/run.log")), 20);
}

TEST(EnergyGuard, ends_a_run_by_accuracy_if_shorter_steps_gain_as_much) {
  // The gradient of the stiffness by time is no part of the force, so a jump of the law brings energy that nothing tells of.
  const Workplace here;
  const Outcome ended = run(here, R"(trammel: 1
bodies:
  cart: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}
joints:
  track: {type: prismatic, between: [ground, cart], axis: [1, 0, 0], initial: {slide: 0.1},
          spring: {slide: {law: "if(t < 1, 100, 400)*track.slide"}}}
stages:
  - {type: dynamic, until: 3, accuracy: 1e-3}
)");
  EXPECT_EQ(ended.status, 3) << ended.err << here.read("out/run.log");
  EXPECT_THAT(ended.err, HasSubstr("Try a smaller `accuracy`, or a smaller `radius`"));
}

TEST(EnergyGuard, refuses_an_unknown_word) {
  const Workplace here;
  const Outcome refused = run(here, growing_pendulum("until: 1, energy: stopp"));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("case.yaml:11:"), HasSubstr("stopp"), HasSubstr("stop, warn, ignore")));
}

// Velocities of index 3 at this step are far off the constraint.
TEST(EnergyGuard, counts_no_work_of_a_constraint_without_time) {
  for (const std::string form : {"index3", "projected", "index2", "index1"}) {
    const Workplace here;
    const Outcome done = run(here, growing_pendulum("until: 4, energy: ignore, form: " + form));
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(here.read("out/run.log"), HasSubstr("dissipated or delivered 0\n")) << form;
  }
}

/// A scene with what may look like energy from nowhere and is none.
struct Scene {
  const char* name;
  std::string text;

  friend void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }
};

class QuietScene : public ::testing::TestWithParam<Scene> {};

TEST_P(QuietScene, gives_no_warning) {
  const Workplace here;
  const Outcome done = run(here, "trammel: 1\n" + GetParam().text);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(here.read("out/run.log"), AllOf(HasSubstr("summary"), Not(HasSubstr("WARNING"))));
}

const std::string rod =
    "bodies:\n  rod: {type: rigid_body, mass: 2, inertia: [0.01, 0.2, 0.2], position: [0.5, 0, 0]}\n";
const std::string pin =
    "  pin: {type: revolute, between: [ground, {on: rod, at: [-0.5, 0, 0]}], axis: [0, 0, 1]";
const std::string weight = "loads:\n  weight: {type: gravity, acceleration: [0, -9.81, 0]}\n";
const std::string motion = "stages: [{type: dynamic, until: 1, step: 0.005, form: projected}]\n";

INSTANTIATE_TEST_SUITE_P(
    EnergyGuard, QuietScene,
    ::testing::Values(
        Scene{"drive", rod + "joints:\n" + pin + ", motion: {angle: 2*sin(3*t)}}\n" + weight + motion},
        Scene{"distance_of_time",
              R"(bodies:
  bob: {type: point_mass, mass: 1, position: [1, 0, 0]}
joints:
  rod: {type: distance, between: [ground, bob], distance: 1 + 0.3*sin(5*t)}
)" + weight + motion},
        Scene{"shaker",
              rod +
                  "joints:\n  shaker: {type: prescribed_frame, between: [ground, rod], translation: [0, 0, "
                  "0.1*sin(20*t)]}\n" +
                  motion},
        Scene{"preloaded_spring",
              R"(bodies:
  bob: {type: point_mass, mass: 1, position: [1, 0, 0], velocity: [0, 0, 0.5]}
elements:
  left: {type: spring, between: [{at: [-1, 0, 0], on: ground}, bob], stiffness: 1e6, rest_length: 0.6}
  right: {type: spring, between: [bob, {at: [3, 0, 0], on: ground}], stiffness: 1e6, rest_length: 0.6}
stages: [{type: dynamic, until: 0.05, step: 1e-5, form: projected}]
)"},
        Scene{"rest",
              R"(bodies:
  bob: {type: point_mass, mass: 1, position: [0, -1, 0]}
joints:
  rod: {type: distance, between: [ground, bob]}
)" + weight + motion},
        Scene{"follower_load", rod + "joints:\n" + pin +
                                   R"(}
loads:
  push: {type: force, on: {on: rod, at: [0.5, 0, 0]}, force: [0, 3, 0], follower: yes}
)" + motion},
        Scene{"gravity_of_time", rod + "joints:\n" + pin +
                                     R"(}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0], factor: sin(4*t)}
)" + motion},
        Scene{"spring_law_of_time",
              R"(bodies:
  cart: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}
joints:
  track: {type: prismatic, between: [ground, cart], axis: [1, 0, 0], initial: {slide: 0.1}, spring: {slide: {law: "100*(1 + 0.5*sin(20*t))*track.slide"}}}
)" + motion},
        Scene{"loaded_at_rest_first",
              rod + "joints:\n" + pin + ", spring: {angle: {stiffness: 100}}}\n" + weight +
                  "stages: [{type: static, until: 1}, {type: dynamic, until: 2, step: "
                  "0.005, form: projected}]\n"}),
    [](const auto& scene) { return scene.param.name; });

}  // namespace
}  // namespace trammel
