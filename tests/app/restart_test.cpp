// Runs that go on from checkpoints: equal to the undisturbed run, and what is refused.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "io/files/checkpoint_file.hpp"
#include "swinging_rod.hpp"

namespace trammel {
namespace {

using ::testing::AllOf;
using testing::command_on;
using testing::difference_of_folders;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_with_two_checkpoints;
using testing::started;
using testing::swinging_rod;
using testing::Table;
using testing::Workplace;

/// Runs a case with checkpoints, and once more from the first of the two that were left; `change` is a command of the shell for the folder
/// in which it goes on.
void expect_repeated(const Workplace& place, const std::string& file, int every,
                     const std::string& change = "true", int ranks = 1) {
  const std::string run =
      command_on(ranks) + fmt::format(" run {} -q --checkpoint-every {} -o ", file, every);
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
  std::string text = swinging_rod;
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

TEST(Restart, repeats_a_large_run_that_renews_stale_rows) {
  for (const int ranks : {1, 2}) {
    const Workplace place;
    expect_repeated(place,
                    fmt::format(TRAMMEL_SOURCE_DIR
                                "/cases/chain/case.yaml --set N={} until=0.1 tolerance=1e-8 frames=1000",
                                600 * ranks),
                    40, "true", ranks);
  }
}

TEST(Restart, goes_on_through_the_stages) {
  const Workplace place;
  std::string text = swinging_rod;
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

TEST(Restart, cuts_back_what_a_killed_run_wrote_after_the_checkpoint) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
  expect_repeated(place, "case.yaml", 130, "echo 0.9,1,2,3 >>rod.csv && touch whole_vtk/000099_joints.pvtp");
}

/// Two histories agree within `bound` of the range of each of these channels.
void expect_close(const Table& a, const Table& b, const std::string& channels = ".*", double bound = 1e-9) {
  ASSERT_EQ(a.names, b.names);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  const std::regex compared(channels);
  int found = 0;
  for (std::size_t c = 0; c < a.names.size(); ++c) {
    if (!std::regex_match(a.names[c], compared)) continue;
    ++found;
    double low = HUGE_VAL, high = -HUGE_VAL, most = 0;
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
      low = std::min(low, a.rows[i][c]);
      high = std::max(high, a.rows[i][c]);
      most = std::max(most, std::abs(a.rows[i][c] - b.rows[i][c]));
    }
    // Of what does not move, rounding of a size of one is left.
    EXPECT_LE(most, bound * std::max(high - low, 1e-3)) << a.names[c];
  }
  EXPECT_GT(found, 1);
}

TEST(Restart, goes_on_on_other_numbers_of_ranks) {
  const Workplace place;
  // A chain of rods, of which ranks have parts.
  const std::string options =
      " run '" TRAMMEL_SOURCE_DIR
      "/bench/chain_of_rods.yaml' -q --set until=0.5 --set h=0.005 --checkpoint-every 60 -o ";
  for (const auto& [first, second] : {std::pair{3, 1}, {1, 2}, {2, 3}, {2, 2}}) {
    const Outcome whole = place.shell("rm -rf whole again; " + command_on(first) + options + "whole");
    ASSERT_EQ(whole.status, 0) << whole.err;
    const Outcome again = place.shell("cp -r whole again; " + command_on(second) + options +
                                      "again --restart $(ls again/checkpoint_*.h5 | head -n 1)");
    ASSERT_EQ(again.status, 0) << again.err;
    expect_close(testing::table_of(place.read("whole/tip.csv")),
                 testing::table_of(place.read("again/tip.csv")));
    EXPECT_THAT(place.read("again/run.json"),
                HasSubstr(fmt::format("\"time\": 0.3, \"ranks\": {}}}]", second)));
  }
}

/// A case that goes on, with Newton at 1e-12, on another number of ranks than that which wrote its checkpoint.
struct Move {
  std::string name;
  std::string scene;
  std::string sensor;
  int every;  ///< nominal steps, of which two checkpoints are left
  int first, second;
  std::string channels = ".*";
  std::string options = {};
  double bound = 1e-9;
};

class RestartOnOtherRanks : public ::testing::TestWithParam<Move> {};

TEST_P(RestartOnOtherRanks, agrees_with_the_undisturbed_run) {
  const Workplace place;
  const Move& move = GetParam();
  const std::string text = testing::contents_of(TRAMMEL_SOURCE_DIR "/cases/" + move.scene + "/case.yaml");
  place.write("case.yaml", std::regex_replace(text, std::regex("tolerance: 1e-1[01]"), "tolerance: 1e-12"));
  const auto on = [&](int ranks) {
    return command_on(ranks) +
           fmt::format(" run case.yaml -q {} --checkpoint-every {} -o ", move.options, move.every);
  };
  const Outcome whole = place.shell(on(move.first) + "whole");
  ASSERT_EQ(whole.status, 0) << whole.err;
  const Outcome again = place.shell("cp -r whole again; " + on(move.second) +
                                    "again --restart $(ls again/checkpoint_*.h5 | head -n 1)");
  ASSERT_EQ(again.status, 0) << again.err;
  expect_close(testing::table_of(place.read("whole/" + move.sensor + ".csv")),
               testing::table_of(place.read("again/" + move.sensor + ".csv")), move.channels, move.bound);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, RestartOnOtherRanks,
    ::testing::Values(  // Moments about the rod's own axis are known to the tolerance of the largest one.
        Move{"release_and_catch", "caught_rod", "rod", 100, 2, 1, "(?!angular_acceleration_body\\.z).*"},
        // Accelerations and forces have the rounding of positions of 10 m over h^2.
        Move{"slider_crosses", "moving_load", "middle", 180, 1, 2, "(position|displacement).*"},
        // Where the block begins to stick, at t = 2.792 s, accelerations have 1e4 times the errors of positions, and the time of it
        // multiplies rounding errors: on two ranks positions differ by 2e-11 to 6e-9 in ten cases with gravities from 9.80 to 9.89 m/s^2.
        Move{"friction", "turntable", "block", 500, 1, 2, "(position|displacement).*", "", 1e-8},
        Move{"unilateral", "lift_off", "contact", 303, 2, 1},
        // At t = 1.2485 s the equation that is redundant at the start is needed.
        Move{"redundant_loops", "bricard", "P3_motion", 500, 1, 2, ".*", "--set until=1.5"},
        Move{"statics", "roll_up", "tip", 10, 2, 1}),
    [](const auto& run) { return run.param.name; });

TEST(Restart, may_have_a_later_end) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
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

/// Going on with these options ends with a message and status 1.
void expect_refused(const Workplace& place, const std::string& options,
                    const std::vector<std::string>& texts) {
  const Outcome outcome = place.shell("trammel run case.yaml -q -o out --restart " + options);
  EXPECT_EQ(outcome.status, 1);
  for (const std::string& text : texts) EXPECT_THAT(outcome.err, HasSubstr(text));
}

TEST(Restart, of_a_finished_run_or_beyond_its_end_is_refused) {
  const Workplace place;
  run_with_two_checkpoints(place);
  expect_refused(place, "", {"checkpoint_0002.h5': the run is finished", "t = 0.2 s", "a later 'until'"});
  expect_refused(place, "--set until=0.1",
                 {"lies at t = 0.2 s, beyond the end of stage 1 at 'until' = 0.1 s"});
}

TEST(Restart, without_a_checkpoint_says_where_it_looked) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
  expect_refused(place, "", {"there is no checkpoint to go on from: looked for 'out/checkpoint_*.h5'"});
  expect_refused(place, "out/checkpoint_0007.h5", {"cannot read the checkpoint 'out/checkpoint_0007.h5'"});
}

TEST(Restart, in_another_folder_needs_its_name) {
  const Workplace place;
  run_with_two_checkpoints(place);
  const Outcome refused = place.shell("trammel run case.yaml -q --restart out/checkpoint_0001.h5");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("does not lie in the folder of results 'results/"), HasSubstr("-o out")));
  const Outcome other = place.shell("trammel run case.yaml -q -o other --restart out/checkpoint_0001.h5");
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(testing::table_of(place.read("other/rod.csv")).rows.front()[0], 0.13);
  EXPECT_EQ(testing::table_of(place.read("out/rod.csv")).rows.front()[0], 0.0);
}

