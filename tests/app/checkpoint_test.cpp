// Checkpoints, and runs that go on from them: equal to the undisturbed run, and what is refused.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "command.hpp"
#include "histories.hpp"
#include "io/checkpoint_file.hpp"

namespace trammel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Table;
using testing::Workplace;

/// A rod on a hinge.
const std::string pendulum = R"yaml(trammel: 1
parameters: {until: 0.2, mass: 2}
bodies:
  rod: {type: rigid_body, mass: mass, inertia: [0.01, 1/6, 1/6], position: [0.5, 0, 0]}
joints:
  pin: {type: revolute, between: [ground, {on: rod, at: [-0.5, 0, 0]}], axis: [0, 0, 1]}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
sensors:
  rod: {type: motion, of: rod}
stages:
  - {type: dynamic, until: until, step: 0.001}
output: {vtk: {every: 30}}
)yaml";

/// Differences of two folders of results, without log, run.json and checkpoints; empty if they are equal.
std::string difference_of_folders(const Workplace& place, const std::string& a, const std::string& b) {
  return place.shell(fmt::format("diff -rq {} {} -x run.log -x run.json -x 'checkpoint_*'", a, b)).out;
}

/// Runs a case with checkpoints, and once more from the first of the two that were left; `change` is a command of the shell for the folder
/// in which the run continues.
void expect_repeated(const Workplace& place, const std::string& file, int every,
                     const std::string& change = "true") {
  const std::string run = fmt::format("trammel run {} -q --checkpoint-every {} -o ", file, every);
  const Outcome whole = place.shell(run + "whole && ls whole");
  ASSERT_EQ(whole.status, 0) << whole.err;
  const Outcome again =
      place.shell("rm -rf again && cp -r whole again && cd again && " + change + " && cd .. && " + run +
                  "again --restart $(ls again/checkpoint_*.h5 | head -n 1)");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(difference_of_folders(place, "whole", "again"), "") << whole.out;
  EXPECT_THAT(place.read("again/run.log"), HasSubstr("goes on at t = "));
}

struct Scene {
  std::string name;
  std::string scene;
  int every;
};

class RestartOfCase : public ::testing::TestWithParam<Scene> {};

TEST_P(RestartOfCase, repeats_the_run_byte_by_byte) {
  const Workplace place;
  expect_repeated(place, TRAMMEL_SOURCE_DIR "/cases/" + GetParam().scene + "/case.yaml", GetParam().every);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, RestartOfCase,
    ::testing::Values(Scene{"release_and_catch", "caught_rod", 100}, Scene{"unilateral", "lift_off", 303},
                      Scene{"redundant_loops", "bricard", 2500}, Scene{"statics", "roll_up", 10},
                      Scene{"slider_crosses", "moving_load", 180}, Scene{"friction", "turntable", 500}),
    [](const auto& run) { return run.param.name; });

class RestartOfForm : public ::testing::TestWithParam<std::string> {};

TEST_P(RestartOfForm, repeats_the_run_byte_by_byte) {
  const Workplace place;
  std::string text = pendulum;
  const std::string step = "step: 0.001";
  text.replace(text.find(step), step.size(), GetParam());
  place.write("case.yaml", text);
  expect_repeated(place, "case.yaml", GetParam().starts_with("accuracy") ? 10 : 130);
}

INSTANTIATE_TEST_SUITE_P(Runs, RestartOfForm,
                         ::testing::Values("step: 0.001, form: index1", "step: 0.001, form: index2",
                                           "step: 0.001, form: index3", "step: 0.001, form: projected",
                                           "step: 0.001, method: radau", "accuracy: 1e-5"),
                         [](const auto& run) {
                           std::string name;
                           for (const char c : run.param)
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           return name;
                         });

TEST(Restart, continues_through_the_stages) {
  const Workplace place;
  std::string text = pendulum;
  const std::string stage = "  - {type: dynamic, until: until, step: 0.001}\n";
  text.replace(text.find(stage), stage.size(),
               "  - {type: assemble}\n  - {type: dynamic, until: 0.1, step: 0.001}\n"
               "  - {type: dynamic, until: 0.15, step: 0.0005, start: as_given, form: index2}\n"
               "  - {type: dynamic, from: 0, until: 0.05, step: 0.001}\n");
  place.write("case.yaml", text);
  // The one before the last lies at the end of the second stage, before the clock goes back.
  expect_repeated(place, "case.yaml", 100);
  expect_repeated(place, "case.yaml", 40);
}

