// Initial values and rates of joint coordinates, through the command.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Table;
using testing::Workplace;

constexpr double a = 0.2, b = 0.6, c = 0.4, d = 0.7;  // crank, coupler, rocker, ground
constexpr double crank_drawn = 1.1;                   // angle of the crank as the case draws it

struct Pose {
  double coupler, rocker;
};

/// The open four-bar, its coupler above: angles of coupler and rocker to the ground.
Pose pose_at(double crank) {
  const double x = d - a * std::cos(crank),
               y = -a * std::sin(crank);  // from the crank's end to the rocker's pivot
  const double l = std::hypot(x, y), direction = std::atan2(y, x);
  const double coupler = direction + std::acos((b * b + l * l - c * c) / (2 * b * l));
  const double px = a * std::cos(crank) + b * std::cos(coupler) - d,
               py = a * std::sin(crank) + b * std::sin(coupler);
  return {coupler, std::atan2(py, px)};
}

/// Rates of coupler and rocker: of a' + b' = c'.
Pose rates_at(double crank, double rate) {
  const Pose p = pose_at(crank);
  const double lift = a * rate;
  return {lift * std::sin(p.rocker - crank) / (b * std::sin(p.coupler - p.rocker)),
          lift * std::sin(crank - p.coupler) / (c * std::sin(p.rocker - p.coupler))};
}

/// The bars as they are drawn, with full digits by expressions of the case.
std::string four_bar(const std::string& at_A, const std::string& at_D = "", const std::string& stages = "") {
  const Pose p = pose_at(crank_drawn);
  char numbers[300];
  std::snprintf(numbers, sizeof numbers,
                "parameters: {a: %.17g, b: %.17g, c: %.17g, d: %.17g, u: %.17g, v: %.17g, w: %.17g}\n", a, b,
                c, d, crank_drawn, p.coupler, p.rocker);
  return "trammel: 1\n" + std::string(numbers) +
         R"(bodies:
  crank: {type: rigid_body, mass: 0.4, inertia: [1e-4, 2e-3, 2e-3], position: [a/2*cos(u), a/2*sin(u), 0],
          rotation: {axis: [0, 0, 1], angle: u}}
  coupler: {type: rigid_body, mass: 1.2, inertia: [1e-4, 4e-2, 4e-2],
            position: [a*cos(u) + b/2*cos(v), a*sin(u) + b/2*sin(v), 0], rotation: {axis: [0, 0, 1], angle: v}}
  rocker: {type: rigid_body, mass: 0.8, inertia: [1e-4, 1e-2, 1e-2], position: [d + c/2*cos(w), c/2*sin(w), 0],
           rotation: {axis: [0, 0, 1], angle: w}}
joints:
  A: {type: revolute, axis: [0, 0, 1], between: [{on: ground, at: [0, 0, 0]}, {on: crank, at: [-a/2, 0, 0]}])" +
         at_A + R"(}
  B: {type: revolute, axis: [0, 0, 1], between: [{on: crank, at: [a/2, 0, 0]}, {on: coupler, at: [-b/2, 0, 0]}]}
  C: {type: spherical, between: [{on: coupler, at: [b/2, 0, 0]}, {on: rocker, at: [c/2, 0, 0]}]}
  D: {type: revolute, axis: [0, 0, 1], between: [{on: ground, at: [d, 0, 0]}, {on: rocker, at: [-c/2, 0, 0]}])" +
         at_D + R"(}
loads: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}
sensors:
  crank: {type: motion, of: crank}
  coupler: {type: motion, of: coupler}
  rocker: {type: motion, of: rocker}
  A: {type: outputs, of: A}
  D: {type: outputs, of: D}
  energy: {type: energy}
)" + (stages.empty() ? "stages: [{type: dynamic, until: 0.2, step: 0.001}]\n" : stages);
}