TEST(Restart, of_another_case_is_refused_with_what_differs) {
  const Workplace place;
  run_with_two_checkpoints(place);
  expect_refused(place, "out/checkpoint_0001.h5 --set mass=3",
                 {"bodies.rod.mass = 3, was 2", "--restart-anyway"});
  const Outcome anyway = place.shell(
      "trammel run case.yaml -o out --restart out/checkpoint_0001.h5 --set mass=3 --restart-anyway");
  EXPECT_EQ(anyway.status, 0) << anyway.err;
  EXPECT_THAT(anyway.out, AllOf(HasSubstr("goes on although it differs: bodies.rod.mass = 3, was 2"),
                                HasSubstr("taken over from the checkpoint: positions")));
  std::string text = swinging_rod;
  for (std::size_t at = 0; (at = text.find("rod", at)) != std::string::npos;) text.replace(at, 3, "bar");
  place.write("case.yaml", text);
  expect_refused(place, "",
                 {"missing: body 'rod' (rigid_body); sensor 'rod' (motion)",
                  "new: body 'bar' (rigid_body); sensor 'bar' (motion)"});
}

TEST(Restart, of_a_case_whose_file_has_another_content_is_refused_with_its_name) {
  const Workplace place;
  const std::string options =
      " --set until=0.2 --set h=0.0025 --set frames=1000 -q -o out --checkpoint-every 50";
  const Outcome whole =
      place.shell("cp '" TRAMMEL_SOURCE_DIR "/cases/parabola_bead/case.yaml' '" TRAMMEL_SOURCE_DIR
                  "/cases/parabola_bead/bowl.step' . && trammel run case.yaml" +
                  options);
  ASSERT_EQ(whole.status, 0) << whole.err;
  const std::string again = "trammel run case.yaml" + options + " --restart out/checkpoint_0001.h5";
  EXPECT_EQ(place.shell("cp -r out kept && " + again + " && cmp out/bead.csv kept/bead.csv").status, 0);
  // A comment of the file counts, too: what it means to the program is not known here.
  const Outcome changed = place.shell("sed -i '1a/* another bowl */' bowl.step && " + again);
  EXPECT_EQ(changed.status, 1);
  EXPECT_THAT(changed.err,
              ::testing::ContainsRegex("the case is not that of the checkpoint: the content of "
                                       "curves.wire.file = [0-9]+ bytes with the hash [0-9a-f]+, "
                                       "was [0-9]+ bytes with the hash [0-9a-f]+"));
  const Outcome anyway = place.shell(again + " --restart-anyway");
  EXPECT_EQ(anyway.status, 0) << anyway.err;
  EXPECT_THAT(place.read("out/run.log"),
              HasSubstr("goes on although it differs: the content of curves.wire.file"));
}

