// Newton's method through the command: what its settings may be, when it ends, and what it says where it fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>
#include <tuple>

#include "command.hpp"
#include "histories.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using testing::at;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::table_of;
using testing::Workplace;

const std::string plugin = "trammel: 1\nplugins: [" TRAMMEL_TEST_PLUGIN_DIR "/newton_plugin.so]\n";

/// A planar four-bar in motion under its weight.
std::string four_bar(const std::string& form, const std::string& newton) {
  static const std::string bars = R"yaml(trammel: 1
parameters: {a: 0.1, b: 0.3, c: 0.25, d: 0.3, phi: deg(60), w: 10, bx: a*cos(phi), by: a*sin(phi),
  rho: "sqrt((d-bx)^2 + by^2)", psi: "acos((b^2 + rho^2 - c^2)/(2*b*rho))", beta: "atan2(-by, d-bx) + psi",
  cx: bx + b*cos(beta), cy: by + b*sin(beta), gamma: "atan2(cy, cx-d)",
  u: -a*w*sin(phi-gamma)/(b*sin(beta-gamma)), v: a*w*sin(phi-beta)/(c*sin(gamma-beta))}
bodies:
  crank: {type: rigid_body, mass: 0.5, inertia: [1e-5, 0.5*a^2/12, 0.5*a^2/12],
    position: [a/2*cos(phi), a/2*sin(phi), 0], rotation: {axis: [0, 0, 1], angle: phi}, angular_velocity: [0, 0, w],
    velocity: [-a/2*w*sin(phi), a/2*w*cos(phi), 0], markers: {foot: {at: [-a/2, 0, 0]}, top: {at: [a/2, 0, 0]}}}
  coupler: {type: rigid_body, mass: 0.8, inertia: [1e-5, 0.8*b^2/12, 0.8*b^2/12],
    position: [bx + b/2*cos(beta), by + b/2*sin(beta), 0], rotation: {axis: [0, 0, 1], angle: beta},
    velocity: [-a*w*sin(phi) - b/2*u*sin(beta), a*w*cos(phi) + b/2*u*cos(beta), 0], angular_velocity: [0, 0, u],
    markers: {start: {at: [-b/2, 0, 0]}, end: {at: [b/2, 0, 0]}}}
  rocker: {type: rigid_body, mass: 0.6, inertia: [1e-5, 0.6*c^2/12, 0.6*c^2/12],
    position: [d + c/2*cos(gamma), c/2*sin(gamma), 0], rotation: {axis: [0, 0, 1], angle: gamma},
    velocity: [-c/2*v*sin(gamma), c/2*v*cos(gamma), 0], angular_velocity: [0, 0, v],
    markers: {foot: {at: [-c/2, 0, 0]}, top: {at: [c/2, 0, 0]}}}
joints:
  A: {type: revolute, axis: [0, 0, 1], between: [ground, crank.foot]}
  B: {type: revolute, axis: [0, 0, 1], between: [crank.top, coupler.start]}
  C: {type: revolute, axis: [0, 0, 1], between: [coupler.end, rocker.top]}
  D: {type: revolute, axis: [0, 0, 1], between: [{on: ground, at: [d, 0, 0]}, rocker.foot]}
loads: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}
sensors: {crank: {type: outputs, of: A, channels: [angle]}}
output: {csv: {interval: 0.1}}
)yaml";
  return bars + "stages: [{type: dynamic, until: 0.5, step: 1.25e-4, form: " + form + ", newton: " + newton +
         "}]\n";
}

double crank_angle(const std::string& form, const std::string& newton) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(four_bar(form, newton));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return at(table_of(workplace.read("out/crank.csv")), 0.5, "angle");
}

TEST(KeptTangent, ErrsNoMoreThanTenTimesAsMuchInShortSteps) {
  for (const char* form : {"index1", "index2"}) {
    const double exact = crank_angle(form, "{tolerance: 1e-14, keep_tangent: no}");
    const double without = std::abs(crank_angle(form, "{tolerance: 1e-12, keep_tangent: no}") - exact);
    const double with = std::abs(crank_angle(form, "{tolerance: 1e-12}") - exact);
    // Two runs agree to no more than the rounding of 4000 steps.
    EXPECT_LE(with, 10 * std::max(without, 4000 * 2.2e-16)) << form << ": " << with << ", " << without;
  }
}