TEST(Restart, removes_what_a_killed_run_wrote_after_the_checkpoint) {
  const Workplace place;
  place.write("case.yaml", pendulum);
  expect_repeated(place, "case.yaml", 130, "echo 0.9,1,2,3 >>rod.csv && touch whole_vtk/000099_joints.pvtp");
}

/// Two histories agree within 1e-9 of each channel's range.
void expect_close(const Table& a, const Table& b) {
  ASSERT_EQ(a.names, b.names);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t c = 0; c < a.names.size(); ++c) {
    double low = HUGE_VAL, high = -HUGE_VAL, most = 0;
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
      low = std::min(low, a.rows[i][c]);
      high = std::max(high, a.rows[i][c]);
      most = std::max(most, std::abs(a.rows[i][c] - b.rows[i][c]));
    }
    // Channels at rest differ by the rounding of numbers of size 1.
    EXPECT_LE(most, 1e-9 * std::max(high - low, 1e-3)) << a.names[c];
  }
}

/// A chain of rods: ranks share it.
const std::string chain = R"yaml(trammel: 1
bodies:
  rod.(i): {for: {i: 1..8}, type: rigid_body, mass: 1, inertia: [0.01, 0.1, 0.1], position: [i - 0.5, 0, 0]}
joints:
  pin.1: {type: revolute, between: [ground, {on: rod.1, at: [-0.5, 0, 0]}], axis: [0, 0, 1]}
  pin.(i):
    for: {i: 2..8}
    type: revolute
    between: [{on: rod.(i-1), at: [0.5, 0, 0]}, {on: rod.(i), at: [-0.5, 0, 0]}]
    axis: [0, 0, 1]
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
sensors:
  tip: {type: motion, of: rod.8}
stages:
  - {type: dynamic, until: 0.5, step: 0.005, newton: {tolerance: 1e-12}}
)yaml";

TEST(Restart, continues_on_other_numbers_of_ranks) {
  const Workplace place;
  place.write("case.yaml", chain);
  const std::string options = " run case.yaml -q --checkpoint-every 60 -o ";
  const auto on = [](int ranks) {
    return ranks == 1 ? std::string("trammel")
                      : fmt::format("mpirun -q --oversubscribe -n {} '" TRAMMEL_COMMAND "'", ranks);
  };
  for (const auto& [first, second] : {std::pair{3, 1}, {1, 2}, {2, 3}, {2, 2}}) {
    const Outcome whole = place.shell("rm -rf whole again; " + on(first) + options + "whole");
    ASSERT_EQ(whole.status, 0) << whole.err;
    const Outcome again = place.shell("cp -r whole again; " + on(second) + options +
                                      "again --restart $(ls again/checkpoint_*.h5 | head -n 1)");
    ASSERT_EQ(again.status, 0) << again.err;
    expect_close(testing::table_of(place.read("whole/tip.csv")),
                 testing::table_of(place.read("again/tip.csv")));
    EXPECT_THAT(place.read("again/run.json"),
                HasSubstr(fmt::format("\"time\": 0.3, \"ranks\": {}}}]", second)));
  }
}

TEST(Restart, may_have_a_later_end) {
  const Workplace place;
  place.write("case.yaml", pendulum);
  const Outcome outcome = place.shell(R"sh(
trammel run case.yaml -q -o whole --set until=0.3 &&
trammel run case.yaml -q -o again --checkpoint-every 100 &&
trammel run case.yaml -q -o again --restart --set until=0.3
)sh");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Table whole = testing::table_of(place.read("whole/rod.csv")),
              again = testing::table_of(place.read("again/rod.csv"));
  ASSERT_EQ(whole.rows.size(), again.rows.size());
  EXPECT_EQ(again.rows.back()[0], 0.3);
  EXPECT_NEAR(whole.rows.back()[1], again.rows.back()[1], 1e-7);
}