TEST(Restart, may_change_output_names_of_parameters_and_tolerances) {
  const Workplace place;
  run_with_two_checkpoints(place);
  std::string text = swinging_rod;
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
  run_with_two_checkpoints(place);
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
  std::string bytes = testing::contents_of(path);
  const std::size_t at = bytes.find(from);
  ASSERT_NE(at, std::string::npos);
  std::ofstream(path, std::ios::binary) << bytes.replace(at, from.size(), to);
}

TEST(Restart, of_another_format_is_refused_even_with_restart_anyway) {
  const Workplace place;
  run_with_two_checkpoints(place);
  const std::string state = fmt::format("state {}", Snapshot::version),
                    older = fmt::format("state {}", Snapshot::version - 1);
  for (const auto& [from, to, message] :
       {std::array<std::string, 3>{"format 4", "format 9",
                                   "has format 9, which a newer program wrote; this one reads format 4"},
        {"format 9", "format 1", "has format 1, which an older program wrote; this one reads format 4"},
        {"format 1\n" + state, "format 4\n" + older,
         fmt::format(
             "has a state of version {}, which an older program wrote; this one reads a state of version {}",
             Snapshot::version - 1, Snapshot::version)},
        {older + "\nnumbers little", state + "\nnumbers big", "was written on a big-endian machine"}}) {
    replace_in(place / "out/checkpoint_0001.h5", from, to);
    expect_refused(place, "out/checkpoint_0001.h5", {message});
    expect_refused(place, "out/checkpoint_0001.h5 --restart-anyway", {message});
  }
}

TEST(Restart, of_another_plugin_or_program_is_refused) {
  const Workplace place;
  run_with_two_checkpoints(place);
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
  run_with_two_checkpoints(place);
  ASSERT_EQ(place.shell("cp -r out short && truncate -s 2000 short/rod.csv").status, 0);
  const Outcome outcome = place.shell("trammel run case.yaml -q -o short --restart short/checkpoint_0001.h5");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cannot go on with 'short/rod.csv': it has 2000 bytes, and had "));
  // A chain of jobs must not take it for a run that was killed.
  EXPECT_THAT(place.read("short/run.json"),
              AllOf(HasSubstr("\"end\": \"error\""), HasSubstr("\"status\": 1")));
  replace_in(place / "out/rod.csv", "time [s]", "Time [s]");
  expect_refused(place, "out/checkpoint_0001.h5", {"cannot go on with 'out/rod.csv': its first line"});
}

TEST(Restart, while_the_old_run_works_is_refused) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
  const Outcome outcome = place.shell(
      started("'" TRAMMEL_COMMAND "' run case.yaml -o out --set until=1e4 --checkpoint-every 50", 100) + R"sh(
trammel run case.yaml -q -o out --restart --set until=1e4
echo "status $?"
kill -9 $run; wait $run)sh");
  EXPECT_THAT(outcome.err, HasSubstr("another run writes its results into 'out'"));
  EXPECT_THAT(outcome.out, HasSubstr("status 1"));
}

}  // namespace
}  // namespace trammel
