// The second run that tells by how much positions err.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Core>

#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include "command.hpp"
#include "histories.hpp"
#include "swinging_pendulum.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::pendulum;
using testing::Workplace;

/// The case of this name, with an accuracy in place of its step.
std::string case_with(const std::string& accuracy, const std::string& name) {
  return std::regex_replace(Workplace().read(TRAMMEL_SOURCE_DIR "/cases/" + name + "/case.yaml"),
                            std::regex("step: [^,}]*"), "accuracy: " + accuracy);
}

/// What the log says of errors, as parts of the ranges, one run after the other.
std::vector<double> all_told(const Outcome& run) {
  static const std::regex words("positions err by about ([\\d.e+-]+) of their ranges");
  std::vector<double> all;
  for (std::sregex_iterator i(run.out.begin(), run.out.end(), words), end; i != end; ++i)
    all.push_back(std::stod((*i)[1]));
  return all;
}

/// The first of these; 0 where the log says nothing.
double told(const Outcome& run) {
  const std::vector<double> all = all_told(run);
  return all.empty() ? 0 : all.front();
}

/// The error of the pendulum at 2 s, as a part of its range.
double error_at_2(const Workplace& here) {
  const testing::Table bob = testing::table_of(here.read("out/bob.csv"));
  return std::hypot(testing::at(bob, 2, "position.x") - testing::x_at_2,
                    testing::at(bob, 2, "position.y") - testing::y_at_2) /
         std::hypot(2, 1);
}

TEST(AccuracyCheck, tells_the_error_by_a_coarser_or_a_finer_run) {
  for (const std::string steps :
       {"accuracy: 1e-3", "accuracy: {value: 1e-3, check: coarser}", "accuracy: {value: 1e-3, check: finer}",
        "accuracy: {value: 1e-3, check: yes}", "step: 4e-3, check: coarser", "steps: 1000, check: finer"}) {
    const Workplace here;
    const Outcome run = here.run(pendulum(steps));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_NEAR(told(run), error_at_2(here), 0.2 * error_at_2(here)) << steps << run.out;
    EXPECT_THAT(run.out, HasSubstr("'bob.position'"));
    EXPECT_THAT(run.out,
                HasSubstr(steps.find("finer") != std::string::npos || steps.find("yes") != std::string::npos
                              ? "check: the same with steps half as long"
                              : "check: the same with steps three times as long"));
  }
}

/// Of the third order. The error is largest at 1.6 s, on the way down.
TEST(AccuracyCheck, tells_the_error_of_radau) {
  const auto position = [](const Workplace& here) {
    const testing::Table bob = testing::table_of(here.read("out/bob.csv"));
    return Eigen::Vector2d(testing::at(bob, 1.6, "position.x"), testing::at(bob, 1.6, "position.y"));
  };
  const auto radau = [](const std::string& steps) {
    return std::regex_replace(pendulum(steps + ", method: radau"), std::regex("form: projected, "), "");
  };
  const Workplace exact;
  ASSERT_EQ(exact.run(radau("step: 1e-3")).status, 0);
  for (const std::string check : {"coarser", "finer"}) {
    const Workplace here;
    const Outcome run = here.run(radau("step: 2e-2, check: " + check));
    ASSERT_EQ(run.status, 0) << run.err;
    const double error = (position(here) - position(exact)).norm() / std::hypot(2, 1);
    EXPECT_NEAR(told(run), error, 0.1 * error) << run.out;
  }
}

/// Errors before and after a dead centre cancel, in both runs alike. With other steps than in the first run they would not.
TEST(AccuracyCheck, tells_errors_that_nearly_cancel) {
  const std::string name = "slider_crank";
  const Outcome coarser = Workplace().run(case_with("1e-3", name)),
                finer = Workplace().run(case_with("{value: 1e-3, check: finer}", name));
  ASSERT_EQ(coarser.status, 0) << coarser.err;
  ASSERT_GT(told(finer), 0) << finer.out;
  EXPECT_NEAR(told(coarser), told(finer), 0.2 * told(finer)) << coarser.out << finer.out;
}

TEST(AccuracyCheck, is_left_out_on_request_and_with_steps_of_one_size) {
  for (const std::string steps :
       {"accuracy: {value: 1e-3, check: no}", "step: 4e-3", "step: 4e-3, check: no"}) {
    const Outcome run = Workplace().run(pendulum(steps));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, Not(HasSubstr("check"))) << steps;
  }
}

/// The second run is for the log alone: results are those of a run without it.
TEST(AccuracyCheck, leaves_results_as_they_are) {
  const Workplace here, there;
  ASSERT_EQ(here.run(pendulum("accuracy: 1e-3")).status, 0);
  ASSERT_EQ(there.run(pendulum("accuracy: {value: 1e-3, check: no}")).status, 0);
  EXPECT_EQ(here.read("out/bob.csv"), there.read("out/bob.csv"));
  EXPECT_THAT(here.read("out/run.json"), HasSubstr("\"end\": \"done\""));
  EXPECT_THAT(there.read("out/run.json"), Not(HasSubstr("position_errors")));
}