void expect_four_bar(const Workplace& here, double angle, double rate, double time = 0) {
  const double crank = crank_drawn + angle;
  const Pose p = pose_at(crank), w = rates_at(crank, rate), drawn = pose_at(crank_drawn);
  struct Bar {
    const char* name;
    double x, y, angle, half, rate, vx, vy;
  };
  const double ex = a * std::cos(crank), ey = a * std::sin(crank);
  const Bar bars[] = {{"crank", 0, 0, crank, a / 2, rate, 0, 0},
                      {"coupler", ex, ey, p.coupler, b / 2, w.coupler, -rate * ey, rate * ex},
                      {"rocker", d, 0, p.rocker, c / 2, w.rocker, 0, 0}};
  for (const Bar& bar : bars) {
    const Table t = testing::table_of(here.read(std::string("out/") + bar.name + ".csv"));
    const double hx = bar.half * std::cos(bar.angle), hy = bar.half * std::sin(bar.angle);
    EXPECT_NEAR(at(t, time, "position.x"), bar.x + hx, 1e-11) << bar.name;
    EXPECT_NEAR(at(t, time, "position.y"), bar.y + hy, 1e-11) << bar.name;
    EXPECT_NEAR(at(t, time, "position.z"), 0, 1e-11) << bar.name;
    EXPECT_NEAR(at(t, time, "velocity.x"), bar.vx - bar.rate * hy, 1e-11) << bar.name;
    EXPECT_NEAR(at(t, time, "velocity.y"), bar.vy + bar.rate * hx, 1e-11) << bar.name;
    EXPECT_NEAR(at(t, time, "angular_velocity.z"), bar.rate, 1e-10) << bar.name;
    EXPECT_NEAR(at(t, time, "quaternion.z") / at(t, time, "quaternion.w"), std::tan(bar.angle / 2), 1e-10)
        << bar.name;
  }
  const Table A = testing::table_of(here.read("out/A.csv")), D = testing::table_of(here.read("out/D.csv"));
  EXPECT_NEAR(at(A, time, "angle"), angle, 1e-11);
  EXPECT_NEAR(at(A, time, "angle_rate"), rate, 1e-11);
  EXPECT_NEAR(at(D, time, "angle"), p.rocker - drawn.rocker, 1e-11);
  EXPECT_NEAR(at(D, time, "angle_rate"), w.rocker, 1e-11);
}

TEST(InitialValues, start_a_four_bar_at_a_cranks_angle_with_a_rate) {
  const char* const stages[] = {"", "stages: [{type: assemble}, {type: dynamic, until: 0.2, step: 0.001}]\n",
                                "stages: [{type: dynamic, form: index2, until: 0.2, step: 0.001}]\n",
                                "stages: [{type: dynamic, form: index1, until: 0.2, step: 0.001}]\n"};
  for (const char* how : stages)
    for (const double angle : {0.3, -2.5}) {
      const Workplace here;
      const std::string at_A = ", initial: {angle: " + std::to_string(angle) + "}, initial_rate: {angle: 2}";
      const Outcome run = here.run(four_bar(at_A, "", how));
      ASSERT_EQ(run.status, 0) << run.err;
      expect_four_bar(here, angle, 2);
      // The run goes on free: it keeps its energy, and the crank's rate changes.
      const Table energy = testing::table_of(here.read("out/energy.csv")),
                  A = testing::table_of(here.read("out/A.csv"));
      EXPECT_NEAR(at(energy, 0.2, "total"), at(energy, 0, "total"),
                  1e-3 * std::abs(at(energy, 0, "kinetic")));
      EXPECT_GT(std::abs(at(A, 0.2, "angle_rate") - 2), 0.1);
    }
}

TEST(InitialValues, of_any_coordinate_of_the_loop_lead_to_the_same_start) {
  const Pose p = pose_at(crank_drawn + 0.3), drawn = pose_at(crank_drawn);
  char at_D[100];
  std::snprintf(at_D, sizeof at_D, ", initial: {angle: %.17g}", p.rocker - drawn.rocker);
  const Workplace here;
  const Outcome run = here.run(four_bar(", initial_rate: {angle: 2}", at_D));
  ASSERT_EQ(run.status, 0) << run.err;
  expect_four_bar(here, 0.3, 2);
}

TEST(InitialValues, count_turns) {
  const Workplace here;
  const Outcome run = here.run(four_bar(", initial: {angle: 7}, initial_rate: {angle: -1}"));
  ASSERT_EQ(run.status, 0) << run.err;
  expect_four_bar(here, 7, -1);
}

/// Joints of many kinds between the ground and a body each.
const char* const many = R"(trammel: 1
bodies:
  wheel: {type: rigid_body, mass: 2, inertia: [0.1, 0.2, 0.3]}
  pinion: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0]}
  nut: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.3], position: [2, 0, 0]}
  sleeve: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.3], position: [3, 0, 0]}
  puck: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.3], position: [4, 0, 0]}
  cross: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.3], position: [5, 0, 0]}
  kite: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.3], position: [6, 0, 0]}
  bead: {type: point_mass, mass: 1, position: [0, 1, 0]}