/// A run with two checkpoints, the last at its end.
void run_pendulum(const Workplace& place) {
  place.write("case.yaml", pendulum);
  const Outcome outcome = place.shell("trammel run case.yaml -q -o out --checkpoint-every 130 && ls out");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_THAT(outcome.out, AllOf(HasSubstr("checkpoint_0001.h5"), HasSubstr("checkpoint_0002.h5")));
}

/// Going on with these options ends with a message and status 1.
void expect_refused(const Workplace& place, const std::string& options,
                    const std::vector<std::string>& texts) {
  const Outcome outcome = place.shell("trammel run case.yaml -q -o out --restart " + options);
  EXPECT_EQ(outcome.status, 1);
  for (const std::string& text : texts) EXPECT_THAT(outcome.err, HasSubstr(text));
}

TEST(Restart, of_a_finished_run_or_beyond_its_end_is_refused) {
  const Workplace place;
  run_pendulum(place);
  expect_refused(place, "", {"checkpoint_0002.h5': the run is finished", "t = 0.2 s", "a later 'until'"});
  expect_refused(place, "--set until=0.1",
                 {"lies at t = 0.2 s, beyond the end of stage 1 at 'until' = 0.1 s"});
}

TEST(Restart, without_a_checkpoint_names_the_folder_searched) {
  const Workplace place;
  place.write("case.yaml", pendulum);
  expect_refused(place, "", {"there is no checkpoint to go on from: looked for 'out/checkpoint_*.h5'"});
  expect_refused(place, "out/checkpoint_0007.h5", {"cannot read the checkpoint 'out/checkpoint_0007.h5'"});
}

TEST(Restart, in_another_folder_needs_its_name) {
  const Workplace place;
  run_pendulum(place);
  const Outcome refused = place.shell("trammel run case.yaml -q --restart out/checkpoint_0001.h5");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("does not lie in the folder of results 'results/"), HasSubstr("-o out")));
  const Outcome other = place.shell("trammel run case.yaml -q -o other --restart out/checkpoint_0001.h5");
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(testing::table_of(place.read("other/rod.csv")).rows.front()[0], 0.13);
  EXPECT_EQ(testing::table_of(place.read("out/rod.csv")).rows.front()[0], 0.0);
}

TEST(Restart, of_another_case_is_refused_with_the_differences) {
  const Workplace place;
  run_pendulum(place);
  expect_refused(place, "out/checkpoint_0001.h5 --set mass=3",
                 {"bodies.rod.mass = 3, was 2", "--restart-anyway"});
  const Outcome anyway = place.shell(
      "trammel run case.yaml -o out --restart out/checkpoint_0001.h5 --set mass=3 --restart-anyway");
  EXPECT_EQ(anyway.status, 0) << anyway.err;
  EXPECT_THAT(anyway.out, AllOf(HasSubstr("goes on although it differs: bodies.rod.mass = 3, was 2"),
                                HasSubstr("taken over from the checkpoint: positions")));
  std::string text = pendulum;
  for (std::size_t at = 0; (at = text.find("rod", at)) != std::string::npos;) text.replace(at, 3, "bar");
  place.write("case.yaml", text);
  expect_refused(place, "",
                 {"missing: body 'rod' (rigid_body); sensor 'rod' (motion)",
                  "new: body 'bar' (rigid_body); sensor 'bar' (motion)"});
}

TEST(Restart, may_change_output_names_of_parameters_and_tolerances) {
  const Workplace place;
  run_pendulum(place);
  std::string text = pendulum;
  const auto change = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  change("mass: 2}", "kilograms: 1 + 1}");
  change("mass: mass", "mass: kilograms");
  change("step: 0.001", "step: 1e-3, newton: {tolerance: 1e-10}");
  change("output: {vtk: {every: 30}}", "output: {csv: {every: 10}}  # no pictures");
  place.write("case.yaml", text);
  const Outcome outcome = place.shell("trammel run case.yaml -q -o out --restart out/checkpoint_0001.h5");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(testing::table_of(place.read("out/rod.csv")).rows.size(), 131U + 7U);
}

