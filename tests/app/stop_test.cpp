// Runs that are stopped by a signal, and two runs in one folder.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "swinging_rod.hpp"

namespace trammel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::long_swing;
using testing::Outcome;
using testing::started;
using testing::Table;
using testing::Workplace;

const std::string trammel_run = "'" TRAMMEL_COMMAND "' run case.yaml -o out";

/// There are some rows, and each has a number of every column.
void expect_whole_rows(const Table& table) {
  ASSERT_GT(table.rows.size(), 5u);
  for (const std::vector<double>& row : table.rows) ASSERT_EQ(row.size(), table.names.size());
}

/// The results of the stopped run contain its last accepted step, as a row and as a frame.
void expect_stopped(const Workplace& workplace, const std::string& signal) {
  const std::string log = workplace.read("out/run.log");
  const Table rows = testing::table_of(workplace.read("out/rod.csv"));
  ASSERT_NO_FATAL_FAILURE(expect_whole_rows(rows));
  const std::string time = fmt::format("{}", rows.rows.back()[0]);
  EXPECT_THAT(log,
              HasSubstr("stopped by " + signal + " at t = " + time + " s: the step under way was finished"));
  EXPECT_THAT(log, AllOf(HasSubstr("summary\n"), HasSubstr("2 frames for ParaView")));
  EXPECT_THAT(workplace.read("out/out.pvd"), HasSubstr("timestep=\"" + time + "\""));
  EXPECT_FALSE(std::filesystem::exists(workplace / "out/run.lock"));
}

TEST(Stop, by_a_signal_follows_the_present_step_and_keeps_the_results) {
  for (const auto& [signal, status] : {std::pair{"TERM", 143}, {"INT", 130}}) {
    const Workplace workplace;
    workplace.write("case.yaml", long_swing());
    const Outcome outcome = workplace.shell(started(trammel_run) + "kill -" + signal + " $run\nwait $run");
    EXPECT_EQ(outcome.status, status) << workplace.read("message");
    expect_stopped(workplace, std::string("SIG") + signal);
    EXPECT_THAT(workplace.read("console"), HasSubstr(std::string("stopped by SIG") + signal));
    EXPECT_EQ(workplace.read("message"), "");
  }
}

TEST(Stop, by_a_signal_that_comes_twice_at_once_counts_once) {
  const Workplace workplace;
  workplace.write("case.yaml", long_swing());
  const Outcome outcome =
      workplace.shell(started(trammel_run) + "kill -TERM $run; kill -INT $run; kill -TERM $run\nwait $run");
  EXPECT_THAT(outcome.status, ::testing::AnyOf(143, 130));
  EXPECT_THAT(workplace.read("out/run.log"), HasSubstr("stopped by SIG"));
}

TEST(Stop, is_at_one_step_on_all_ranks_even_if_one_rank_receives_the_signal) {
  const Workplace workplace;
  workplace.write("case.yaml", long_swing());
  const Outcome outcome = workplace.shell(started("mpirun -q --oversubscribe -n 2 " + trammel_run) +
                                          "kill -TERM $(ps -o pid= --ppid $run | tail -n 1)\nwait $run");
  EXPECT_EQ(outcome.status, 143) << workplace.read("message");
  expect_stopped(workplace, "SIGTERM");
}