struct Effort {
  int steps = 0, cuts = -1, iterations = 0, factorizations = 0;
};

/// What the summary of a run says of Newton's method.
Effort effort(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::smatch found;
  const std::regex line(
      "steps ([0-9]+), of them cut ([0-9]+); Newton iterations ([0-9]+); factorizations ([0-9]+)");
  if (!std::regex_search(outcome.out, found, line)) {
    ADD_FAILURE() << outcome.out;
    return {};
  }
  return {std::stoi(found[1]), std::stoi(found[2]), std::stoi(found[3]), std::stoi(found[4])};
}

/// Accelerations of the slider of cases/slider_crank.
testing::Table slider_crank(const std::string& newton) {
  std::ifstream file(TRAMMEL_SOURCE_DIR "/cases/slider_crank/case.yaml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string set = "newton: {tolerance: 1e-11}", frames = "output: {vtk: {every: frames}}";
  text.replace(text.find(set), set.size(), newton);
  text.replace(text.find(frames), frames.size(), "output: {csv: {interval: 0.01}}");
  const Workplace workplace;
  const Outcome outcome = workplace.run(text);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return table_of(workplace.read("out/slider.csv"));
}

// With h = 0.5 ms accelerations are increments over 6e-8 s^2.
TEST(Accelerations, AreKnownToTenTimesTheToleranceInIndex3) {
  const testing::Table floor = slider_crank("newton: {tolerance: 1e-13, keep_tangent: no}");
  for (const char* newton : {"newton: {}", "newton: {keep_tangent: no}"}) {
    const auto d = testing::difference(slider_crank(newton), floor, "acceleration.x");
    EXPECT_GT(d.range, 10);
    EXPECT_LE(d.largest, 1e-7 * d.range) << newton;
  }
}

/// An elastica of length 1 and bending stiffness 1, clamped and bent by a force at its tip that grows to 15 t, in `steps`
/// load steps.
std::string elastica(const std::string& axial, int elements, double until, int steps) {
  return "trammel: 1\nsections:\n  strip: {stiffness: {EA: " + axial + ", GA: [" + axial + ", " + axial +
         "], GJ: 1, EI: [1, 1]}}\nbodies:\n  strip: {type: beam, section: strip, from: [0, 0, 0], to: [1, 0, "
         "0], elements: " +
         std::to_string(elements) +
         "}\njoints: {clamp: {type: fixed, between: [ground, strip.start]}}\n"
         "loads: {tip: {type: force, on: strip.end, force: [0, 0, -15*t]}}\n"
         "sensors: {tip: {type: motion, of: strip.end}}\n"
         "stages: [{type: static, until: " +
         std::to_string(until) + ", steps: " + std::to_string(steps) + ", newton: {tolerance: 1e-11}}]\n";
}

// The tip of the inextensible rod, by quadrature (Runge-Kutta, 4000 steps, shooting on the curvature at the clamp).
constexpr double exact_x = 0.364714219638, exact_z = -0.847715674332;

TEST(SlenderBeam, BendsAtTheRoundingFloorWithoutCuts) {
  for (const auto& [axial, elements, error] : {std::tuple("1e8", 32, 3e-4), std::tuple("1e9", 128, 2e-5)}) {
    const Workplace first;
    const Effort start = effort(first.run(elastica(axial, elements, 1.0 / 60, 1)));
    EXPECT_EQ(start.cuts, 0);
    EXPECT_LE(start.iterations, 12) << elements;
    const Workplace workplace;
    const Effort all = effort(workplace.run(elastica(axial, elements, 1, 60)));
    EXPECT_EQ(all.steps, 60);
    EXPECT_EQ(all.cuts, 0);
    EXPECT_LE(all.iterations, 8 * 60) << elements;
    const auto tip = table_of(workplace.read("out/tip.csv"));
    EXPECT_NEAR(at(tip, 1, "position.x"), exact_x, error);
    EXPECT_NEAR(at(tip, 1, "position.z"), exact_z, error);
  }
}

TEST(SlenderBeam, BendsByHalfItsLengthInOneStep) {
  const Workplace workplace;
  const Effort all = effort(workplace.run(elastica("1e8", 32, 4.0 / 15, 1)));
  EXPECT_EQ(all.cuts, 0);
  EXPECT_LE(all.iterations, 20);
}

/// A lattice of n x n cells, clamped along an edge, one corner pulled out of its plane.
std::string pulled_lattice(int n, int load, int steps) {
  return "trammel: 1\nparameters: {n: " + std::to_string(n) + ", l: 0.5, load: " + std::to_string(load) +
         "}\n" +
         R"yaml(materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7800}}
sections: {tube: {shape: {type: tube, radius: 0.02, wall: 0.002}, material: steel}}
bodies:
  along.(i).(j): {for: {i: 1..n, j: 0..n}, type: beam, section: tube, from: [l*(i - 1), l*j, 0], to: [l*i, l*j, 0],
    elements: 2}
  across.(i).(j): {for: {i: 1..n, j: 1..n}, type: beam, section: tube, from: [l*i, l*(j - 1), 0], to: [l*i, l*j, 0],
    elements: 2}
joints:
  clamp.(j): {for: {j: 0..n}, type: fixed, between: [ground, along.1.(j).start]}
  next.(i).(j): {for: {i: 2..n, j: 0..n}, type: fixed, between: [along.(i-1).(j).end, along.(i).(j).start]}
  left.(i).(j): {for: {i: 1..n, j: 1..n}, type: fixed, between: [along.(i).(j).end, across.(i).(j).end]}
  right.(i).(j): {for: {i: 1..n, j: 1..n}, type: fixed, between: [along.(i).(j-1).end, across.(i).(j).start]}
loads: {pull: {type: force, on: along.(n).0.end, force: [0, 0, -load*t]}}
)yaml" +
         "stages: [{type: static, steps: " + std::to_string(steps) + "}]\n";
}