TEST(AccuracyCheck, is_in_the_record_of_the_run) {
  const Workplace here;
  const Outcome run = here.run(pendulum("accuracy: 1e-3"));
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string record = here.read("out/run.json");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      record, found,
      std::regex(
          R"re("position_errors": \[\{"stage": 1, "error": ([^,]+), "time": ([^,]+), "position": "bob.position"\}\])re")))
      << record;
  EXPECT_NEAR(std::stod(found[1]), told(run), 0.1 * told(run));
  EXPECT_LE(std::stod(found[2]), 2);
}

/// A particle on a saddle: a perturbed start grows by 58.
TEST(AccuracyCheck, warns_where_the_motion_amplifies_errors) {
  const Workplace here;
  const std::string name = "saddle_particle";
  const Outcome run = here.run(case_with("1e-3", name)),
                fine = here.run(case_with("{value: 1e-3, check: finer}", name));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("WARNING: stage 1: positions err by about"));
  EXPECT_THAT(run.out, HasSubstr("where 0.001 was asked"));
  EXPECT_NEAR(told(run), told(fine), 0.2 * told(fine)) << run.out << fine.out;
  // What it advises gives about what was asked.
  std::smatch found;
  ASSERT_TRUE(std::regex_search(run.out, found, std::regex("`accuracy: ([\\d.e-]+)` would give")));
  const Outcome again = here.run(case_with(fmt::format("{{value: {}, check: finer}}", found[1].str()), name));
  EXPECT_LT(told(again), 3e-3) << again.out;
  EXPECT_GT(told(again), 3e-4) << again.out;
}

TEST(AccuracyCheck, does_not_warn_where_it_does_not) {
  const Outcome run = Workplace().run(case_with("1e-3", "heavy_top"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("(asked: 0.001)"));
  EXPECT_THAT(run.out, Not(HasSubstr("WARNING")));
}

/// Two partitions of one case in one process may differ: on two ranks those of this case did.
TEST(AccuracyCheck, tells_the_same_on_two_ranks) {
  const Workplace here;
  const std::string text = case_with("1e-3", "slider_crank");
  const Outcome one = here.run(text, "--set until=0.3"), two = here.run_on(2, text, "--set until=0.3");
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(two.status, 0) << two.err;
  ASSERT_GT(told(one), 0) << one.out;
  EXPECT_NEAR(told(two), told(one), 0.05 * told(one));
}

/// Of the part before the checkpoint no positions are known. The largest errors come later.
TEST(AccuracyCheck, tells_the_error_of_a_run_that_goes_on_from_a_checkpoint) {
  const Workplace here;
  const std::string text = pendulum("accuracy: 1e-4");
  const Outcome whole = here.run(text, "--checkpoint-every 50");
  ASSERT_EQ(whole.status, 0) << whole.err;
  ASSERT_GT(told(whole), 0);
  for (const int ranks : {1, 2}) {
    const Outcome run = here.run_on(ranks, text, "--restart $(ls out/checkpoint_*.h5 | head -n 1)");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("goes on from"));
    EXPECT_NEAR(told(run), told(whole), 0.02 * told(whole)) << run.out;
  }
}

TEST(AccuracyCheck, tells_nothing_of_a_stage_that_ended_before_the_checkpoint) {
  const Workplace here;
  here.write("case.yaml",
             pendulum("accuracy: 1e-3", "  - {type: dynamic, until: 3, accuracy: 1e-3, form: projected}\n"));
  ASSERT_EQ(here.shell("trammel run case.yaml -q -o out --checkpoint-every 100").status, 0);
  const Outcome run =
      here.shell("trammel run case.yaml -o out --restart $(ls out/checkpoint_*.h5 | head -n 1)");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("stage 2: positions err by about"));
  EXPECT_THAT(run.out, Not(HasSubstr("stage 1: positions err by about")));
}

TEST(AccuracyCheck, is_given_up_where_another_case_goes_on) {
  const Workplace here;
  here.write("case.yaml", pendulum("accuracy: 1e-4"));
  ASSERT_EQ(here.shell("trammel run case.yaml -q -o out --checkpoint-every 50").status, 0);
  here.write("case.yaml", pendulum("accuracy: 2e-4"));
  const Outcome run = here.shell(
      "trammel run case.yaml -o other --restart $(ls out/checkpoint_*.h5 | head -n 1) --restart-anyway");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("no check of the accuracy: the run went on with another case"));
  EXPECT_EQ(told(run), 0);
}

