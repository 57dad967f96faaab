// Steps that follow from an accuracy.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <regex>

#include "command.hpp"
#include "histories.hpp"
#include "swinging_pendulum.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::pendulum;
using testing::Table;
using testing::Workplace;
using testing::x_at_2;
using testing::y_at_2;

struct Errors {
  double steps = 0, position = 0, velocity = 0, tension = 0;
};

Errors errors_at_2(double accuracy) {
  const Workplace here;
  const Outcome run = here.run(pendulum(fmt::format("accuracy: {}", accuracy)));
  EXPECT_EQ(run.status, 0) << run.err;
  const Table bob = testing::table_of(here.read("out/bob.csv")),
              rod = testing::table_of(here.read("out/rod.csv"));
  Errors e;
  std::smatch found;
  if (std::regex_search(run.out, found, std::regex("done: (\\d+) steps"))) e.steps = std::stod(found[1]);
  e.position =
      std::hypot(testing::at(bob, 2, "position.x") - x_at_2, testing::at(bob, 2, "position.y") - y_at_2);
  const double speed = std::sqrt(2 * 9.81 * -y_at_2);
  e.velocity =
      std::abs(std::hypot(testing::at(bob, 2, "velocity.x"), testing::at(bob, 2, "velocity.y")) - speed);
  e.tension = std::abs(testing::at(rod, 2, "tension") - 3 * 9.81 * -y_at_2);
  return e;
}

// Steps of this motion change all the time: longest at the lowest point, shortest at the ends.
TEST(Accuracy, gives_positions_velocities_and_multipliers_of_order_2) {
  const Errors coarse = errors_at_2(4e-4), fine = errors_at_2(2.5e-5);
  ASSERT_GT(coarse.steps, 50);
  const double ratio = std::log(fine.steps / coarse.steps);
  EXPECT_NEAR(std::log(coarse.position / fine.position) / ratio, 2, 0.2);
  EXPECT_NEAR(std::log(coarse.velocity / fine.velocity) / ratio, 2, 0.2);
  EXPECT_NEAR(std::log(coarse.tension / fine.tension) / ratio, 2, 0.2);
}

TEST(Accuracy, is_reached) {
  for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
    const Errors e = errors_at_2(accuracy);
    // The range is 2 m; a perturbed start grows threefold in 2 s.
    EXPECT_LT(e.position, 3 * 2 * accuracy) << accuracy;
    EXPECT_GT(e.position, 0.01 * accuracy) << accuracy;
  }
}

TEST(Accuracy, of_a_tenth_leaves_a_tenth_of_the_error) {
  const double ratio = errors_at_2(1e-4).position / errors_at_2(1e-3).position;
  EXPECT_GT(ratio, 0.05);
  EXPECT_LT(ratio, 0.2);
}

/// A ball at rest until a force sets in, within 0.4 ms, and moves it to and fro; or until a force grows from zero.
TEST(Accuracy, is_reached_where_motion_begins_late) {
  const auto found = [](const std::string& force) {
    const Workplace here;
    const Outcome run = here.run(fmt::format(R"yaml(trammel: 1
bodies:
  ball: {{type: point_mass, mass: 1, position: [0, 0, 0]}}
loads:
  push: {{type: force, on: ball, force: ["{}", 0, 0]}}
sensors:
  ball: {{type: motion, of: ball}}
stages:
  - {{type: dynamic, until: 2, accuracy: 1e-4}}
)yaml",
                                             force));
    EXPECT_EQ(run.status, 0) << run.err;
    return testing::at(testing::table_of(here.read("out/ball.csv")), 2, "position.x");
  };
  // With the ranges of rejected steps, which overshoot, the errors were 0.076 and 3.4e-5.
  EXPECT_NEAR(found("50*sin(20*t)*(1 + tanh((t - 1)/2e-4))/2"),
              2.5 * std::cos(20.0) - 0.125 * (std::sin(40.0) - std::sin(20.0)), 1e-4);
  EXPECT_NEAR(found("if(t < 1, 0, (t - 1)^3)"), 0.05, 0.05 * 1e-4);
}