curves:
  ring: {type: circle, centre: [0, 0, 0], normal: [0, 0, 1], radius: [1, 0, 0]}
joints:
  A: {type: revolute, between: [ground, wheel], axis: [0, 0, 1], initial: {angle: 7}, initial_rate: {angle: 3}}
  B: {type: revolute, between: [ground, pinion], axis: [0, 0, 1]}
  gears: {type: coupling, terms: {A.angle: 20, B.angle: 30}}
  S: {type: screw, pitch: 0.1, between: [ground, nut], axis: [0, 0, 1], initial: {slide: 0.25}, initial_rate: {angle: 2}}
  Y: {type: cylindrical, between: [ground, sleeve], axis: [1, 0, 0], initial: {angle: -20, slide: 0.3}, initial_rate: {slide: 1}}
  P: {type: planar, between: [ground, puck], axis: [0, 0, 1], initial: {slide_1: 0.3, slide_2: -0.2, angle: 4}, initial_rate: {slide_2: 1, angle: 5}}
  U: {type: universal, between: [ground, cross], bars: [[1, 0, 0], [0, 1, 0]], initial: {angle_1: 0.5, angle_2: 8}, initial_rate: {angle_1: 1, angle_2: -2}}
  F: {type: free, between: [ground, kite], initial: {slide_1: 1, slide_3: 2}, initial_rate: {slide_2: 0.5}}
  R: {type: curve_sliding, between: [ring, bead], initial: {s: 3}, initial_rate: {s: 0.5}}
sensors:
  A: {type: outputs, of: A}
  B: {type: outputs, of: B}
  S: {type: outputs, of: S}
  Y: {type: outputs, of: Y}
  P: {type: outputs, of: P}
  U: {type: outputs, of: U}
  F: {type: outputs, of: F}
  R: {type: outputs, of: R}
  wheel: {type: motion, of: wheel}
  cross: {type: motion, of: cross}
  bead: {type: motion, of: bead}
stages: [{type: dynamic, until: 0.01, step: 0.001}]
)";

TEST(InitialValues, are_reached_for_every_kind_of_joint) {
  const Workplace here;
  const Outcome run = here.run(many);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto expect = [&](const char* sensor, const char* channel, double value) {
    EXPECT_NEAR(at(testing::table_of(here.read(std::string("out/") + sensor + ".csv")), 0, channel), value,
                1e-10)
        << sensor << " " << channel;
  };
  expect("A", "angle", 7);
  expect("A", "angle_rate", 3);
  expect("wheel", "quaternion.z", std::abs(std::sin(3.5)));
  expect("B", "angle", -14.0 / 3);
  expect("B", "angle_rate", -2);
  expect("S", "slide", 0.25);
  expect("S", "angle", 5 * M_PI);
  expect("S", "slide_rate", 0.1 / M_PI);
  expect("Y", "angle", -20);
  expect("Y", "slide", 0.3);
  expect("Y", "slide_rate", 1);
  expect("Y", "angle_rate", 0);
  expect("P", "slide_1", 0.3);
  expect("P", "slide_2", -0.2);
  expect("P", "angle", 4);
  expect("P", "slide_2_rate", 1);
  expect("P", "angle_rate", 5);
  expect("U", "angle_1", 0.5);
  expect("U", "angle_2", 8);
  expect("U", "angle_1_rate", 1);
  expect("U", "angle_2_rate", -2);
  expect("F", "slide_1", 1);
  expect("F", "slide_2", 0);
  expect("F", "slide_3", 2);
  expect("F", "slide_2_rate", 0.5);
  expect("R", "s", 3);
  expect("R", "s_rate", 0.5);
}

TEST(InitialValues, are_no_constraints_of_the_model) {
  const Workplace here;
  here.write("case.yaml", four_bar(", initial: {angle: 0.3}, initial_rate: {angle: 2}"));
  const Outcome check = here.shell("trammel check case.yaml --derivatives");
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_THAT(check.out, ::testing::ContainsRegex("degrees of freedom +1 "));
  here.write("without.yaml", four_bar(""));
  const Outcome without = here.shell("trammel check without.yaml");
  const auto equations = [](const std::string& text) {
    const auto at = text.find("constraint equations");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(equations(check.out), equations(without.out));
}

TEST(InitialValues, are_the_same_on_two_ranks) {
  const Workplace one, two;
  ASSERT_EQ(one.run(many).status, 0);
  const Outcome run = two.run_on(2, many);
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* sensor : {"out/wheel.csv", "out/cross.csv", "out/bead.csv"})
    EXPECT_LT(difference(testing::table_of(one.read(sensor)), testing::table_of(two.read(sensor)), "position")
                  .largest,
              1e-9);
}