// With a prediction by a line, and tangents judged by the residual, the first took 61 iterations and 38 factorizations, the
// second 198 and 135.
TEST(LoadSteps, TakeFewIterationsAndFewerFactorizations) {
  const Workplace few, many;
  const Effort ten = effort(few.run(pulled_lattice(10, 1000, 10)));
  EXPECT_LE(ten.iterations, 4 * 10);
  EXPECT_LE(ten.factorizations, 2.5 * 10);
  const Effort forty = effort(many.run(pulled_lattice(10, 4000, 40)));
  EXPECT_LE(forty.iterations, 3 * 40);
  EXPECT_LE(forty.factorizations, 2 * 40);
}

// Full steps diverge from where the spring is, |5 (x - 1)| > 1.39.
TEST(Newton, TakesPartsOfIncrementsWhereFullStepsDiverge) {
  const Workplace workplace;
  const Effort all = effort(workplace.run(
      "trammel: 1\nbodies: {block: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {slide: {type: prismatic, axis: [1, 0, 0], between: [ground, block], spring: {slide: {law: "
      "atan(5*(slide.slide-1))}}}}\nsensors: {block: {type: motion, of: block}}\nstages: [{type: "
      "static}]\n"));
  EXPECT_EQ(all.cuts, 0);
  EXPECT_LE(all.iterations, 30);
  EXPECT_NEAR(at(table_of(workplace.read("out/block.csv")), 1, "position.x"), 1, 1e-8);
}

const std::string spring = plugin + "bodies: {spring: {type: broken_spring}}\n";

struct Setting {
  const char* name;
  std::string stage, message;
  friend void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }
};
class Settings : public ::testing::TestWithParam<Setting> {};

TEST_P(Settings, HaveBounds) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(spring + GetParam().stage + "\n");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("case.yaml:4:"));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
}

