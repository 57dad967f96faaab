// The second run that tells by how much positions err.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Workplace;

/// A pendulum of 1 m from the horizontal; its motion is an elliptic function.
std::string pendulum(const std::string& accuracy) {
  return fmt::format(R"yaml(trammel: 1
bodies:
  bob: {{type: point_mass, mass: 1, position: [-1, 0, 0]}}
joints:
  rod: {{type: distance, between: [ground, bob]}}
loads:
  weight: {{type: gravity, acceleration: [0, -9.81, 0]}}
sensors:
  bob: {{type: motion, of: bob}}
stages:
  - {{type: dynamic, until: 2, accuracy: {}}}
)yaml",
                     accuracy);
}

/// Two rods of a double pendulum, which amplify errors about tenfold a second.
std::string double_pendulum(const std::string& accuracy, double until) {
  return fmt::format(R"yaml(trammel: 1
bodies:
  upper: {{type: point_mass, mass: 1, position: [0, 1, 0]}}
  lower: {{type: point_mass, mass: 1, position: [0.1, 2, 0]}}
joints:
  first: {{type: distance, between: [ground, upper]}}
  second: {{type: distance, between: [upper, lower]}}
loads:
  weight: {{type: gravity, acceleration: [0, -9.81, 0]}}
sensors:
  lower: {{type: motion, of: lower}}
stages:
  - {{type: dynamic, until: {}, accuracy: {}}}
)yaml",
                     until, accuracy);
}

/// What the log of a run says of its error, as a part of the ranges; 0 where it says nothing.
double told(const Outcome& run) {
  std::smatch found;
  return std::regex_search(run.out, found, std::regex("positions err by about ([\\d.e+-]+) of their ranges"))
             ? std::stod(found[1])
             : 0;
}

TEST(AccuracyCheck, tells_the_error_by_a_coarser_or_a_finer_run) {
  for (const std::string check : {"", ", check: coarser", ", check: finer", ", check: yes"}) {
    const Workplace here;
    const Outcome run = here.run(pendulum("{value: 1e-3" + check + "}"));
    ASSERT_EQ(run.status, 0) << run.err;
    const testing::Table bob = testing::table_of(here.read("out/bob.csv"));
    // The range of the bob is 2 m.
    const double truly = std::hypot(testing::at(bob, 2, "position.x") + 0.793566195343322,
                                    testing::at(bob, 2, "position.y") + 0.608483930443692) /
                         2;
    EXPECT_GT(told(run), truly / 3) << check;
    EXPECT_LT(told(run), 3 * truly) << check;
    EXPECT_THAT(run.out, HasSubstr("'bob.position'"));
  }
}

TEST(AccuracyCheck, is_left_out_on_request) {
  const Outcome run = Workplace().run(pendulum("{value: 1e-3, check: no}"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("check")));
}

/// The second run is for the log alone: results are those of a run without it.
TEST(AccuracyCheck, leaves_results_as_they_are) {
  const Workplace here, there;
  ASSERT_EQ(here.run(pendulum("1e-3")).status, 0);
  ASSERT_EQ(there.run(pendulum("{value: 1e-3, check: no}")).status, 0);
  EXPECT_EQ(here.read("out/bob.csv"), there.read("out/bob.csv"));
  EXPECT_THAT(here.read("out/run.json"), HasSubstr("\"end\": \"done\""));
}

TEST(AccuracyCheck, warns_where_the_motion_amplifies_errors) {
  const Workplace here, finer, there;
  const Outcome run = here.run(double_pendulum("1e-3", 4)),
                fine = finer.run(double_pendulum("{value: 1e-3, check: finer}", 4));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(Workplace().run(double_pendulum("1e-3", 0.5)).out, Not(HasSubstr("WARNING")));
  EXPECT_THAT(run.out, HasSubstr("WARNING: stage 1: positions err by about"));
  EXPECT_THAT(run.out, HasSubstr("where 0.001 was asked"));
  EXPECT_GT(told(run), told(fine) / 4) << run.out << fine.out;
  EXPECT_LT(told(run), 4 * told(fine)) << run.out << fine.out;
  // What it advises gives about what was asked.
  std::smatch found;
  ASSERT_TRUE(std::regex_search(run.out, found, std::regex("`accuracy: ([\\d.e-]+)` would give")));
  const Outcome again =
      there.run(double_pendulum(fmt::format("{{value: {}, check: finer}}", found[1].str()), 4));
  EXPECT_LT(told(again), 3e-3) << again.out;
  EXPECT_GT(told(again), 1e-4) << again.out;
}

/// Two partitions of one case in one process may differ: on two ranks those of this case did.
TEST(AccuracyCheck, tells_the_same_on_several_ranks) {
  const Workplace here;
  const std::string text = std::regex_replace(here.read(TRAMMEL_SOURCE_DIR "/cases/slider_crank/case.yaml"),
                                              std::regex("step: [^,}]*"), "accuracy: 1e-3");
  const Outcome one = here.run(text, "--set until=0.5");
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_GT(told(one), 0) << one.out;
  for (const int ranks : {2, 3}) {
    const Outcome run = here.run_on(ranks, text, "--set until=0.5");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_NEAR(told(run), told(one), 0.05 * told(one)) << ranks;
  }
}

TEST(AccuracyCheck, is_given_up_where_a_run_continues_from_a_checkpoint) {
  const Workplace here;
  here.write("case.yaml", pendulum("1e-4"));
  ASSERT_EQ(here.shell("trammel run case.yaml -q -o out --checkpoint-every 50").status, 0);
  const Outcome run =
      here.shell("trammel run case.yaml -o out --restart $(ls out/checkpoint_*.h5 | head -n 1)");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("no check of the accuracy: the run went on from a checkpoint"));
  EXPECT_EQ(told(run), 0);
}

TEST(AccuracyCheck, of_another_kind_is_an_error) {
  const Outcome run = Workplace().run(pendulum("{value: 1e-3, check: fine}"));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("'check' must be one of coarser, finer, yes, no; found 'fine'"));
  EXPECT_THAT(run.err, HasSubstr("did you mean 'finer'"));
}

}  // namespace
}  // namespace trammel