TEST(Restart, takes_the_checkpoint_before_a_damaged_one) {
  const Workplace place;
  run_pendulum(place);
  for (const char* damage : {"truncate -s 3000", "truncate -s 100", "truncate -s 0",
                             "printf '\\x55' | dd conv=notrunc bs=1 seek=9000 status=none of=",
                             "printf '\\x55' | dd conv=notrunc bs=1 seek=40 status=none of="}) {
    const std::string command = damage;
    const std::string apply = command + (command.ends_with("of=") ? "" : " ") + "broken/checkpoint_0002.h5";
    ASSERT_EQ(place.shell("rm -rf broken; cp -r out broken; " + apply).status, 0);
    const Outcome named =
        place.shell("trammel run case.yaml -q -o broken --restart broken/checkpoint_0002.h5");
    EXPECT_EQ(named.status, 1) << damage;
    EXPECT_THAT(named.err, ::testing::AnyOf(HasSubstr("is damaged: "), HasSubstr("is no checkpoint")))
        << damage;
    const Outcome outcome = place.shell("trammel run case.yaml -o broken --restart");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("; goes on from the one before"),
                                   HasSubstr("checkpoint_0001.h5 (t = 0.13 s")));
    EXPECT_EQ(difference_of_folders(place, "out", "broken"), "") << damage;
  }
}

/// Replaces bytes of a file.
void replace_in(const std::filesystem::path& path, const std::string& from, const std::string& to) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  std::string bytes = text.str();
  const std::size_t at = bytes.find(from);
  ASSERT_NE(at, std::string::npos);
  std::ofstream(path, std::ios::binary) << bytes.replace(at, from.size(), to);
}

TEST(Restart, of_a_newer_format_is_refused) {
  const Workplace place;
  run_pendulum(place);
  replace_in(place / "out/checkpoint_0001.h5", "format 1", "format 9");
  expect_refused(place, "out/checkpoint_0001.h5",
                 {"has format 9, which a newer program wrote; this one reads format 1"});
}

TEST(Restart, of_another_plugin_or_program_is_refused) {
  const Workplace place;
  run_pendulum(place);
  const std::filesystem::path file = place / "out/checkpoint_0001.h5";
  Checkpoint checkpoint = read_checkpoint(file);
  ASSERT_FALSE(checkpoint.plugins.empty());
  const auto [name, version] = checkpoint.plugins.front();
  checkpoint.plugins.front().second = "0.0.7";
  checkpoint.plugins.emplace_back("gone", "1.0");
  checkpoint.program = "0.0.1";
  write_checkpoint(file, checkpoint);
  expect_refused(
      place, "out/checkpoint_0001.h5",
      {fmt::format("plugin '{}' {}, was 0.0.7", name, version), "plugin 'gone' is missing", ", was 0.0.1"});
}

TEST(Restart, of_an_older_history_is_refused_with_both_versions) {
  const Workplace place;
  const std::string text = TRAMMEL_SOURCE_DIR "/cases/moving_load/case.yaml";
  ASSERT_EQ(place.shell("trammel run '" + text + "' -q -o out --checkpoint-every 180").status, 0);
  const std::filesystem::path file = place / "out/checkpoint_0001.h5";
  Checkpoint checkpoint = read_checkpoint(file);
  // A stencil (a count, blocks), degrees of freedom, then the version of a history where there is one.
  bool found = false;
  for (auto& [name, bytes] : checkpoint.snapshot.histories) {
    std::uint64_t blocks = 0;
    std::memcpy(&blocks, bytes.data(), sizeof blocks);
    const std::size_t at = sizeof blocks + blocks * sizeof(BlockId) + sizeof(int);
    if (bytes.size() <= at) continue;
    const int version = 77;
    std::memcpy(bytes.data() + at, &version, sizeof version);
    found = true;
  }
  ASSERT_TRUE(found);
  write_checkpoint(file, checkpoint);
  const Outcome outcome =
      place.shell("trammel run '" + text + "' -q -o out --restart out/checkpoint_0001.h5");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("what was saved of '"), HasSubstr("cannot be read: "), HasSubstr("77")));
}

TEST(Restart, refuses_a_history_that_was_changed) {
  const Workplace place;
  run_pendulum(place);
  ASSERT_EQ(place.shell("cp -r out short && truncate -s 2000 short/rod.csv").status, 0);
  const Outcome outcome = place.shell("trammel run case.yaml -q -o short --restart short/checkpoint_0001.h5");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cannot go on with 'short/rod.csv': it has 2000 bytes, and had "));
  replace_in(place / "out/rod.csv", "time [s]", "Time [s]");
  expect_refused(place, "out/checkpoint_0001.h5", {"cannot go on with 'out/rod.csv': its first line"});
}