/// The mass of cases/stick_slip, which begins to slip a second time at 13.8 s: steps become shorter at once by a factor of more than
/// ten there.
TEST(Accuracy, is_reached_where_friction_begins_to_slip) {
  const Workplace here;
  const Outcome run = here.run(R"yaml(trammel: 1
bodies:
  mass: {type: rigid_body, mass: 1, inertia: [0.01, 0.01, 0.01]}
joints:
  guide:
    type: prismatic
    between: [ground, mass]
    axis: [1, 0, 0]
    actuator: {slide: 2*(0.1*t - guide.slide)}
    friction:
      slide: {law: lugre, coefficient: 1, static: 1.5, stribeck: 0.001, stiffness: 1e5, damping: sqrt(1e5), viscous: 0.4, normal: 1}
sensors:
  slide: {type: signal, of: guide.slide}
stages:
  - {type: dynamic, until: 15, accuracy: 1e-6, newton: {tolerance: 1e-11}}
)yaml");
  ASSERT_EQ(run.status, 0) << run.err;
  const testing::Table slide = testing::table_of(here.read("out/slide.csv"));
  EXPECT_NEAR(testing::at(slide, 15, "value"), 0.9182797056, 1e-6);  // cases/stick_slip/reference.yaml
}

/// The block of cases/stops between two elastic stops: where it is at a time, with half a period of oscillation at each stop.
double between_stops(double t, double frequency) {
  const double gap = 0.1, contact = std::numbers::pi / frequency;
  t -= gap;  // v = 1 m/s
  double side = 1;
  while (t > contact + 2 * gap) {
    t -= contact + 2 * gap;
    side = -side;
  }
  if (t < 0) return gap + t;
  return side * (t < contact ? gap + std::sin(frequency * t) / frequency : gap - (t - contact));
}

/// The second stop is much stiffer: contact takes a hundredth of the time between two stops.
TEST(Accuracy, is_reached_where_elastic_stops_are_met) {
  for (const double stiffness : {2e4, 2e6})
    for (const double accuracy : {1e-3, 1e-4}) {
      const Workplace here;
      const Outcome run = here.run(fmt::format(R"yaml(trammel: 1
bodies:
  block: {{type: rigid_body, mass: 2, inertia: [0.02, 0.02, 0.02], velocity: [1, 0, 0]}}
joints:
  guide:
    type: prismatic
    between: [ground, block]
    axis: [1, 0, 0]
    stop: {{slide: {{from: -0.1, to: 0.1, stiffness: {}}}}}
sensors:
  slide: {{type: signal, of: guide.slide}}
stages:
  - {{type: dynamic, until: 1, accuracy: {}, newton: {{tolerance: 1e-11}}}}
output: {{csv: {{interval: 0.02}}}}
)yaml",
                                               stiffness, accuracy));
      ASSERT_EQ(run.status, 0) << run.err;
      const double frequency = std::sqrt(stiffness / 2);
      double largest = 0;
      for (const std::vector<double>& row : testing::table_of(here.read("out/slide.csv")).rows)
        largest = std::max(largest, std::abs(row[1] - between_stops(row[0], frequency)));
      // A perturbed start grows fourfold. Errors were 14 to 24 times this, and with the stiff stop the finer run gave up.
      EXPECT_LT(largest / (0.2 + 2 / frequency), 4 * accuracy) << stiffness << ", " << accuracy;
      EXPECT_GT(largest / (0.2 + 2 / frequency), 0.1 * accuracy) << stiffness << ", " << accuracy;
      // In free flight steps are as long as the motion there allows (16,002 in the last run where errors of the contact counted on).
      std::smatch found;
      ASSERT_TRUE(std::regex_search(run.out, found, std::regex("done: (\\d+) steps"))) << run.out;
      EXPECT_LT(std::stoi(found[1]), 10000) << stiffness << ", " << accuracy;
    }
}

