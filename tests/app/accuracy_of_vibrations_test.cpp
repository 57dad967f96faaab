// Steps by accuracy where stiff parts vibrate: they follow vibrations that matter, and no others.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::Outcome;
using testing::Workplace;

int steps_of(const Outcome& run) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(run.out, found, std::regex("done: (\\d+) steps"))) << run.out;
  return found.empty() ? 0 : std::stoi(found[1]);
}

/// A body swings at 2 rad/s over 2 m, beside it another one at 2000 rad/s with the amplitude A. The range of the latter counts as a
/// tenth of that of the former.
struct Beside {
  int steps = 0;
  double slow = 0, fast = 0;  ///< errors over the ranges
  double left = 0;            ///< largest place of the fast one at the end, over A
};

Beside two_bodies(double A) {
  const Workplace here;
  const Outcome run = here.run(fmt::format(R"yaml(trammel: 1
bodies:
  slow: {{type: rigid_body, mass: 1, inertia: [1, 1, 1], velocity: [2, 0, 0]}}
  fast: {{type: rigid_body, mass: 1, inertia: [1, 1, 1], velocity: [{}, 0, 0]}}
joints:
  a: {{type: prismatic, between: [ground, slow], axis: [1, 0, 0], spring: {{slide: {{stiffness: 4}}}}}}
  b: {{type: prismatic, between: [ground, fast], axis: [1, 0, 0], spring: {{slide: {{stiffness: 4e6}}}}}}
sensors:
  slow: {{type: motion, of: slow}}
  fast: {{type: motion, of: fast}}
stages:
  - {{type: dynamic, until: 5, accuracy: 1e-3}}
output: {{csv: {{interval: 0.0101}}}}
)yaml",
                                           2000 * A));
  EXPECT_EQ(run.status, 0) << run.err;
  Beside out{.steps = steps_of(run)};
  for (const std::vector<double>& row : testing::table_of(here.read("out/slow.csv")).rows)
    out.slow = std::max(out.slow, std::abs(row[1] - std::sin(2 * row[0])) / 2);
  for (const std::vector<double>& row : testing::table_of(here.read("out/fast.csv")).rows) {
    out.fast = std::max(out.fast, std::abs(row[1] - A * std::sin(2000 * row[0])) / 0.2);
    if (row[0] > 4) out.left = std::max(out.left, std::abs(row[1]) / A);
  }
  return out;
}

TEST(Accuracy, does_not_follow_vibrations_that_do_not_matter) {
  const Beside small = two_bodies(2e-5);
  EXPECT_LT(small.steps, 8000);  // 27,931 while each single error counted
  EXPECT_LT(small.slow, 1e-3);
  EXPECT_LT(small.fast, 1e-3);
}

TEST(Accuracy, follows_vibrations_that_matter) {
  const Beside large = two_bodies(1e-3);
  EXPECT_GT(large.left, 0.95);
  EXPECT_LT(large.slow, 1e-3);
}

// Velocities of a rigid parallelogram set off waves of the cross-sections, of some 3e6 rad/s.
TEST(Accuracy, does_not_follow_waves_of_a_start) {
  const Workplace here;
  std::string text = testing::contents_of(TRAMMEL_SOURCE_DIR "/cases/four_bar_x/case.yaml");
  text = std::regex_replace(text, std::regex("until: 12, step: h\\b"), "until: 0.1, accuracy: 1e-3");
  text = std::regex_replace(text, std::regex("output:.*"), "output: {csv: {every: 1000}}");
  const Outcome run = here.run(text);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_LT(steps_of(run), 10000);  // 28,474 while each single error counted
}