std::string dynamic(const std::string& more) {
  return "stages: [{type: dynamic, until: 1, step: 0.1, " + more + "}]";
}
INSTANTIATE_TEST_SUITE_P(
    All, Settings,
    ::testing::Values(
        Setting{"tolerance", dynamic("newton: {tolerance: 10}"),
                "'tolerance' = 10: must be between 1e-16 and 0.001"},
        Setting{"tolerance_nan", dynamic("newton: {tolerance: .nan}"), ".nan"},
        Setting{"tolerance_too_fine", dynamic("newton: {tolerance: 1e-300}"),
                "'tolerance' = 1e-300: must be between 1e-16 and 0.001"},
        Setting{"iterations", dynamic("newton: {max_iterations: 100000}"),
                "'max_iterations' = 100000: must be between 1 and 1000"},
        Setting{"keep", dynamic("newton: {keep_iterations: 0}"),
                "'keep_iterations' = 0: must be between 1 and 100"},
        Setting{"radius", dynamic("radius: 1.01"), "'radius' = 1.01: must be between 0 and 1"},
        Setting{"cuts", dynamic("max_cuts: 60"), "'max_cuts' = 60: must be between 0 and 30"},
        Setting{"static_cuts", "stages: [{type: static, max_cuts: 60}]",
                "'max_cuts' = 60: must be between 0 and 30"},
        Setting{"assemble", "stages: [{type: assemble, tolerance: 1}]",
                "'tolerance' = 1: must be between 1e-16 and 0.001"},
        Setting{"step", "stages: [{type: dynamic, until: 1, step: 1e-300}]",
                "'step' = 1e-300 s: must be between 1e-15 and 1e+12"},
        Setting{
            "steps", "stages: [{type: dynamic, until: 1, step: 1e-12}]",
            "'step' = 1e-12: 1e+12 steps from t = 0 s to 1 s are too many; at most 1000000000 in a stage"},
        Setting{"clock", "stages: [{type: dynamic, from: 1e9, until: 1000000000.001, steps: 100000}]",
                "'steps' = 100000: at t = 1000000000 s a step must be at least 0.000222 s"},
        Setting{"until", "stages: [{type: dynamic, until: 1e300, step: 1e299}]",
                "'until' = 1e+300 s: must be between -1e+12 and 1e+12"},
        Setting{"until_inf", "stages: [{type: static, until: 1/0}]", "1/0 is inf"},
        Setting{"interval", "output: {csv: {interval: 1e-300}}\nstages: [{type: static}]",
                "'interval' = 1e-300 s: must be between 1e-15 and 1e+12"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Settings, AreDescribedWithTheirBounds) {
  const Workplace workplace;
  const Outcome outcome = workplace.shell("trammel describe dynamic");
  EXPECT_EQ(outcome.status, 0);
  for (const char* part : {"[1e-16, 0.001]", "[1e-15, 1000000000000]", "[0, 30]", "[1, 1000]"})
    EXPECT_THAT(outcome.out, HasSubstr(part));
}

TEST(Newton, CountsNoMoreIterationsThanItMayTake) {
  for (const int most : {3, 20, 50}) {
    const Workplace workplace;
    const Outcome outcome =
        workplace.run("trammel: 1\nplugins: [" TRAMMEL_TEST_PLUGIN_DIR
                      "/faulty_plugin.so]\nbodies: {x: {type: no_root}}\n"
                      "stages: [{type: static, steps: 4, max_cuts: 1, newton: {max_iterations: " +
                      std::to_string(most) + "}}]\n");
    EXPECT_EQ(outcome.status, 1);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(outcome.err, found, std::regex("after ([0-9]+) iterations")))
        << outcome.err;
    EXPECT_LE(std::stoi(found[1]), most) << outcome.err;
    EXPECT_GT(std::stoi(found[1]), 0) << outcome.err;
  }
}

TEST(Newton, FindsAStateThatHasItsFinalValue) {
  // No number times 237 is 1: what is left of the rate is rounding, for which there is no scale but the state itself.
  for (const char* gain : {"237", "249", "478", "2"})
    for (const char* start : {"1/gain", "0"}) {
      const Workplace workplace;
      const Outcome outcome = workplace.run(
          plugin + "parameters: {gain: " + gain +
          "}\nbodies: {lag: {type: lag, input: 1, gain: gain, start: " + start +
          "}}\nstages: [{type: static, newton: {tolerance: 1e-12}}, {type: static, from: 0}, {type: dynamic, "
          "from: 0, until: 1, step: 0.1}]\n");
      EXPECT_EQ(outcome.status, 0) << gain << ", " << start << ": " << outcome.err;
      EXPECT_THAT(outcome.out, HasSubstr("of them cut 0"));
    }
}

TEST(Newton, SaysWhichFormItSolves) {
  for (const auto& [form, words] :
       {std::pair("form: index1", "radius 0.9, index 1 with projection"),
        std::pair("form: index1, projection: no", "radius 0.9, index 1 without projection"),
        std::pair("form: index2", "radius 0.9, stabilized index 2"),
        std::pair("form: index3", "radius 0.9, index 3"),
        std::pair("radius: 0.9", "radius 0.9, index 3 with projected velocities")}) {
    const Workplace workplace;
    const Outcome outcome = workplace.run(spring + dynamic(form) + "\n");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(words));
  }
}

