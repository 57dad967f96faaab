// Dynamic stages by Radau IIA, as a case asks for them.

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
using testing::Outcome;
using testing::Table;
using testing::Workplace;

/// A particle on a rod of 1.2 m, 70 degrees from the lowest point, with 1.8 m/s across.
std::string pendulum(const std::string& stage) {
  return fmt::format(R"(trammel: 1
bodies:
  bob: {{type: point_mass, mass: 1, position: [1.2*sin(70*pi/180), 0, -1.2*cos(70*pi/180)], velocity: [0, 1.8, 0]}}
joints:
  rod: {{type: distance, between: [ground, bob]}}
loads:
  weight: {{type: gravity, acceleration: [0, 0, -9.81]}}
sensors:
  bob: {{type: motion, of: bob}}
stages:
  - {{type: dynamic, {}}}
)",
                     stage);
}

/// A case of the project whose dynamic stages are by Radau IIA.
std::string by_radau(const std::string& scene) {
  std::string all = testing::contents_of(TRAMMEL_SOURCE_DIR "/cases/" + scene + "/case.yaml");
  const std::string radius = "step: h, radius: 0.9";
  const auto at = all.find(radius);
  EXPECT_NE(at, std::string::npos) << scene;
  if (at != std::string::npos) all.replace(at, radius.size(), "step: h, method: radau");
  return all;
}

TEST(Radau, never_increases_the_energy_of_a_pendulum) {
  for (const double h : {0.1, 0.05, 0.01}) {
    const Workplace here;
    const Outcome run = here.run(pendulum(fmt::format("until: 100, step: {}, method: radau", h)));
    ASSERT_EQ(run.status, 0) << run.err;
    const Table bob = testing::table_of(here.read("out/bob.csv"));
    double first = 0, largest = 0, last = 0;
    for (const std::vector<double>& row : bob.rows) {
      const auto number = [&](const std::string& name) { return testing::at(bob, row[0], name); };
      // Every tenth row of the shortest step tells enough.
      if (std::fmod(row[0] + 1e-9, 0.1) > 1e-6) continue;
      double square = 0;
      for (const char* const axis : {"x", "y", "z"})
        square += std::pow(number(std::string("velocity.") + axis), 2);
      last = 0.5 * square + 9.81 * (number("position.z") + 1.2);
      if (first == 0) first = last;
      largest = std::max(largest, last);
    }
    EXPECT_LT(largest, (1 + 1e-6) * first) << h;
    // The method takes energy: 36 % at 44 steps in two swings, and less by the cube of the step.
    EXPECT_GT(last, (1 - 0.4 * std::pow(h / 0.1, 2.5)) * first) << h;
  }
}

/// Errors of a channel at `until` with steps h, h/2 and h/4 against h/16: the order of the last two.
double order(const std::string& text, double h, double until, const std::string& history,
             const std::vector<std::string>& channels, const std::string& more = "") {
  std::vector<std::vector<double>> end;
  for (const double step : {h, h / 2, h / 4, h / 16}) {
    const Workplace here;
    const Outcome run = here.run(text, fmt::format("-q --set h={} until={} {}", step, until, more));
    EXPECT_EQ(run.status, 0) << run.err;
    const Table t = testing::table_of(here.read("out/" + history));
    end.emplace_back();
    for (const std::string& channel : channels) end.back().push_back(testing::at(t, until, channel));
  }
  const auto apart = [&](std::size_t i) {
    double square = 0;
    for (std::size_t k = 0; k < channels.size(); ++k) square += std::pow(end[i][k] - end[3][k], 2);
    return std::sqrt(square);
  };
  // The order says something only where the differences fall and are no rounding.
  EXPECT_LT(apart(1), apart(0));
  EXPECT_LT(apart(2), apart(1));
  EXPECT_GT(apart(2), 1e-13);
  return std::log2(apart(1) / apart(2));
}

TEST(Radau, has_order_3_for_rolling) {
  EXPECT_NEAR(
      order(by_radau("rolling_disc"), 0.08, 2, "disc.csv", {"position.x", "position.y", "position.z"}), 3,
      0.2);
}

TEST(Radau, has_order_3_for_a_bead_that_leaves_its_track) {
  EXPECT_NEAR(order(by_radau("launch_ramp"), 0.02, 1, "bead.csv", {"position.x", "position.z", "velocity.z"}),
              3, 0.3);
}

TEST(Radau, has_order_3_for_a_motor_with_a_current) {
  EXPECT_NEAR(order(by_radau("dc_motor"), 0.002, 0.2, "angle.csv", {"value", "rate"}), 3, 0.3);
}

// Stiff modes of the beam are damped: the order seen is that of its bending.
TEST(Radau, has_order_3_for_a_flying_beam) {
  const double seen =
      order(by_radau("flying_beam"), 0.1, 4, "upper.csv", {"position.x", "position.y", "position.z"}, "n=8");
  EXPECT_GT(seen, 2.6);
  EXPECT_LT(seen, 3.4);
}

TEST(Radau, agrees_on_one_and_two_ranks) {
  Table end[2];
  for (int ranks = 1; ranks <= 2; ++ranks) {
    const Workplace here;
    const Outcome run = here.run_on(ranks, by_radau("flying_beam"), "-q --set h=0.05 until=2");
    ASSERT_EQ(run.status, 0) << run.err;
    end[ranks - 1] = testing::table_of(here.read("out/upper.csv"));
  }
  for (const char* const channel : {"position.x", "position.y", "velocity.x", "velocity.y"})
    EXPECT_NEAR(testing::at(end[0], 2, channel), testing::at(end[1], 2, channel), 1e-7) << channel;
}

TEST(Radau, refuses_bad_input) {
  const auto message = [](const std::string& stage) {
    const Workplace here;
    const Outcome run = here.run(pendulum("until: 1, step: 0.1, " + stage));
    EXPECT_NE(run.status, 0);
    return run.err;
  };
  EXPECT_THAT(message("method: radua"),
              ::testing::AllOf(HasSubstr("case.yaml:"), HasSubstr("did you mean 'radau'")));
  for (const char* const other : {"radius: 0.9", "form: index2", "form: index1, projection: no"})
    EXPECT_THAT(
        message(fmt::format("method: radau, {}", other)),
        ::testing::AllOf(HasSubstr("case.yaml:11:"), HasSubstr("belongs to `method: generalized_alpha`")));
}

}  // namespace
}  // namespace trammel