TEST(Stop, by_a_signal_to_mpirun_reaches_the_ranks) {
  const Workplace workplace;
  workplace.write("case.yaml", long_swing());
  // mpirun passes SIGUSR1 on at once. SIGTERM it passes on after the time given here (one second if none is), and kills its ranks
  // when that time has passed once more, even if they have ended. So its own end is not awaited. What it leaves lies in this folder.
  const Outcome outcome = workplace.shell(started("mpirun -q --oversubscribe --mca orte_tmpdir_base \"$PWD\" "
                                                  "--mca odls_base_sigkill_timeout 6 -n 2 " +
                                                  trammel_run) +
                                          R"sh(ranks=$(ps -o pid= --ppid $run)
kill -USR1 $run
for i in $(seq 300); do [ -e out/checkpoint_0001.h5 ] && break; sleep 0.1; done
[ -e out/checkpoint_0001.h5 ] && kill -0 $run && echo "a checkpoint on SIGUSR1"
kill -TERM $run
for rank in $ranks; do
  for i in $(seq 300); do
    state=$(ps -o stat= -p $rank) && [ "${state:0:1}" != Z ] || break
    sleep 0.1
  done
  echo "rank '${state:0:1}'"
done
kill -KILL $run
wait $run)sh");
  // Both have ended, and mpirun, which sleeps, may not have noticed.
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex("a checkpoint on SIGUSR1\n(rank 'Z?'\n){2}"));
  EXPECT_THAT(workplace.read("out/run.json"),
              AllOf(HasSubstr("\"end\": \"SIGTERM\""), HasSubstr("\"status\": 143"),
                    HasSubstr("checkpoint_0002.h5")));
  expect_stopped(workplace, "SIGTERM");
}

TEST(ResultsFolder, admits_one_run) {
  const Workplace workplace;
  workplace.write("case.yaml", long_swing());
  const std::string second = R"sh(
trammel run case.yaml -o out/ --set until=0.01
echo "status $?" >&2
)sh";
  const std::string on_ranks = "mpirun -q --oversubscribe -n 2 " + trammel_run + R"sh( --set until=0.01
echo "status $?" >&2
)sh";
  const Outcome outcome = workplace.shell(started(trammel_run) + second + on_ranks + R"sh(
echo "$run $(hostname)" >holder
kill -TERM $run
wait $run
)sh");
  EXPECT_EQ(outcome.status, 143);
  std::istringstream holder(workplace.read("holder"));
  std::string process, host;
  holder >> process >> host;
  // Twice the same message: on one rank and on two.
  const std::string message =
      "another run writes its results into 'out': process " + process + " on host '" + host + "' [(]since 20";
  EXPECT_THAT(outcome.err,
              ::testing::MatchesRegex("trammel: error: " + message +
                                      ".*\nstatus 1\ntrammel: error: " + message + ".*\nstatus 1\n"));
  expect_stopped(workplace, "SIGTERM");
}

TEST(ResultsFolder, of_a_killed_run_is_readable_and_not_locked) {
  const Workplace workplace;
  workplace.write("case.yaml", long_swing());
  const Outcome outcome = workplace.shell(started(trammel_run) + R"sh(kill -KILL $run
wait $run
cp -r out killed
trammel run case.yaml -q -o out --set until=0.01)sh");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(workplace / "killed/run.lock"));
  // The last line may be cut off.
  const std::string killed = workplace.read("killed/rod.csv");
  const Table rows = testing::table_of(killed.substr(0, killed.rfind('\n') + 1));
  expect_whole_rows(rows);
  testing::expect_no_gap(rows, 0.001);
  EXPECT_THAT(workplace.read("killed/out.pvd"), HasSubstr("</VTKFile>"));
  EXPECT_EQ(testing::table_of(workplace.read("out/rod.csv")).rows.back()[0], 0.01);
  EXPECT_FALSE(std::filesystem::exists(workplace / "out/run.lock"));
}

TEST(ResultsFolder, gives_the_files_its_name_even_with_a_final_slash) {
  const Workplace workplace;
  workplace.write("case.yaml", long_swing());
  const Outcome outcome = workplace.shell(R"sh(set -e
trammel run case.yaml -q --set until=0.01 -o results/swing/
mkdir here; cd here
trammel run ../case.yaml -q --set until=0.01 -o .)sh");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(workplace / "results/swing/swing_paraview.py"));
  EXPECT_TRUE(std::filesystem::exists(workplace / "here/here.pvd"));
}

}  // namespace
}  // namespace trammel
