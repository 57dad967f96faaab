// Standard output, the working folder or a file of results that cannot be used: one message, and an exit status.

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using ::testing::StartsWith;
using testing::Table;
using testing::Workplace;

const std::string falling = R"yaml(trammel: 1
parameters: {until: 0.05}
bodies:
  ball: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
sensors:
  ball: {type: motion, of: ball}
stages:
  - {type: dynamic, until: until, step: 0.001}
output: {vtk: {every: 10}}
)yaml";

long lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(Memory, that_runs_out_is_reported_with_the_requested_amount) {
  const Workplace workplace;
  int told = 0, recorded = 0;
  // Where it runs out depends on the libraries: below in the reader, above in the factorization, then nowhere.
  for (int limit = 350'000; limit <= 620'000; limit += 15'000) {
    const Outcome outcome =
        workplace.shell("rm -rf out\nulimit -v " + std::to_string(limit) +
                        "\ntrammel run '" TRAMMEL_SOURCE_DIR
                        "/cases/chain/case.yaml' -q -o out --set N=20000 --set until=0.01");
    if (outcome.status == 0) continue;
    EXPECT_EQ(outcome.status, 1) << limit;
    EXPECT_THAT(outcome.err, HasSubstr("out of memory")) << limit;
    EXPECT_EQ(lines_of(outcome.err), 1) << outcome.err;
    if (outcome.err.find("bytes asked for in Mat") != std::string::npos ||
        outcome.err.find("the factorization of 180000 unknowns") != std::string::npos)
      ++told;
    // A chain of jobs reads the record: it must not say that the run still goes on.
    if (std::filesystem::exists(workplace / "out/run.json")) {
      EXPECT_THAT(workplace.read("out/run.json"), HasSubstr("\"end\": \"error\"")) << limit;
      ++recorded;
    }
  }
  EXPECT_GE(told, 2);
  EXPECT_GE(recorded, 2);
}

TEST(StandardOutput, that_fails_is_reported_once) {
  const Workplace workplace;
  workplace.write("case.yaml", falling);
  for (const std::string command :
       {"--help", "list", "describe revolute", "check case.yaml", "run case.yaml -o out"}) {
    const Outcome full = workplace.shell("trammel " + command + " >/dev/full");
    EXPECT_EQ(full.status, 1) << command;
    EXPECT_EQ(full.err, "trammel: error: cannot write to standard output: No space left on device\n")
        << command;
    const Outcome closed = workplace.shell("trammel " + command + " >&-");
    EXPECT_EQ(closed.status, 1) << command;
    EXPECT_EQ(closed.err, "trammel: error: cannot write to standard output: Bad file descriptor\n")
        << command;
  }
  // A run goes on to its end, and what it says gets into no other file.
  EXPECT_THAT(workplace.read("out/run.log"), HasSubstr("summary"));
  EXPECT_EQ(testing::table_of(workplace.read("out/ball.csv")).rows.back()[0], 0.05);
  EXPECT_EQ(workplace.shell("trammel run case.yaml -q -o out >&-").status, 0);
}

TEST(StandardOutput, that_is_closed_by_its_reader_ends_the_command_quietly) {
  const Outcome outcome = Workplace().shell("trammel list | head -n 1");
  EXPECT_EQ(lines_of(outcome.out), 1);
  EXPECT_EQ(outcome.err, "");
}

TEST(WorkingFolder, that_was_removed_is_reported_once) {
  const Workplace workplace;
  const Outcome outcome = workplace.shell("mkdir gone && cd gone && rmdir ../gone && trammel list");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "trammel: error: the working folder cannot be used: No such file or directory\n");
}

TEST(Histories, above_the_size_limit_end_the_run_with_whole_rows) {
  const Workplace workplace;
  workplace.write("case.yaml", falling);
  const Outcome outcome = workplace.shell("ulimit -f 20\ntrammel run case.yaml -q -o out --set until=10");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(
      outcome.err,
      "trammel: error: cannot write 'out/ball.csv': File too large; the limit on the size of a file is 20480 "
      "bytes (ulimit -f)\n");
  const std::string text = workplace.read("out/ball.csv");
  EXPECT_GT(text.size(), 20000u);
  EXPECT_EQ(text.back(), '\n');
  const Table rows = testing::table_of(text);
  for (const std::vector<double>& row : rows.rows) EXPECT_EQ(row.size(), rows.names.size());
}

TEST(Series, listing_above_the_size_limit_stays_whole) {
  const Workplace workplace;
  workplace.write("case.yaml", R"yaml(trammel: 1
bodies:
  ball: {type: rigid_body, mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 0.1}}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
stages:
  - {type: dynamic, until: 10, step: 0.001}
output: {vtk: {every: 1}}
)yaml");
  const Outcome outcome = workplace.shell("ulimit -f 40\ntrammel run case.yaml -q -o out");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, StartsWith("trammel: error: cannot write 'out/out.pvd': File too large"));
  const std::string text = workplace.read("out/out.pvd");
  EXPECT_GT(text.size(), 40000u);
  EXPECT_TRUE(text.ends_with("/>\n  </Collection>\n</VTKFile>\n")) << text.substr(text.size() - 200);
}

}  // namespace
}  // namespace trammel