// 200 rows and the start, at times that no step has to meet, as accurate as the steps.
TEST(Accuracy, writes_rows_at_nominal_times) {
  const Workplace here;
  const Outcome run = here.run(pendulum("accuracy: 1e-5"));
  ASSERT_EQ(run.status, 0) << run.err;
  const Table bob = testing::table_of(here.read("out/bob.csv"));
  ASSERT_EQ(bob.rows.size(), 201U);
  for (std::size_t i = 0; i < bob.rows.size(); ++i)
    EXPECT_NEAR(bob.rows[i][0], 0.01 * static_cast<double>(i), 1e-12);
  EXPECT_NEAR(testing::at(bob, 1, "position.x"), 0.986291751131875, 6e-5);
  EXPECT_NEAR(testing::at(bob, 1, "position.y"), -0.165010853125541, 6e-5);
  // On the constraint, and energy as it is, at all of them.
  for (const std::vector<double>& row : bob.rows) {
    EXPECT_NEAR(std::hypot(row[1], row[2]), 1, 2e-5);
    EXPECT_NEAR(0.5 * (row[7] * row[7] + row[8] * row[8]) + 9.81 * row[2], 0, 2e-3);
  }
}

TEST(Accuracy, writes_rows_and_frames_as_output_requests) {
  const Workplace here;
  const Outcome run =
      here.run(pendulum("accuracy: 1e-3", "output: {csv: {interval: 0.25}, vtk: {interval: 0.5}}\n"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(testing::table_of(here.read("out/bob.csv")).rows.size(), 9U);
  EXPECT_THAT(run.out, HasSubstr("5 frames"));
  const Workplace there;
  const Outcome all = there.run(pendulum("accuracy: 1e-3", "output: {csv: {every: 1}}\n"));
  std::smatch found;
  ASSERT_TRUE(std::regex_search(all.out, found, std::regex("done: (\\d+) steps")));
  EXPECT_EQ(testing::table_of(there.read("out/bob.csv")).rows.size(), std::stoul(found[1]) + 1);
}

TEST(Accuracy, is_estimated_in_the_summary) {
  const Outcome run = Workplace().run(pendulum("accuracy: 1e-3"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("accuracy: asked 0.001, estimated error"));
}

/// A mass that a rod of changing length pushes to and fro by 1e-5 m while it carries it over 0.3 m: of the force alone it makes 0.8 N.
std::string shaken(const std::string& steps) {
  return fmt::format(R"yaml(trammel: 1
bodies:
  bob: {{type: point_mass, mass: 1, position: [2, 0, 0]}}
joints:
  rod: {{type: distance, between: [ground, bob], distance: "2 + t + 1e-5*sin(200*t)"}}
sensors:
  rod: {{type: outputs, of: rod, channels: [tension]}}
stages:
  - {{type: dynamic, until: 0.3, {}}}
output: {{csv: {{every: 1}}}}
)yaml",
                     steps);
}

TEST(Accuracy, is_also_that_of_reactions_on_request) {
  const auto error = [](const std::string& steps, std::size_t& rows) {
    const Workplace here;
    const Outcome run = here.run(shaken(steps));
    EXPECT_EQ(run.status, 0) << run.err;
    const Table rod = testing::table_of(here.read("out/rod.csv"));
    rows = rod.rows.size();
    double largest = 0;
    for (const std::vector<double>& row : rod.rows)
      largest = std::max(largest, std::abs(row[1] - 0.4 * std::sin(200 * row[0])));
    return largest / 0.8;
  };
  std::size_t coarse = 0, fine = 0, finer = 0;
  EXPECT_GT(error("accuracy: 1e-3", coarse), 0.01);
  const double found = error("accuracy: {value: 1e-3, reactions: yes}", fine);
  EXPECT_LT(found, 2e-3);
  EXPECT_GT(found, 2e-4);
  const double ratio = error("accuracy: {value: 1e-4, reactions: yes}", finer) / found;
  EXPECT_GT(ratio, 0.05);
  EXPECT_LT(ratio, 0.2);
  EXPECT_LT(fine, 1000U);
  EXPECT_LT(finer, 4 * fine);
}

TEST(Accuracy, tells_the_error_of_reactions) {
  const Workplace here;
  const Outcome run = here.run(shaken("accuracy: {value: 1e-3, reactions: yes}"));
  ASSERT_EQ(run.status, 0) << run.err;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      run.out, found, std::regex("of the ranges of positions, ([\\d.e-]+) of those of reactions; ")))
      << run.out;
  EXPECT_GT(std::stod(found[1]), 2e-4);
  EXPECT_LT(std::stod(found[1]), 4e-3);
}

