// When checkpoints are written, what a chain of jobs makes of them, and exit statuses.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "growing_pendulum.hpp"
#include "io/files/checkpoint_file.hpp"
#include "io/process/address_sanitizer.hpp"
#include "swinging_rod.hpp"

namespace trammel {
namespace {

using ::testing::AllOf;
using testing::expect_no_gap;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::run_with_two_checkpoints;
using testing::seconds_of_a_start;
using testing::started;
using testing::swinging_rod;
using testing::Table;
using testing::Workplace;

const std::string long_run = "'" TRAMMEL_COMMAND "' run case.yaml -o out --set until=1e4";

TEST(Checkpoint, that_cannot_be_written_leaves_the_previous_one) {
  const Workplace place;
  run_with_two_checkpoints(place);
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

TEST(Checkpoint, the_last_two_are_kept) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
  const Outcome outcome =
      place.shell("trammel run case.yaml -q -o out --checkpoint-every 30 && cd out && ls checkpoint_*");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // Six in 200 steps, and one at the end.
  EXPECT_EQ(outcome.out, "checkpoint_0006.h5\ncheckpoint_0007.h5\n");
  EXPECT_EQ(read_checkpoint(place / "out/checkpoint_0006.h5").snapshot.time, 0.18);
  EXPECT_EQ(read_checkpoint(place / "out/checkpoint_0007.h5").snapshot.time, 0.2);
}

TEST(Checkpoint, is_requested_by_the_case_and_otherwise_by_the_command) {
  const Workplace place;
  const auto asking = [&](const std::string& words) {
    place.write("case.yaml", testing::with(swinging_rod, "vtk: {every: 30}", "checkpoint: {" + words + "}"));
  };
  const auto written = [&](const std::string& options) {
    EXPECT_EQ(place.shell("rm -rf out; trammel run case.yaml -q -o out " + options).status, 0);
    std::vector<double> times;
    for (const auto& file : checkpoints_in(place / "out"))
      times.push_back(read_checkpoint(file).snapshot.time);
    return times;
  };
  asking("every: 150");
  EXPECT_EQ(written(""), (std::vector{0.15, 0.2}));
  EXPECT_EQ(written("--checkpoint-every 120"), (std::vector{0.12, 0.2}));
  asking("minutes: 0.001");
  EXPECT_EQ(written("--set until=30").back(), 30);
  EXPECT_THAT(place.read("out/run.log"), HasSubstr(", by the clock: "));
  asking("minutes: 1000");
  EXPECT_EQ(written(""), (std::vector{0.2}));
  asking("");
  const Outcome refused = place.shell("trammel run case.yaml -q -o out");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("'checkpoint' needs 'every', 'minutes' or both"));
}

TEST(Checkpoint, a_run_anew_takes_those_of_the_run_before_away) {
  const Workplace place;
  run_with_two_checkpoints(place);
  const Outcome outcome = place.shell("trammel run case.yaml -q -o out && ls out");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("checkpoint_")));
}

TEST(Checkpoint, is_written_where_a_signal_stops_the_run) {
  for (const auto& [signal, status] : {std::pair{"TERM", 143}, {"INT", 130}}) {
    const Workplace place;
    place.write("case.yaml", swinging_rod);
    const Outcome outcome =
        place.shell(started(long_run, 100) + fmt::format("kill -{} $run; wait $run", signal));
    EXPECT_EQ(outcome.status, status);
    EXPECT_THAT(place.read("out/run.log"), HasSubstr("go on from out/checkpoint_0001.h5 with --restart"));
    EXPECT_THAT(place.read("out/run.json"), AllOf(HasSubstr(fmt::format("\"end\": \"SIG{}\"", signal)),
                                                  HasSubstr(fmt::format("\"status\": {}", status))));
    const double stopped = testing::table_of(place.read("out/rod.csv")).rows.back()[0];
    const Outcome again =
        place.shell(fmt::format("trammel run case.yaml -q -o out --restart --set until={}", stopped + 0.02));
    EXPECT_EQ(again.status, 0) << again.err;
    const Table table = testing::table_of(place.read("out/rod.csv"));
    expect_no_gap(table, 0.001);
    EXPECT_NEAR(table.rows.back()[0], stopped + 0.02, 1e-9);
  }
}