TEST(InitialValues, that_cannot_be_reached_are_named) {
  const Workplace here;
  const auto message = [&](const std::string& at_A, const std::string& at_D = "",
                           const std::string& stages = "") {
    const Outcome run = here.run(four_bar(at_A, at_D, stages));
    EXPECT_EQ(run.status, 1) << at_A << at_D;
    return run.err;
  };
  EXPECT_THAT(message(", initial: {angel: 0.3}"),
              HasSubstr("joint 'A' has no coordinate 'angel'; it has: angle"));
  for (const char* both :
       {", motion: {angle: t}, initial: {angle: 0.3}", ", initial: {angle: 0.3}, motion: {angle: t}",
        ", initial_rate: {angle: 0.3}, motion: {angle: t}"})
    EXPECT_THAT(message(both), HasSubstr("the coordinate 'A.angle' has a `motion`"));
  EXPECT_THAT(
      message(", initial: {angle: 0.3}", ", initial: {angle: 0.1}"),
      HasSubstr("initial values of coordinates are more than the joints leave free: 'A.angle.initial', "
                "'D.angle.initial' depend on each other, or follow already, through 'A', 'B', 'C', 'D'"));
  EXPECT_THAT(
      message(", initial_rate: {angle: 0.3}", ", initial_rate: {angle: 0.1}"),
      HasSubstr("initial rates of coordinates are more than the joints leave free: 'A.angle.initial_rate', "
                "'D.angle.initial_rate' depend on each other"));
  EXPECT_THAT(
      message(", motion: {angle: t}", ", initial_rate: {angle: 0.1}"),
      HasSubstr("initial rates of coordinates are more than the joints leave free: 'D.angle.initial_rate'"));
  // The rocker swings by less than a third of a turn.
  EXPECT_THAT(message("", ", initial: {angle: 2}"),
              HasSubstr("the initial values of coordinates cannot be met"));
  EXPECT_THAT(message(", initial_rate: {angle: 1}", "",
                      "stages: [{type: dynamic, start: as_given, until: 0.1, step: 0.01}]\n"),
              HasSubstr("initial rates of coordinates need `start: consistent`"));
}

TEST(InitialValues, do_not_strain_beams) {
  const auto beam = [](const std::string& joint) {
    return R"(trammel: 1
sections:
  rod: {stiffness: {EA: 1e6, GA: [4e5, 4e5], GJ: 100, EI: [200, 200]}, mass: {rhoA: 1, J: [1e-3, 5e-4, 5e-4]}}
bodies:
  rod: {type: beam, section: rod, from: [0, 0, 0], to: [2, 0, 0], elements: 10}
  bead: {type: point_mass, mass: 0.5, position: [0.33, 0, 0]}
joints:
)" + joint +
           "sensors: {bead: {type: motion, of: bead}}\nstages: [{type: dynamic, until: 0.01, step: 0.001}]\n";
  };
  const std::string clamp = "  clamp: {type: fixed, between: [ground, rod.start]}\n",
                    slide = "  slide: {type: beam_sliding, beam: rod, slider: bead, ",
                    hinge = "  hinge: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1], ";
  const Workplace here;
  for (const std::string& joint :
       {hinge + "initial: {angle: 0.3}}\n", clamp + slide + "initial: {s: 1.37}}\n"}) {
    const Outcome run = here.run(beam(joint));
    EXPECT_EQ(run.status, 1);
    EXPECT_THAT(run.err, HasSubstr("the initial values of coordinates would strain 'rod', by "));
  }
  const Outcome run = here.run(beam(clamp + slide + "initial_rate: {s: 2}}\n"));
  ASSERT_EQ(run.status, 0) << run.err;

  EXPECT_NEAR(at(testing::table_of(here.read("out/bead.csv")), 0, "position.x"), 0.33, 1e-9);
}

}  // namespace
}  // namespace trammel