/// Where the coarser run meets waves that the first one does not. Rounding errors decide whether they make it fail instead.
TEST(AccuracyCheck, is_given_up_where_it_takes_longer_than_the_run) {
  std::string said;
  for (const char* const accuracy : {"0.012", "0.015", "0.01", "0.008"}) {
    const Outcome run = Workplace().run(case_with(accuracy, "spin_up"));
    ASSERT_EQ(run.status, 0) << run.err;
    said = run.out;
    if (said.find("no check: this run takes more steps than the first") != std::string::npos) return;
    EXPECT_THAT(said, HasSubstr("no check, since this run failed"));
  }
  FAIL() << said;
}

/// With half its range as the accuracy a bead runs off the end of its wire, on the rank that owns it.
TEST(AccuracyCheck, that_fails_is_reported_and_leaves_the_run_done) {
  const Workplace here;
  for (const int ranks : {1, 2}) {
    const Outcome run = here.run_on(ranks, case_with("0.05", "cycloid_beads"));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("WARNING: no check, since this run failed: "));
    EXPECT_THAT(run.out, HasSubstr("the slider runs off the end of curve 'wire'"));
    EXPECT_THAT(here.read("out/run.json"), HasSubstr("\"end\": \"done\""));
  }
}

TEST(AccuracyCheck, begins_again_until_the_error_is_reached) {
  const std::string name = "saddle_particle";
  for (const int ranks : {1, 2}) {
    const Workplace here;
    const Outcome run = here.run_on(ranks, case_with("{value: 1e-3, reach: yes}", name));
    ASSERT_EQ(run.status, 0) << run.err;
    const std::vector<double> told = all_told(run);
    ASSERT_GT(told.size(), 1U) << run.out;
    for (std::size_t i = 0; i + 1 < told.size(); ++i) EXPECT_GT(told[i], 1e-3);
    EXPECT_LT(told.back(), 1e-3);
    EXPECT_GT(told.back(), 3e-4);
    EXPECT_THAT(run.out, HasSubstr("where 0.001 is to be reached: the run begins again"));
    EXPECT_THAT(run.out, Not(HasSubstr("WARNING")));
    // The results are those of the last run.
    std::string used;
    const std::regex lines("accuracy ([\\d.e-]+), to reach an error of 0.001");
    for (std::sregex_iterator i(run.out.begin(), run.out.end(), lines), end; i != end; ++i) used = (*i)[1];
    const Workplace there;
    ASSERT_EQ(there.run_on(ranks, case_with("{value: " + used + ", check: no}", name)).status, 0);
    EXPECT_EQ(here.read("out/particle.csv"), there.read("out/particle.csv"));
  }
}

TEST(AccuracyCheck, begins_once_where_the_error_is_reached) {
  const Outcome run = Workplace().run(case_with("{value: 1e-3, reach: yes}", "heavy_top"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(all_told(run).size(), 1U);
}

/// After three more runs, in a chaotic motion.
TEST(AccuracyCheck, warns_where_the_error_is_not_reached) {
  const Outcome run = Workplace().run(
      std::regex_replace(Workplace().read(TRAMMEL_SOURCE_DIR "/bench/forms/chain_of_five.yaml"),
                         std::regex("step: [^,}]*"), "accuracy: {value: 0.03, reach: yes}"),
      "--set until=3");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(all_told(run).size(), 4U);
  EXPECT_THAT(run.out, HasSubstr("WARNING: stage 1: positions err by about"));
}

/// A run that goes on does so with the accuracy that the one before had come to.
TEST(AccuracyCheck, keeps_the_accuracy_after_a_restart) {
  const Workplace here;
  here.write("case.yaml", case_with("{value: 1e-3, reach: yes}", "saddle_particle"));
  ASSERT_EQ(here.shell("trammel run case.yaml -q -o out --checkpoint-every 100").status, 0);
  const std::string results = here.read("out/particle.csv");
  const Outcome run =
      here.shell("trammel run case.yaml -o out --restart $(ls out/checkpoint_*.h5 | head -n 1)");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(", to reach an error of 0.001"));
  EXPECT_EQ(here.read("out/particle.csv"), results);
}

TEST(AccuracyCheck, is_needed_to_reach_an_error) {
  const Outcome run = Workplace().run(pendulum("accuracy: {value: 1e-3, check: no, reach: yes}"));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("'reach: yes' needs the check, which `check: no` omits"));
}

TEST(AccuracyCheck, belongs_to_the_accuracy) {
  const Outcome run = Workplace().run(pendulum("accuracy: 1e-3, check: finer"));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(
      run.err,
      HasSubstr("'check' beside 'accuracy' is written inside it: accuracy: {value: ..., check: finer}"));
}

TEST(AccuracyCheck, of_another_kind_is_an_error) {
  const Outcome run = Workplace().run(pendulum("accuracy: {value: 1e-3, check: fine}"));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("'check' must be one of coarser, finer, yes, no; found 'fine'"));
  EXPECT_THAT(run.err, HasSubstr("did you mean 'finer'"));
}

}  // namespace
}  // namespace trammel