TEST(Checkpoint, is_written_on_SIGUSR1_while_the_run_continues) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
  const Outcome outcome = place.shell(started(long_run, 100) + R"sh(kill -USR1 $run
for i in $(seq 300); do grep -q "on SIGUSR1" out/run.log && break; sleep 0.1; done
kill -0 $run && kill -9 $run; wait $run
trammel run case.yaml -q -o out --restart --set until=1e4 --time-limit )sh" +
                                      std::to_string(seconds_of_a_start(place)));
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  EXPECT_THAT(place.read("out/run.log"),
              AllOf(HasSubstr("on SIGUSR1"), HasSubstr("stopped by the time limit at t = ")));
  expect_no_gap(testing::table_of(place.read("out/rod.csv")), 0.001);
}

TEST(Checkpoint, asked_for_while_the_case_is_still_read_comes_after_the_first_step) {
  const Workplace place;
  // The signal comes as soon as the process catches it (bit 9 of SigCgt), long before there are results.
  const Outcome outcome = place.shell("'" TRAMMEL_COMMAND "' run '" TRAMMEL_SOURCE_DIR
                                      R"sh(/cases/chain/case.yaml' -q -o out --set N=2000 --set until=0.02 &
run=$!
for i in $(seq 3000); do
  caught=$(sed -n 's/^SigCgt:\s*//p' /proc/$run/status)
  [ $((0x$caught & 0x200)) -ne 0 ] && break
  sleep 0.01
done
[ -e out/run.log ] && echo "too late"
kill -USR1 $run
wait $run)sh");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(place.read("out/run.log"), HasSubstr("checkpoint_0001.h5 at t = 0.001 s, on SIGUSR1"));
}

TEST(SlurmChain, continues_from_job_to_job_and_ends_with_the_run) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
  // Runs the job at once, as the queue would: its number goes to standard output.
  place.write("sbatch", R"sh(#!/bin/bash
while [[ $1 == --* ]]; do [[ $1 == --export=ALL,* ]] && export "${1#--export=ALL,}"; shift; done
echo "$@" >>jobs
"$@" >>job.log 2>&1
echo "status $?" >>jobs
echo 17
)sh");
  const int kept = 30;  // by the job's script, for the batch system
  const std::string submit =
      fmt::format("PATH=$PWD:$PATH TRAMMEL_LAUNCH=env TRAMMEL='" TRAMMEL_COMMAND "' '" TRAMMEL_SOURCE_DIR
                  "/scripts/slurm/chain.sh' case.yaml out 2 {} --set until=",
                  kept + seconds_of_a_start(place));
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
  place.write("case.yaml", swinging_rod);
  const auto status = [&](const std::string& options) {
    return place.shell("trammel run case.yaml -q -o out " + options).status;
  };
  EXPECT_EQ(status(""), 0);
  EXPECT_THAT(place.read("out/run.json"),
              AllOf(HasSubstr("\"end\": \"done\""), HasSubstr("\"lower_pairs\": \"")));
  EXPECT_EQ(status("--set until=no_number"), 1);
  EXPECT_EQ(status("--checkpoint-every 0"), 2);
  EXPECT_EQ(status("--time-limit soon"), 2);
  EXPECT_EQ(status(fmt::format("--set until=1e5 --time-limit {}", seconds_of_a_start(place))), 5);
  EXPECT_THAT(place.read("out/run.json"),
              AllOf(HasSubstr("\"end\": \"time limit\""), HasSubstr("\"status\": 5")));
  std::string text = swinging_rod;
  const std::string stage = "step: 0.001";
  text.replace(text.find(stage), stage.size(), "step: 0.001, max_cuts: 0, newton: {max_iterations: 1}");
  place.write("case.yaml", text);
  EXPECT_EQ(status(""), 4);
  EXPECT_THAT(place.read("out/run.json"), HasSubstr("\"end\": \"no convergence\""));
}

// Otherwise the launcher would end the first rank, maybe before it has printed the message.
TEST(ExitStatus, of_a_command_that_cannot_be_read_is_that_of_the_first_rank_alone) {
  const Workplace place;
  const auto on_rank = [&](int rank) {
    return place.shell(
        fmt::format("OMPI_COMM_WORLD_RANK={} trammel run case.yaml --checkpoint-every 0", rank));
  };
  const Outcome first = on_rank(0), other = on_rank(1);
  EXPECT_EQ(first.status, 2);
  EXPECT_THAT(first.err, HasSubstr("--checkpoint-every"));
  EXPECT_EQ(other.status, 0);
  EXPECT_EQ(other.out + other.err, "");
}