/// Springs of which one breaks.
std::string springs(const std::string& broken) {
  return plugin +
         "bodies:\n  before.(i): {for: {i: 1..3}, type: broken_spring}\n  culprit: {type: broken_spring, " +
         broken + "}\n  after.(i): {for: {i: 1..3}, type: broken_spring}\n" +
         dynamic("max_cuts: 2, newton: {keep_tangent: no}") + "\n";
}

TEST(Newton, NamesWhoseNumberIsNotFinite) {
  for (const auto& [broken, part] : {std::pair("at: 0.35", "tangent"), std::pair("at: -1", "tangent"),
                                     std::pair("at: 0.35, force: yes", "residual")})
    for (const int ranks : {1, 2}) {
      const Workplace workplace;
      const Outcome outcome =
          ranks == 1 ? workplace.run(springs(broken)) : workplace.run_on(ranks, springs(broken));
      EXPECT_EQ(outcome.status, 1) << outcome.out;
      EXPECT_THAT(outcome.err, HasSubstr("the " + std::string(part) +
                                         " of body 'culprit' (type 'broken_spring' of plugin 'newton', "
                                         "case.yaml:5:3) has a number that is not finite"))
          << ranks;
      EXPECT_THAT(outcome.err, Not(HasSubstr("singular")));
    }
}

TEST(Newton, NamesWhatAMassTooLargeMakesInfinite) {
  const std::string bodies =
      "trammel: 1\nbodies:\n  pea: {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [0, 2, 0]}\n"
      "  star: {type: rigid_body, mass: 1e308, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
      "joints: {link: {type: spherical, between: [pea, {on: star, at: [-1, 2, 0]}]}}\n";
  for (const auto& [load, names] :
       {std::pair("pull: {type: force, on: pea, force: [1, 0, 0]}", "the tangent of body 'star'"),
        std::pair("weight: {type: gravity, acceleration: [0, -9.81, 0]}", "the residual of load 'weight'")}) {
    const Workplace workplace;
    const Outcome outcome = workplace.run(bodies + "loads: {" + load + "}\n" + dynamic("max_cuts: 2") + "\n");
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(names));
    EXPECT_THAT(outcome.err, HasSubstr("has a number that is not finite"));
    EXPECT_THAT(outcome.err, Not(HasSubstr("not determined")));
  }
}

TEST(Newton, SaysAtOnceThatABodyHasNoMass) {
  const std::string text =
      "trammel: 1\nsections:\n  s: {stiffness: {EA: 1e6, GA: [4e5, 4e5], GJ: 50, EI: [100, 100]}}\nbodies:\n"
      "  bar: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 4}\n"
      "loads: {pull: {type: force, on: bar.end, force: [0, 0, -1]}}\n" +
      dynamic("max_cuts: 8") + "\n";
  for (const int ranks : {1, 2}) {
    const Workplace workplace;
    const Outcome outcome = ranks == 1 ? workplace.run(text) : workplace.run_on(ranks, text);
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("case.yaml:5:3: error: "));
    EXPECT_THAT(outcome.err,
                HasSubstr("body 'bar' (beam) has no mass, and nothing else determines its motion"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("cut to")));
  }
}

}  // namespace
}  // namespace trammel