TEST(Checkpoint, that_cannot_be_written_leaves_the_previous_one) {
  const Workplace place;
  run_pendulum(place);
  // A folder has the name of the new file.
  const Outcome outcome = place.shell(
      "ls -l out/checkpoint_0001.h5 && cp -r out full && "
      "mkdir -p full/checkpoint_0002.h5.new/x && "
      "trammel run case.yaml -o full --restart full/checkpoint_0001.h5 --checkpoint-every 30; echo status "
      "$?; ls full");
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("WARNING: no checkpoint at t = 0.15 s: cannot write 'full/checkpoint_0002.h5.new'"),
            HasSubstr("status 0"), HasSubstr("checkpoint_0001.h5")));
  EXPECT_EQ(read_checkpoint(place / "full/checkpoint_0001.h5").snapshot.time, 0.13);
  EXPECT_EQ(testing::table_of(place.read("full/rod.csv")).rows.back()[0], 0.2);
}

TEST(Checkpoint, on_a_full_disk_gives_a_warning) {
  const Workplace place;
  place.write("case.yaml", pendulum.substr(0, pendulum.find("output:")));
  // The limit on the size of a file stands for the disk: 12 blocks of 1 KiB hold a history of 20 rows, no checkpoint.
  const Outcome outcome = place.shell(
      "ulimit -f 12; trammel run case.yaml -o out --checkpoint-every 10 --set until=0.02; echo status $?; ls "
      "out");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("WARNING: no checkpoint at t = 0.01 s: cannot write "
                                           "'out/checkpoint_0001.h5.new': File too large"),
                                 HasSubstr("status 0"), Not(HasSubstr("\ncheckpoint_"))));
}

TEST(Checkpoint, of_an_earlier_run_is_deleted_by_a_new_run) {
  const Workplace place;
  run_pendulum(place);
  const Outcome outcome = place.shell("trammel run case.yaml -q -o out && ls out");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("checkpoint_")));
}

/// Starts a run for hours in the background, and waits until it is under way.
std::string started(const std::string& options) {
  return "'" TRAMMEL_COMMAND "' run case.yaml -o out --set until=1e4 " + options +
         " >console 2>message &\nrun=$!\n" +
         "for i in $(seq 600); do [ \"$(wc -l 2>/dev/null <out/rod.csv || echo 0)\" -gt 99 ] && break; sleep "
         "0.1; "
         "done\n";
}

/// The last two rows of a history lie one step apart, and no row is there twice.
void expect_no_gap(const Table& table, double step) {
  for (std::size_t i = 1; i < table.rows.size(); ++i)
    ASSERT_NEAR(table.rows[i][0] - table.rows[i - 1][0], step, 1e-9) << "row " << i;
}

TEST(Checkpoint, is_written_when_a_signal_stops_the_run) {
  const Workplace place;
  place.write("case.yaml", pendulum);
  const Outcome outcome = place.shell(started("") + "kill -TERM $run; wait $run");
  EXPECT_EQ(outcome.status, 143);
  EXPECT_THAT(place.read("out/run.log"), HasSubstr("go on from out/checkpoint_0001.h5 with --restart"));
  EXPECT_THAT(place.read("out/run.json"),
              AllOf(HasSubstr("\"end\": \"SIGTERM\""), HasSubstr("\"status\": 143")));
  const double stopped = testing::table_of(place.read("out/rod.csv")).rows.back()[0];
  const Outcome again =
      place.shell(fmt::format("trammel run case.yaml -q -o out --restart --set until={}", stopped + 0.02));
  EXPECT_EQ(again.status, 0) << again.err;
  const Table table = testing::table_of(place.read("out/rod.csv"));
  expect_no_gap(table, 0.001);
  EXPECT_NEAR(table.rows.back()[0], stopped + 0.02, 1e-9);
}