TEST(ExitStatus, of_mpirun_is_that_of_the_ranks) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
  const auto status = [&](const std::string& options, const std::string& file = "case.yaml") {
    return place
        .shell("mpirun -q --oversubscribe -n 2 '" TRAMMEL_COMMAND "' run " + file + " -q -o out " + options)
        .status;
  };
  EXPECT_EQ(status(""), 0);
  EXPECT_EQ(status("--set until=no_number"), 1);
  EXPECT_EQ(status("--checkpoint-every 0"), 2);
  place.write("growing.yaml", testing::growing_pendulum("until: 9, form: index3"));
  EXPECT_EQ(status("", "growing.yaml"), 3);
  place.write("stuck.yaml", testing::with(swinging_rod, "step: 0.001",
                                          "step: 0.001, max_cuts: 0, newton: {max_iterations: 1}"));
  EXPECT_EQ(status("", "stuck.yaml"), 4);
  EXPECT_EQ(status(fmt::format("--set until=1e5 --time-limit {}", 2 * seconds_of_a_start(place))), 5);
  EXPECT_THAT(place.read("out/run.json"),
              AllOf(HasSubstr("\"end\": \"time limit\""), HasSubstr("\"ranks\": 2")));
  EXPECT_EQ(checkpoints_in(place / "out").size(), 1U);
}

TEST(ExitStatus, of_a_run_that_gains_energy_leaves_the_checkpoint_before) {
  const Workplace place;
  place.write("case.yaml", testing::growing_pendulum("until: 9, form: index3"));
  EXPECT_EQ(place.shell("trammel run case.yaml -q -o out --checkpoint-every 10").status, 3);
  ASSERT_FALSE(checkpoints_in(place / "out").empty());
  const std::string last = checkpoints_in(place / "out").back().filename();
  EXPECT_THAT(place.read("out/run.json"), AllOf(HasSubstr("\"end\": \"energy\""), HasSubstr("\"status\": 3"),
                                                HasSubstr("\"checkpoint\": \"out/" + last + "\"")));
  // The run continued from there ends where it ended before.
  EXPECT_EQ(
      place.shell("cp -r out again && trammel run case.yaml -q -o again --checkpoint-every 10 --restart")
          .status,
      3);
  const auto reached = [&](const std::string& folder) {
    const std::string text = place.read(folder + "/run.json");
    const std::size_t at = text.find("\"time\": ", text.find("\"status\""));
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(reached("out"), reached("again"));
}

TEST(ExitStatus, of_a_run_that_cannot_write_its_results_leaves_the_checkpoint_before) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
  // 40 blocks of 1 KiB hold a checkpoint, and some hundred rows.
  EXPECT_EQ(place.shell("ulimit -f 40; trammel run case.yaml -q -o out --checkpoint-every 50").status, 1);
  EXPECT_THAT(place.read("out/run.json"), AllOf(HasSubstr("\"end\": \"error\""), HasSubstr("\"status\": 1")));
  ASSERT_FALSE(checkpoints_in(place / "out").empty());
  const Outcome again = place.shell(
      "trammel run case.yaml -q -o whole --checkpoint-every 50 && "
      "trammel run case.yaml -q -o out --checkpoint-every 50 --restart && cmp out/rod.csv whole/rod.csv");
  EXPECT_EQ(again.status, 0) << again.err << again.out;
}

TEST(ExitStatus, of_a_crash_leaves_the_checkpoint_before) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
  const Outcome outcome =
      place.shell(started(long_run + " --checkpoint-every 50", 100) + "kill -SEGV $run; wait $run");
  EXPECT_EQ(outcome.status, TRAMMEL_ADDRESS_SANITIZER != 0 ? 1 : 139);
  EXPECT_THAT(place.read("out/run.json"), HasSubstr("\"end\": \"running\""));
  ASSERT_FALSE(checkpoints_in(place / "out").empty());
  const double time = read_checkpoint(checkpoints_in(place / "out").back()).snapshot.time;
  const Outcome again =
      place.shell(fmt::format("trammel run case.yaml -q -o out --restart --set until={}", time + 0.02));
  EXPECT_EQ(again.status, 0) << again.err;
  expect_no_gap(testing::table_of(place.read("out/rod.csv")), 0.001);
}

}  // namespace
}  // namespace trammel