/// The rod vibrates so little that its bob needs no steps for that, and its tension more than 64 for each of those.
TEST(Accuracy, of_reactions_tells_where_steps_would_be_too_short) {
  const Workplace here;
  std::string text = shaken("accuracy: {value: 1e-6, reactions: yes}");
  text.replace(text.find("1e-5*sin(200*t)"), 15, "1e-8*sin(300*t)");
  const Outcome run = here.run(text);
  ASSERT_EQ(run.status, 0) << run.err;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      run.out, found,
      std::regex(
          "accuracy of reactions: not reached in (\\d+) steps, which would have to be more than 64 times "
          "shorter than positions need; the largest error is that of '([^']+)'")))
      << run.out;
  EXPECT_GT(std::stoi(found[1]), 1000);
  EXPECT_THAT(found[2], HasSubstr("rod"));
  ASSERT_TRUE(std::regex_search(run.out, found, std::regex("done: (\\d+) steps"))) << run.out;
  EXPECT_LT(std::stoi(found[1]), 64 * 100);
}

/// A bob on a straight rail on which a spring moves it to and fro, while a force across the rail jumps from 1 to 5 N.
const char* const pushed = R"yaml(trammel: 1
bodies:
  bob: {type: point_mass, mass: 1, position: [1, 0, 0]}
joints:
  rail: {type: point_on_line, between: [ground, bob], axis: [1, 0, 0]}
loads:
  pull: {type: force, on: bob, force: [-4, 0, 0]}
  push: {type: force, on: bob, force: [0, "if(t < 0.31234, 1, 5) + sin(3*t)", 0]}
sensors:
  rail: {type: outputs, of: rail}
stages:
  - {type: dynamic, until: 1, accuracy: {value: 1e-4, reactions: yes}}
)yaml";

TEST(Accuracy, of_reactions_passes_jumps_of_forces) {
  const Workplace here;
  const Outcome run = here.run(pushed);
  ASSERT_EQ(run.status, 0) << run.err;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(run.out, found, std::regex("done: (\\d+) steps"))) << run.out;
  EXPECT_LT(std::stoi(found[1]), 400);
  EXPECT_THAT(run.out, HasSubstr("accuracy of reactions: at t = 0.31"));
  EXPECT_THAT(run.out, HasSubstr("shorter steps did not reduce their error"));
  // Before and well after the jump they are as accurate as asked.
  const Table rail = testing::table_of(here.read("out/rail.csv"));
  for (const double t : {0.1, 0.2, 0.3, 0.6, 0.8, 1.0})
    EXPECT_NEAR(std::abs(testing::at(rail, t, "force_world.y")), (t < 0.31234 ? 1 : 5) + std::sin(3 * t),
                5e-4)
        << t;
}

/// A meter without mass that integrates cos(40 x) while its ball flies on without any force: s = sin(40 t)/40.
double error_of_meter(const std::string& accuracy) {
  const Workplace here;
  const Outcome run = here.run(R"yaml(trammel: 1
bodies:
  ball: {type: point_mass, mass: 1, velocity: [1, 0, 0]}
joints:
  meter:
    type: formula
    between: [ground, ball]
    coordinates: {s: {measures: length}}
    equations:
      - {zero: "s_rate - cos(40*p.x)", measures: velocity}
sensors:
  meter: {type: signal, of: meter.s}
stages:
  - {type: dynamic, until: 1, accuracy: )yaml" +
                               accuracy + "}\n");
  EXPECT_EQ(run.status, 0) << run.err;
  double largest = 0;
  for (const std::vector<double>& row : testing::table_of(here.read("out/meter.csv")).rows)
    largest = std::max(largest, std::abs(row[1] - std::sin(40 * row[0]) / 40));
  return largest / 0.05;
}

