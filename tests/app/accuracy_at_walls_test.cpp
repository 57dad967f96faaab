// Steps by accuracy where a smooth force sets in within a small part of a step, which no event announces.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <vector>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::Outcome;
using testing::Table;
using testing::Workplace;

double log_cosh(double z) { return std::abs(z) + std::log1p(std::exp(-2 * std::abs(z))) - std::log(2.0); }

/// A mass m that comes with the speed v and is turned back, at the time 0, by the force F exp(x/l).
double at_wall(double m, double v, double force, double length, double t) {
  return length * (std::log(0.5 * m * v * v / (force * length)) - 2 * log_cosh(0.5 * v * t / length));
}

/// The place at which a mass would turn that is free until then.
double turns_at(double m, double v, double force, double length) {
  return length * std::log(2 * m * v * v / (force * length));
}

int steps_of(const Outcome& run) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(run.out, found, std::regex("done: (\\d+) steps"))) << run.out;
  return found.empty() ? 0 : std::stoi(found[1]);
}

/// A block of 2 kg between two walls, at 1 m/s: the force F exp(x/l) of a wall grows within l, of 0.01 to 1 mm, where the flight from
/// wall to wall takes steps of 4 to 40 mm.
TEST(Accuracy, is_reached_at_steep_walls) {
  constexpr double gap = 0.1, m = 2, v = 1;
  struct Wall {
    double force, length, accuracy;
  };
  for (const auto& [force, length, accuracy] :
       {Wall{1e2, 1e-3, 1e-2}, Wall{1e3, 1e-3, 1e-3}, Wall{1e4, 1e-3, 1e-4}, Wall{1e3, 1e-3, 1e-5},
        Wall{1e4, 1e-4, 1e-2}, Wall{1e4, 1e-4, 1e-5}, Wall{1e2, 1e-4, 1e-3}, Wall{1e3, 1e-4, 1e-4},
        Wall{1e4, 1e-5, 1e-3}}) {
    const Workplace here;
    const Outcome run = here.run(fmt::format(R"yaml(trammel: 1
bodies:
  block: {{type: rigid_body, mass: 2, inertia: [0.02, 0.02, 0.02], velocity: [1, 0, 0]}}
joints:
  guide:
    type: prismatic
    between: [ground, block]
    axis: [1, 0, 0]
    spring: {{slide: {{law: "{0}*(exp((guide.slide - 0.1)/{1}) - exp((-0.1 - guide.slide)/{1}))"}}}}
sensors:
  slide: {{type: signal, of: guide.slide}}
stages:
  - {{type: dynamic, until: 1, accuracy: {2}, newton: {{tolerance: 1e-11}}}}
output: {{csv: {{interval: 0.005}}}}
)yaml",
                                             force, length, accuracy));
    ASSERT_EQ(run.status, 0) << run.err;
    const double first = (gap + turns_at(m, v, force, length)) / v;  // meets the first wall
    double largest = 0;
    for (const std::vector<double>& row : testing::table_of(here.read("out/slide.csv")).rows) {
      const double turns = std::floor(0.5 * row[0] / first), since = row[0] - (2 * turns + 1) * first;
      const double x = gap + at_wall(m, v, force, length, since);
      largest = std::max(largest, std::abs(row[1] - (std::fmod(turns, 2) == 0 ? x : -x)));
    }
    // A perturbed start grows fivefold. Errors were 8 to 170 times this.
    const double range = 2 * (gap + at_wall(m, v, force, length, 0)), asked = 5 * range * accuracy;
    EXPECT_LT(largest, 10 * asked) << force << ", " << length << ", " << accuracy;
    EXPECT_GT(largest, 0.03 * asked) << force << ", " << length << ", " << accuracy;
    // Flights took up to fifteen times as many, as the errors of an impact were thought to grow with the steps after it.
    EXPECT_LT(steps_of(run), accuracy < 1e-4 ? 15000 : accuracy < 1e-3 ? 5000 : 3500);
  }
}