TEST(Checkpoint, is_written_on_SIGUSR1_while_the_run_continues) {
  const Workplace place;
  place.write("case.yaml", pendulum);
  const Outcome outcome = place.shell(started("") + R"sh(kill -USR1 $run
for i in $(seq 100); do [ -e out/checkpoint_0001.h5 ] && break; sleep 0.1; done
kill -0 $run && kill -9 $run; wait $run
trammel run case.yaml -q -o out --restart --set until=1e4 --time-limit 3)sh");
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  EXPECT_THAT(place.read("out/run.log"),
              AllOf(HasSubstr("on SIGUSR1"), HasSubstr("stopped by the time limit at t = ")));
  expect_no_gap(testing::table_of(place.read("out/rod.csv")), 0.001);
}

TEST(Restart, is_refused_while_the_old_run_works) {
  const Workplace place;
  place.write("case.yaml", pendulum);
  const Outcome outcome = place.shell(started("--checkpoint-every 50") + R"sh(
trammel run case.yaml -q -o out --restart --set until=1e4
echo "status $?"
kill -9 $run; wait $run)sh");
  EXPECT_THAT(outcome.err, HasSubstr("another run writes its results into 'out'"));
  EXPECT_THAT(outcome.out, HasSubstr("status 1"));
}

TEST(SlurmChain, continues_from_job_to_job_and_ends_with_the_run) {
  const Workplace place;
  place.write("case.yaml", pendulum);
  // Runs the job at once, as the queue would: its number goes to standard output.
  place.write("sbatch", R"sh(#!/bin/bash
while [[ $1 == --* ]]; do [[ $1 == --export=ALL,* ]] && export "${1#--export=ALL,}"; shift; done
echo "$@" >>jobs
"$@" >>job.log 2>&1
echo "status $?" >>jobs
echo 17
)sh");
  const std::string submit =
      "PATH=$PWD:$PATH TRAMMEL_LAUNCH=env TRAMMEL='" TRAMMEL_COMMAND "' '" TRAMMEL_SOURCE_DIR
      "/scripts/slurm/chain.sh' case.yaml out 2 32 --set until=";
  const Outcome outcome = place.shell("chmod +x sbatch; " + submit + "1e4");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(place.read("jobs"), HasSubstr("status 5\n")) << place.read("job.log");
  EXPECT_THAT(place.read("out/run.json"),
              AllOf(HasSubstr("\"end\": \"time limit\""), HasSubstr("\"ranks\": 1}]")));
  const Table table = testing::table_of(place.read("out/rod.csv"));
  expect_no_gap(table, 0.001);
  // The next chain ends the run in its first job; the second one has nothing to do.
  const double end = table.rows.back()[0] + 0.02;
  ASSERT_EQ(place.shell(submit + fmt::format("{}", end)).status, 0);
  EXPECT_THAT(place.read("job.log"), HasSubstr("the run has ended: done"));
  EXPECT_NEAR(testing::table_of(place.read("out/rod.csv")).rows.back()[0], end, 1e-9);
}

TEST(ExitStatus, says_how_a_run_ended) {
  const Workplace place;
  place.write("case.yaml", pendulum);
  const auto status = [&](const std::string& options) {
    return place.shell("trammel run case.yaml -q -o out " + options).status;
  };
  EXPECT_EQ(status(""), 0);
  EXPECT_THAT(place.read("out/run.json"),
              AllOf(HasSubstr("\"end\": \"done\""), HasSubstr("\"lower_pairs\": \"")));
  EXPECT_EQ(status("--set until=no_number"), 1);
  EXPECT_EQ(status("--checkpoint-every 0"), 2);
  EXPECT_EQ(status("--time-limit soon"), 2);
  EXPECT_EQ(status("--set until=1e5 --time-limit 2"), 5);
  EXPECT_THAT(place.read("out/run.json"),
              AllOf(HasSubstr("\"end\": \"time limit\""), HasSubstr("\"status\": 5")));
  std::string text = pendulum;
  const std::string stage = "step: 0.001";
  text.replace(text.find(stage), stage.size(), "step: 0.001, max_cuts: 0, newton: {max_iterations: 1}");
  place.write("case.yaml", text);
  EXPECT_EQ(status(""), 4);
  EXPECT_THAT(place.read("out/run.json"), HasSubstr("\"end\": \"no convergence\""));
}

}  // namespace
}  // namespace trammel
