// A pendulum whose rod turns by 0.08 to 0.3 rad a step: index 3 at radius 0.9 gains energy without bound from 0.072 rad on.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Table;
using testing::Workplace;

constexpr double length = 1.2, gravity = 9.81;

/// The pendulum, released with those options of its stage.
Outcome swing(const Workplace& here, const std::string& options, double h, double until) {
  return here.run(fmt::format(R"(trammel: 1
bodies:
  bob: {{type: point_mass, mass: 1, position: [1.2*sin(70*pi/180), 0, -1.2*cos(70*pi/180)], velocity: [0, 1.8, 0]}}
joints:
  rod: {{type: distance, between: [ground, bob]}}
loads:
  weight: {{type: gravity, acceleration: [0, 0, -{}]}}
sensors:
  bob: {{type: motion, of: bob}}
stages:
  - {{type: dynamic, until: {}, step: {}{}}}
)",
                              gravity, until, h, options));
}

/// Kinetic and potential energy above the lowest point [J] at all instants.
std::vector<double> energies(const std::string& options, double h, double until) {
  const Workplace here;
  const Outcome run = swing(here, options, h, until);
  EXPECT_EQ(run.status, 0) << run.err;
  const Table bob = testing::table_of(here.read("out/bob.csv"));
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(
        std::ranges::find_if(bob.names, [&](const std::string& n) { return n.starts_with(name); }) -
        bob.names.begin());
  };
  const std::size_t z = column("position.z"), v = column("velocity.x");
  std::vector<double> all;
  for (const std::vector<double>& row : bob.rows)
    all.push_back(0.5 * (row[v] * row[v] + row[v + 1] * row[v + 1] + row[v + 2] * row[v + 2]) +
                  gravity * (row[z] + length));
  return all;
}

TEST(EnergyGrowth, is_bounded_by_default) {
  for (const double h : {0.1, 0.05, 0.03, 0.02, 0.01, 0.005}) {
    const std::vector<double> e = energies("", h, 100);
    ASSERT_GT(e.size(), 900U);
    EXPECT_LT(*std::ranges::max_element(e), 1.001 * e.front()) << h;
  }
}

// The energy lost in 100 s decreases with the square of the step: 1.9 % at 0.05 s, 0.16 % at 0.02 s by an
// independent program.
TEST(EnergyGrowth, is_replaced_by_a_loss_of_order_two_with_projected_velocities) {
  const auto lost = [](double h) {
    const std::vector<double> e = energies(", form: projected", h, 100);
    double mean = 0;
    const auto last = static_cast<std::size_t>(5 / h);
    for (std::size_t i = e.size() - last; i < e.size(); ++i) mean += e[i] / static_cast<double>(last);
    return 100 * (1 - mean / e.front());
  };
  EXPECT_NEAR(lost(0.05), 1.9, 0.1);
  EXPECT_NEAR(lost(0.02), 0.15, 0.02);
}

// At radius 0.9 the limit is 0.072 rad a step; the rod turns by 2.5 rad/s.
TEST(EnergyGrowth, is_warned_of_beyond_the_limit_of_index3) {
  const Workplace here;
  const auto said = [&](const std::string& options, double h, double until) {
    const Outcome run = swing(here, options, h, until);
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out;
  };
  const std::string warning = "WARNING: by t = ";
  const std::string beyond = said(", form: index3", 0.05, 4);
  EXPECT_THAT(beyond, HasSubstr(warning));
  EXPECT_THAT(beyond, HasSubstr("beyond 0.072 rad steps of index 3 with radius 0.9"));
  EXPECT_EQ(beyond.find(warning), beyond.rfind("WARNING: by t = ", beyond.find("summary")));
  EXPECT_THAT(beyond.substr(beyond.find("summary")), HasSubstr(warning));
  EXPECT_THAT(said(", form: index3", 0.01, 4), Not(HasSubstr(warning)));
  EXPECT_THAT(said(", form: index3, radius: 0.5", 0.05, 4), Not(HasSubstr(warning)));
  EXPECT_THAT(said("", 0.05, 4), Not(HasSubstr(warning)));
}

TEST(EnergyGrowth, is_not_warned_of_for_straight_guides_in_index3) {
  const Workplace here;
  const Outcome run = here.run(R"(trammel: 1
bodies:
  block: {type: rigid_body, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0.4]}
joints:
  guide: {type: prismatic, axis: [1, 0, -1], between: [ground, block]}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  push: {type: force, on: block, force: [0, 20*sin(7*t), 5*cos(11*t)]
}
stages:
  - {type: dynamic, until: 10, step: 0.05, form: index3}
)");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("WARNING")));
}

}  // namespace
}  // namespace trammel