/// A mass of 2 kg falls from 0.1 m onto a floor with the force F exp(d/l): where it is after each 5 ms.
std::vector<double> at_floor(double force, double length) {
  const auto a = [=](double x) { return 0.5 * force * std::exp((-0.1 - x) / length) - 9.81; };
  constexpr double h = 1e-6;
  double x = 0, v = 0;
  std::vector<double> rows{x};
  for (int row = 0; row < 200; ++row) {
    for (int n = 0; n < 5000; ++n) {
      const double a1 = a(x), v2 = v + h / 2 * a1, a2 = a(x + h / 2 * v), v3 = v + h / 2 * a2,
                   a3 = a(x + h / 2 * v2), v4 = v + h * a3, a4 = a(x + h * v3);
      x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    rows.push_back(x);
  }
  return rows;
}

/// An impact of a thousandth of the flight's time: steps become shorter and longer again by factors of up to 10,000.
TEST(Accuracy, is_reached_at_steep_floors) {
  struct Floor {
    double force, length;
  };
  for (const auto& [force, length] : {Floor{1e3, 1e-4}, Floor{3e2, 3e-4}, Floor{5e3, 5e-5}}) {
    const Workplace here;
    const Outcome run = here.run(fmt::format(R"yaml(trammel: 1
bodies:
  block: {{type: rigid_body, mass: 2, inertia: [0.02, 0.02, 0.02]}}
joints:
  guide:
    type: prismatic
    between: [ground, block]
    axis: [1, 0, 0]
    spring: {{slide: {{law: "19.62 - {0}*exp((-0.1 - guide.slide)/{1})"}}}}
sensors:
  slide: {{type: signal, of: guide.slide}}
stages:
  - {{type: dynamic, until: 1, accuracy: 1e-5, newton: {{tolerance: 1e-11}}}}
output: {{csv: {{interval: 0.005}}}}
)yaml",
                                             force, length));
    ASSERT_EQ(run.status, 0) << run.err;
    const std::vector<double> exact = at_floor(force, length);
    double largest = 0, lowest = 0;
    for (const std::vector<double>& row : testing::table_of(here.read("out/slide.csv")).rows) {
      const double x = exact.at(static_cast<std::size_t>(std::lround(row[0] * 200)));
      largest = std::max(largest, std::abs(row[1] - x));
      lowest = std::min(lowest, x);
    }
    // A perturbed start grows sevenfold. Errors were 16 to 24 times this, with an estimate of 0.3 to 0.5.
    EXPECT_LT(largest, 10 * 7 * -lowest * 1e-5) << force << ", " << length;
    EXPECT_LT(steps_of(run), 12000) << force << ", " << length;
  }
}

/// Two bodies that repel each other at a distance of 0.1 mm, while a third, heavier one swings.
TEST(Accuracy, is_reached_where_two_bodies_meet) {
  for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
    const Workplace here;
    const Outcome run = here.run(fmt::format(R"yaml(trammel: 1
bodies:
  a: {{type: rigid_body, mass: 2, inertia: [0.02, 0.02, 0.02], velocity: [1, 0, 0]}}
  b: {{type: rigid_body, mass: 1, inertia: [0.02, 0.02, 0.02], velocity: [-0.7, 0, 0]}}
  c: {{type: rigid_body, mass: 5, inertia: [0.02, 0.02, 0.02]}}
joints:
  A: {{type: prismatic, between: [ground, a], axis: [1, 0, 0], actuator: {{slide: "-1e3*exp((A.slide - B.slide - 0.6)/1e-4)"}}}}
  B: {{type: prismatic, between: [ground, b], axis: [1, 0, 0], actuator: {{slide: "1e3*exp((A.slide - B.slide - 0.6)/1e-4)"}}}}
  C: {{type: prismatic, between: [ground, c], axis: [1, 0, 0], initial: {{slide: 0.05}}, spring: {{slide: 2000}}}}
sensors:
  A: {{type: signal, of: A.slide}}
  B: {{type: signal, of: B.slide}}
  C: {{type: signal, of: C.slide}}
stages:
  - {{type: assemble}}
  - {{type: dynamic, until: 1, accuracy: {}, newton: {{tolerance: 1e-11}}}}
output: {{csv: {{interval: 0.005}}}}
)yaml",
                                             accuracy));
    ASSERT_EQ(run.status, 0) << run.err;
    // A - B moves as a mass of 2/3 kg with 1.7 m/s; the centre goes on with 1.3/3 m/s.
    const double m = 2.0 / 3, v = 1.7, meet = (0.6 + turns_at(m, v, 1e3, 1e-4)) / v;
    const Table a = testing::table_of(here.read("out/A.csv")), b = testing::table_of(here.read("out/B.csv")),
                c = testing::table_of(here.read("out/C.csv"));
    double largest = 0;
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
      const double t = a.rows[i][0], apart = 0.6 + at_wall(m, v, 1e3, 1e-4, t - meet), centre = 1.3 / 3 * t;
      largest = std::max({largest, std::abs(a.rows[i][1] - centre - apart / 3) / 0.35,
                          std::abs(b.rows[i][1] - centre + 2 * apart / 3) / 0.9,
                          std::abs(c.rows[i][1] - 0.05 * std::cos(20 * t)) / 0.1});
    }
    EXPECT_LT(largest, 10 * 3 * accuracy) << accuracy;  // perturbed starts grow threefold
    EXPECT_LT(steps_of(run), 10000) << accuracy;
  }
}

}  // namespace
}  // namespace trammel
