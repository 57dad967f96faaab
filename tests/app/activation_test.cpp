// Joints that begin to hold in flight: the same words, impulses, energies and motions on any number of ranks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Table;
using testing::table_of;
using testing::Workplace;

/// A plate that flies and turns until joints to the ground begin to hold.
std::string caught_plate(const std::string& joints, const std::string& stage = "") {
  return R"(trammel: 1
bodies:
  plate: {type: rigid_body, mass: 2, inertia: [0.2, 0.2, 0.2], position: [0.3, 0.2, 1], velocity: [1, 0.5, -2],
          angular_velocity: [0.4, -0.3, 0.8]}
joints:
)" + joints +
         R"(sensors:
  plate: {type: motion, of: plate}
  latch: {type: reaction, of: latch}
  energy: {type: energy}
stages:
  - {type: dynamic, until: 0.2, step: 0.01)" +
         stage + "}\n";
}

const std::string one_axis =
    "  latch: {type: generic, between: [ground, plate], constrained: [0, 0, 1, 0, 0, 0], active: t - 0.1,\n"
    "          close: hold}\n";
const std::string twice_all_axes =
    "  latch: {type: generic, between: [ground, plate], active: t - 0.1, close: hold}\n"
    "  bolt: {type: generic, between: [ground, plate], active: t - 0.12, close: hold}\n";

/// The lines of the log about events of the run, without computing times.
std::vector<std::string> events_of(const Outcome& run) {
  std::vector<std::string> lines;
  std::istringstream in(run.out);
  for (std::string line; std::getline(in, line);)
    for (const char* part : {"at t = ", "redundant", "singular", "impulses changed"})
      if (line.find(part) != std::string::npos) {
        lines.push_back(line);
        break;
      }
  return lines;
}

double balance_error(const Outcome& run) {
  std::smatch found;
  const std::regex line("largest error of the energy balance ([^ ]+) J");
  return std::regex_search(run.out, found, line) ? std::stod(found[1]) : HUGE_VAL;
}

class CaughtPlate : public ::testing::TestWithParam<int> {
 protected:
  /// Runs the case on one rank and on several; `check` looks at either.
  template <class Check>
  void expect_same(const std::string& text, const Check& check) const {
    const Workplace alone, together;
    const Outcome one = alone.run(text), many = together.run_on(GetParam(), text);
    ASSERT_EQ(one.status, 0) << one.err;
    ASSERT_EQ(many.status, 0) << many.err;
    for (const Outcome* run : {&one, &many}) check(*run);
    EXPECT_EQ(events_of(one), events_of(many));
    for (const std::string sensor : {"plate", "latch", "energy"}) {
      const Table a = table_of(alone.read("out/" + sensor + ".csv")),
                  b = table_of(together.read("out/" + sensor + ".csv"));
      ASSERT_GE(a.rows.size(), 21U);
      for (const std::string& channel : a.names) {
        const testing::Difference d = difference(a, b, channel);
        EXPECT_LE(d.largest, 1e-9 * (d.range + 1)) << channel << " of " << sensor;
      }
    }
  }
};

TEST_P(CaughtPlate, is_caught_in_one_axis) {
  expect_same(caught_plate(one_axis), [](const Outcome& run) {
    EXPECT_THAT(
        run.out,
        HasSubstr("at t = 0.1 'latch' is active from now on: 5 degrees of freedom, 0 redundant equations"));
    // m v = 4 N s is stopped; a free plate cannot help itself by turning, as the axis goes through its centre.
    EXPECT_THAT(run.out, HasSubstr("an impulse changes velocities, 'latch' with 4 N s and 0 N m s, and the "
                                   "kinetic energy by -4 J"));
    EXPECT_LT(balance_error(run), 1e-6);
  });
}

TEST_P(CaughtPlate, is_caught_in_all_axes_twice) {
  expect_same(caught_plate(twice_all_axes), [](const Outcome& run) {
    EXPECT_THAT(
        run.out,
        HasSubstr("at t = 0.1 'latch' is active from now on: 0 degrees of freedom, 0 redundant equations"));
    EXPECT_THAT(run.out,
                HasSubstr("at t = 0.12 'bolt' is active from now on: 0 degrees of freedom, 6 redundant "
                          "equations"));
    EXPECT_LT(balance_error(run), 1e-6);
  });
}

TEST_P(CaughtPlate, names_both_joints_of_one_instant) {
  const std::string text = std::regex_replace(twice_all_axes, std::regex("0\\.12"), "0.1");
  expect_same(caught_plate(text, ", form: index2"), [](const Outcome& run) {
    EXPECT_THAT(
        run.out,
        HasSubstr("at t = 0.1 'bolt', 'latch' are active from now on: 0 degrees of freedom, 6 redundant"));
  });
}

/// Stages from 0 to 0.03, 0.06 and 0.09; the second starts where the first ended, the third finds its start anew.
TEST_P(CaughtPlate, has_the_same_rows_at_the_border_of_stages) {
  std::string text = caught_plate(one_axis);
  text.replace(text.find("stages:"), std::string::npos, R"(stages:
  - {type: dynamic, until: 0.03, step: 0.01}
  - {type: dynamic, until: 0.06, step: 0.01, start: as_given}
  - {type: dynamic, until: 0.09, step: 0.01}
)");
  const Workplace place;
  const Outcome run = place.run_on(GetParam(), text);
  ASSERT_EQ(run.status, 0) << run.err;
  for (const std::string sensor : {"plate", "latch", "energy"}) {
    std::vector<int> hundredths;
    for (const std::vector<double>& row : table_of(place.read("out/" + sensor + ".csv")).rows)
      hundredths.push_back(static_cast<int>(std::lround(100 * row[0])));
    EXPECT_THAT(hundredths, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 9)) << sensor;
  }
}

INSTANTIATE_TEST_SUITE_P(OnRanks, CaughtPlate, ::testing::Values(1, 2, 4),
                         [](const auto& tested) { return std::to_string(tested.param); });

}  // namespace
}  // namespace trammel