TEST(Accuracy, is_also_that_of_massless_coordinates_on_request) {
  EXPECT_GT(error_of_meter("1e-3"), 5e-3);  // the ball alone needs the hundred steps of every stage only
  const double found = error_of_meter("{value: 1e-3, massless: yes}");
  EXPECT_LT(found, 1e-3);
  EXPECT_GT(found, 1e-4);
  EXPECT_LT(error_of_meter("{value: 1e-4, massless: yes}"), 0.3 * found);
}

// A latch that opens and closes ever sooner towards t = 0.5.
TEST(Accuracy, names_what_makes_events_crowd) {
  for (const std::string row : {"[0, 1, 0, 0, 0, 0]", "[1, 0, 0, 0, 0, 0]"}) {  // redundant, and not
    const Workplace here;
    const Outcome run = here.run(R"yaml(trammel: 1
bodies:
  cart: {type: rigid_body, mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}
joints:
  track: {type: prismatic, between: [ground, cart], axis: [1, 0, 0]}
  latch: {type: generic, constrained: )yaml" +
                                 row + R"yaml(, active: sin(1/(0.5 - t)), between: [ground, cart]}
stages:
  - {type: dynamic, until: 0.6, accuracy: 1e-3}
)yaml");
    EXPECT_NE(run.status, 0);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(
        run.err, found,
        std::regex(
            "at t = ([\\d.]+) events crowd: the last \\d+ of them took [\\d.e-]+ s, each sooner than the one "
            "before, and none would come after t = ([\\d.]+); the last one is of joint 'latch' "
            "\\(generic\\)")))
        << run.err;
    EXPECT_LT(std::stod(found[1]), 0.5);
    EXPECT_GT(std::stod(found[1]), 0.49);
    EXPECT_NEAR(std::stod(found[2]), 0.5, 1e-3);
  }
}

// Positions of 1 km are known to 1e-13 m, of which a part stays in each of a hundred thousand steps.
TEST(Accuracy, that_rounding_does_not_allow_names_the_one_that_it_allows) {
  const auto far_away = [](const std::string& accuracy) {
    return R"(trammel: 1
bodies:
  bob: {type: point_mass, mass: 1, position: [999, 0, 0]}
joints:
  rod: {type: distance, between: [{on: ground, at: [1000, 0, 0]}, bob]}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
stages:
  - {type: dynamic, until: 2, accuracy: )" +
           accuracy + "}\n";
  };
  const Workplace here;
  const Outcome run = here.run(far_away("3e-9"));
  EXPECT_NE(run.status, 0);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(run.err, found,
                                std::regex("finer than rounding allows: about ([\\d.e-]+) is possible")))
      << run.err;
  const Workplace there;
  const Outcome possible = there.run(far_away(fmt::format("{}", 2 * std::stod(found[1]))));
  EXPECT_EQ(possible.status, 0) << possible.err;
}

/// A block over its support, `height` above it, that is pulled up.
std::string block(double height, double pull) {
  return fmt::format(R"(trammel: 1
bodies:
  block: {{type: rigid_body, mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0, {}]}}
joints:
  guide: {{type: prismatic, between: [ground, block], axis: [0, 0, 1]}}
  contact: {{type: point_contact, between: [ground, block]}}
loads:
  weight: {{type: gravity, acceleration: [0, 0, -9.81]}}
  pull: {{type: force, on: block, force: [0, 0, {}]}}
sensors:
  block: {{type: motion, of: block}}
stages:
  - {{type: dynamic, until: 0.5, accuracy: 1e-4, form: projected}}
)",
                     height, pull);
}

TEST(Accuracy, accepts_an_event_at_the_start) {
  const Workplace here;
  const Outcome run = here.run(block(0, 39.62));
  ASSERT_EQ(run.status, 0) << run.err;
  const Table path = testing::table_of(here.read("out/block.csv"));
  EXPECT_NEAR(testing::at(path, 0.5, "position.z"), 0.5 * 10 * 0.25, 1e-4 * 1.25);
}