// The bars snap, and ring at up to a million radians a second with amplitudes that do not matter. What they are displaced by must be right
// to the end: a snap to the other side would err by the whole range.
TEST(Accuracy, does_not_follow_what_rings_after_a_snap) {
  const std::string text =
      std::regex_replace(testing::contents_of(TRAMMEL_SOURCE_DIR "/cases/four_bar_y/case.yaml"),
                         std::regex("output:.*"), "output: {csv: {interval: 0.048}}");
  const Workplace reference, by_accuracy;
  const Outcome fixed = reference.run(text), run = by_accuracy.run(std::regex_replace(
                                                 text, std::regex("step: h, radius: 0.6"), "accuracy: 1e-3"));
  ASSERT_EQ(fixed.status, 0) << fixed.err;
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_LT(steps_of(run), 15000);  // 67,122 before vibrations were taken out of errors
  const auto expected = testing::table_of(reference.read("out/C_motion.csv")).rows,
             found = testing::table_of(by_accuracy.read("out/C_motion.csv")).rows;
  ASSERT_EQ(found.size(), expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    worst = std::max(worst, std::hypot(found[i][1] - expected[i][1], found[i][2] - expected[i][2],
                                       found[i][3] - expected[i][3]));
  EXPECT_LT(worst, 4e-3 * 0.268);  // amplification times accuracy times range
}

// A contact rests until its friction no longer suffices. The multipliers of the long steps before hid that, and each shorter step asked
// for another cut.
TEST(Accuracy, finds_the_onset_of_slip_after_long_steps) {
  std::string text = testing::contents_of(TRAMMEL_SOURCE_DIR "/cases/turntable/case.yaml");
  text = std::regex_replace(text, std::regex("output:.*"), "output: {csv: {every: 1000}}");
  for (const double accuracy : {1e-2, 1e-3, 3e-4, 1e-4, 3e-5}) {
    const Workplace here;
    const Outcome run =
        here.run(std::regex_replace(text, std::regex("step: h\\b"), fmt::format("accuracy: {}", accuracy)));
    ASSERT_EQ(run.status, 0) << accuracy << run.err;
    EXPECT_LT(steps_of(run), std::max(150.0, 6 / std::sqrt(accuracy))) << accuracy;
  }
}

/// A body that vibrates at 300 rad/s beside one that swings over 2 m.
Outcome vibrating(const Workplace& here, double amplitude, const std::string& accuracy) {
  return here.run(fmt::format(R"yaml(trammel: 1
bodies:
  slow: {{type: rigid_body, mass: 1, inertia: [1, 1, 1], velocity: [2, 0, 0]}}
  fast: {{type: rigid_body, mass: 1, inertia: [1, 1, 1], velocity: [{}, 0, 0]}}
joints:
  a: {{type: prismatic, between: [ground, slow], axis: [1, 0, 0], spring: {{slide: {{stiffness: 4}}}}}}
  b: {{type: prismatic, between: [ground, fast], axis: [1, 0, 0], spring: {{slide: {{stiffness: 9e4}}}}}}
sensors:
  fast: {{type: motion, of: fast}}
stages:
  - {{type: dynamic, until: 5, accuracy: {}}}
output: {{csv: {{interval: 0.0101}}}}
)yaml",
                              300 * amplitude, accuracy));
}

/// The largest error of this body over its range, which counts as a tenth of that of the other.
double error_of_vibration(const Workplace& here, double amplitude) {
  double largest = 0;
  for (const std::vector<double>& row : testing::table_of(here.read("out/fast.csv")).rows)
    largest = std::max(largest, std::abs(row[1] - amplitude * std::sin(300 * row[0])));
  return largest / 0.2;
}

TEST(Accuracy, tells_where_vibrations_lose_their_phase) {
  const std::regex told("phase of free vibrations of 'fast.position', which may be displaced by ([\\d.e-]+)");
  for (const double amplitude : {1e-3, 4e-3}) {
    const Workplace here;
    const Outcome run = vibrating(here, amplitude, "1e-3");
    ASSERT_EQ(run.status, 0) << run.err;
    std::smatch found;
    ASSERT_TRUE(std::regex_search(run.out, found, told)) << run.out;
    const double error = error_of_vibration(here, amplitude);
    EXPECT_GT(error, 5e-3);
    EXPECT_NEAR(std::stod(found[1]), error, 0.3 * error);
  }
  // Twice this amplitude is less than the accuracy.
  const Workplace here;
  const Outcome run = vibrating(here, 6e-5, "1e-3");
  EXPECT_EQ(run.out.find("phase"), std::string::npos) << run.out;
  EXPECT_LT(error_of_vibration(here, 6e-5), 1e-3);
}

TEST(Accuracy, keeps_the_phase_of_vibrations_on_request) {
  for (const double amplitude : {1e-4, 1e-3}) {
    const Workplace here;
    const Outcome run = vibrating(here, amplitude, "{value: 1e-3, vibrations: yes}");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_LT(error_of_vibration(here, amplitude), 1.2e-3);
    EXPECT_EQ(run.out.find("phase"), std::string::npos) << run.out;
  }
}

}  // namespace
}  // namespace trammel