TEST(Accuracy, writes_two_rows_at_an_event) {
  const Workplace here;
  const Outcome run = here.run(block(0.1, 0));
  ASSERT_EQ(run.status, 0) << run.err;
  const Table path = testing::table_of(here.read("out/block.csv"));
  const double lands = std::sqrt(2 * 0.1 / 9.81);
  int twice = 0;
  for (std::size_t i = 1; i < path.rows.size(); ++i)
    if (path.rows[i][0] == path.rows[i - 1][0]) {
      ++twice;
      EXPECT_NEAR(path.rows[i][0], lands, 1e-5);
      EXPECT_NEAR(path.rows[i - 1][9], -9.81 * lands, 1e-4);
      EXPECT_NEAR(path.rows[i][9], 0, 1e-9);
    }
  EXPECT_EQ(twice, 1);
  EXPECT_NEAR(testing::at(path, 0.5, "position.z"), 0, 1e-9);
}

TEST(Accuracy, is_reached_by_all_forms) {
  for (const std::string form : {"index3", "index2", "index1"}) {
    const Workplace here;
    std::string text = pendulum("accuracy: 1e-4");
    text.replace(text.find("projected"), 9, form);
    const Outcome run = here.run(text);
    ASSERT_EQ(run.status, 0) << run.err;
    const Table bob = testing::table_of(here.read("out/bob.csv"));
    EXPECT_NEAR(testing::at(bob, 2, "position.x"), x_at_2, 6e-4) << form;
    EXPECT_NEAR(testing::at(bob, 2, "position.y"), y_at_2, 6e-4) << form;
  }
}

TEST(Accuracy, is_the_same_on_two_ranks) {
  const Workplace here, there;
  std::string text = pendulum("accuracy: 1e-2");
  text.replace(text.find("until: 2"), 8, "until: 0.5");
  ASSERT_EQ(here.run(text).status, 0);
  const Outcome both = there.run_on(2, text);
  ASSERT_EQ(both.status, 0) << both.err;
  const Table one = testing::table_of(here.read("out/bob.csv")),
              two = testing::table_of(there.read("out/bob.csv"));
  ASSERT_EQ(one.rows.size(), two.rows.size());
  EXPECT_NEAR(testing::at(one, 0.5, "position.x"), testing::at(two, 0.5, "position.x"), 1e-9);
}

std::string refusal(const std::string& steps) {
  const Workplace here;
  const Outcome run = here.run(pendulum(steps));
  EXPECT_NE(run.status, 0);
  return run.err;
}

TEST(Accuracy, refuses_bad_input) {
  EXPECT_THAT(refusal("accuracy: 0"),
              HasSubstr("12:41: error: stage 1 (dynamic): 'accuracy' = 0: must be above 0"));
  EXPECT_THAT(refusal("accuracy: -1e-3"), HasSubstr("'accuracy' = -0.001: must be above 0"));
  EXPECT_THAT(refusal("accuracy: {value: 0}"), HasSubstr("'accuracy' = 0: must be above 0"));
  EXPECT_THAT(refusal("accuracy: 1e-12"),
              HasSubstr("'accuracy' = 1e-12 is finer than rounding allows: at least 1e-10"));
  EXPECT_THAT(refusal("accuracy: 0.5"), HasSubstr("at most 0.1"));
  EXPECT_THAT(refusal("accuracy: 1e-3, step: 0.01"), HasSubstr("'accuracy' and 'step' exclude each other"));
  EXPECT_THAT(refusal("accuracy: 1e-3, steps: 10"), HasSubstr("'accuracy' and 'steps' exclude each other"));
  EXPECT_THAT(refusal("accuracy: 1e-3, method: radau"),
              HasSubstr("'accuracy' belongs to `method: generalized_alpha`"));
  EXPECT_THAT(refusal("radius: 0.9"),
              HasSubstr("a dynamic stage needs one of 'accuracy', 'step' and 'steps'"));
  EXPECT_THAT(refusal("accuracy: {check: yes}"), HasSubstr("'value' is missing"));
  EXPECT_THAT(refusal("accuracy: {value: 1e-3, chek: yes}"),
              HasSubstr("unknown key 'chek'; did you mean 'check'?"));
}

}  // namespace
}  // namespace trammel
