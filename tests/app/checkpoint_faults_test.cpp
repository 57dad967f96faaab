// Faults around checkpoints: a disk or a quota that is full, a process that is killed while it writes one, a folder without
// permission, a clock that jumps.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "io/files/checkpoint_file.hpp"
#include "swinging_rod.hpp"

namespace trammel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::seconds_of_a_start;
using testing::started;
using testing::swinging_rod;
using testing::Workplace;

// A sanitizer of g++ asks to be the first library; what is loaded here calls it by the usual names.
const std::string preload =
    "env ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 LD_PRELOAD='" TRAMMEL_BINARY_DIR "/tests/";

/// A rod that records little, and nothing for ParaView.
std::string quiet_rod(int every = 50) {
  return testing::with(swinging_rod, "vtk: {every: 30}", "csv: {every: " + std::to_string(every) + "}");
}

/// Runs with two checkpoints, the first of which the folder keeps alone; its bytes.
void leave_one_checkpoint(const Workplace& place) {
  place.write("case.yaml", quiet_rod());
  const Outcome outcome = place.shell(
      "trammel run case.yaml -q -o out --checkpoint-every 100 && rm out/checkpoint_0002.h5 && "
      "cp out/checkpoint_0001.h5 kept.h5");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
}

/// The only checkpoint of the folder is the one from before, and the run can go on from it.
void expect_old_checkpoint(const Workplace& place, const std::string& folder) {
  const Outcome outcome =
      place.shell("cmp kept.h5 " + folder + "/checkpoint_0001.h5 && ls " + folder +
                  "/checkpoint_* && trammel run case.yaml -q -o " + folder + " --restart");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, folder + "/checkpoint_0001.h5\n");
  EXPECT_EQ(testing::table_of(place.read(folder + "/rod.csv")).rows.back()[0], 0.2);
}

TEST(CheckpointFault, a_limit_on_the_size_of_files_leaves_the_checkpoint_before) {
  const Workplace place;
  leave_one_checkpoint(place);
  // 12 blocks of 1 KiB hold a history of a few rows, and no checkpoint. A quota refuses the same call of the system.
  const Outcome outcome = place.shell(
      "ulimit -f 12; trammel run case.yaml -o out --restart --checkpoint-every 30; echo status $?");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("WARNING: no checkpoint at t = 0.12 s: cannot write "
                                           "'out/checkpoint_0002.h5.new': File too large"),
                                 HasSubstr("status 0")));
  expect_old_checkpoint(place, "out");
}

/// The shell's words before a command that may mount file systems of its own.
std::string in_own_mounts() { return geteuid() == 0 ? "unshare -m " : "unshare -Urm "; }

TEST(CheckpointFault, a_full_disk_leaves_the_checkpoint_before) {
  const Workplace place;
  leave_one_checkpoint(place);
  const Outcome mounted = place.shell("mkdir disk && " + in_own_mounts() + "mount -t tmpfs tmpfs disk");
  if (mounted.status != 0)
    GTEST_SKIP() << "a tmpfs cannot be mounted here (needs CAP_SYS_ADMIN, or user namespaces): "
                 << mounted.err;
  // Three pages are left for what else the run writes.
  const Outcome outcome = place.shell(R"sh(cat >full.sh <<'END'
mount -t tmpfs -o size=1m tmpfs disk && cp -r out disk/out && cat /dev/zero >disk/filler 2>/dev/null
truncate -s -12K disk/filler
"$1" run case.yaml -o disk/out --restart --checkpoint-every 30
echo "status $?"
cp -r disk/out after
END
)sh" + in_own_mounts() + "bash full.sh '" TRAMMEL_COMMAND "'");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("WARNING: no checkpoint at t = 0.12 s: cannot write "
                                           "'disk/out/checkpoint_0002.h5.new': No space left on device"),
                                 HasSubstr("status 0")))
      << outcome.err;
  expect_old_checkpoint(place, "after");
}

TEST(CheckpointFault, a_full_quota_leaves_the_checkpoint_before) {
  const Workplace place;
  const std::string options = " run '" TRAMMEL_SOURCE_DIR
                              "/cases/chain/case.yaml' --set N=500 --set until=0.02 --set frames=1000 -o ";
  ASSERT_EQ(
      place.shell("trammel" + options + "out -q --checkpoint-every 10 && rm out/checkpoint_0002.h5").status,
      0);
  // btrfs has quotas even where the kernel was built without those of the other file systems, and they bind root too.
  const Outcome mounted = place.shell(R"sh(cat >mounted.sh <<'END'
set -e
mkdir disk
truncate -s 128M image
mkfs.btrfs -q -n 4096 image >/dev/null
mount -o loop image disk
btrfs -q quota enable disk
btrfs -q subvolume create disk/home
END
PATH=$PATH:/usr/sbin:/sbin
unshare -m bash mounted.sh)sh");
  if (mounted.status != 0)
    GTEST_SKIP() << "a file system with a quota cannot be mounted here (needs root, loop devices, btrfs in "
                    "the kernel, "
                    "and the package btrfs-progs): "
                 << mounted.err;
  // Half of the next checkpoint, of 0.8 MB, would fit in what is left.
  const Outcome outcome = place.shell(R"sh(cat >quota.sh <<'END'
set -e
mount -o loop image disk
cp -r out disk/home/out
sync -f disk
used=$(btrfs qgroup show --raw -f disk/home | awk 'END { print $2 }')
btrfs -q qgroup limit $((used + 500000)) disk/home
set +e
"$@" disk/home/out --restart --checkpoint-every 6
echo "status $?"
cp -r disk/home/out after
END
PATH=$PATH:/usr/sbin:/sbin
unshare -m bash quota.sh ')sh" TRAMMEL_COMMAND "'" +
                                      options);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("WARNING: no checkpoint at t = 0.012 s: cannot write "
                                           "'disk/home/out/checkpoint_0002.h5.new': Disk quota exceeded"),
                                 HasSubstr("status 0")))
      << outcome.err;
  const Outcome again =
      place.shell("cmp out/checkpoint_0001.h5 after/checkpoint_0001.h5 && ls after/checkpoint_* && trammel" +
                  options + "after -q --restart");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.out, "after/checkpoint_0001.h5\n");
}

struct Refusal {
  std::string fault, reason;
};

class RefusedByTheDisk : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedByTheDisk, a_checkpoint_that_is_half_written_leaves_the_one_before) {
  const Workplace place;
  leave_one_checkpoint(place);
  const Outcome outcome = place.shell(
      preload +
      "stopping_writes.so' TRAMMEL_TEST_FILE=checkpoint_0002 TRAMMEL_TEST_FAULT=" + GetParam().fault +
      " '" TRAMMEL_COMMAND "' run case.yaml -o out --restart --checkpoint-every 30; echo status $?");
  for (const std::string time : {"0.12", "0.15", "0.18", "0.2"})
    EXPECT_THAT(outcome.out,
                HasSubstr("WARNING: no checkpoint at t = " + time +
                          " s: cannot write 'out/checkpoint_0002.h5.new': " + GetParam().reason));
  EXPECT_THAT(outcome.out, HasSubstr("status 0"));
  EXPECT_FALSE(std::filesystem::exists(place / "out/checkpoint_0002.h5.new"));
  expect_old_checkpoint(place, "out");
}

INSTANTIATE_TEST_SUITE_P(Faults, RefusedByTheDisk,
                         ::testing::Values(Refusal{"full", "No space left on device"},
                                           Refusal{"quota", "Disk quota exceeded"}),
                         [](const auto& run) { return run.param.fault; });

class KilledWhileWriting : public ::testing::TestWithParam<std::string> {};

TEST_P(KilledWhileWriting, goes_on_from_the_last_whole_checkpoint) {
  const Workplace place;
  place.write("case.yaml", swinging_rod);
  const std::string options = " run case.yaml -q --checkpoint-every 50 -o ";
  ASSERT_EQ(place.shell("trammel" + options + "whole").status, 0);
  const Outcome killed = place.shell(
      preload + "stopping_writes.so' TRAMMEL_TEST_FILE=checkpoint_0002 TRAMMEL_TEST_FAULT=" + GetParam() +
      " '" TRAMMEL_COMMAND "'" + options + "out");
  EXPECT_EQ(killed.status, 137);
  const bool named = GetParam() == "renamed";
  EXPECT_EQ(std::filesystem::exists(place / "out/checkpoint_0002.h5"), named);
  EXPECT_EQ(std::filesystem::exists(place / "out/checkpoint_0002.h5.new"), !named);
  const Outcome again = place.shell("trammel" + options + "out --restart");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(place.read("out/run.log"), HasSubstr(named ? "goes on from out/checkpoint_0002.h5"
                                                         : "goes on from out/checkpoint_0001.h5"));
  EXPECT_EQ(place.shell("cmp out/rod.csv whole/rod.csv").status, 0);
  EXPECT_FALSE(std::filesystem::exists(place / "out/checkpoint_0002.h5.new"));
}

INSTANTIATE_TEST_SUITE_P(Faults, KilledWhileWriting, ::testing::Values("write", "sync", "rename", "renamed"),
                         [](const auto& run) { return run.param; });

TEST(CheckpointFault, a_rank_that_is_killed_while_another_one_writes_leaves_the_checkpoint_before) {
  const Workplace place;
  const std::string options =
      " run '" TRAMMEL_SOURCE_DIR "/bench/chain_of_rods.yaml' -q --set until=0.1 --checkpoint-every 25 -o ";
  const std::string two = "mpirun -q --oversubscribe -n 2 ";
  ASSERT_EQ(place.shell(two + "'" TRAMMEL_COMMAND "'" + options + "whole").status, 0);
  // Rank 0 waits inside of the second checkpoint; rank 1 is killed there, and the launcher ends rank 0.
  const Outcome killed = place.shell(
      two + preload +
      "stopping_writes.so' TRAMMEL_TEST_FILE=checkpoint_0002 TRAMMEL_TEST_FAULT=hold '" TRAMMEL_COMMAND "'" +
      options + R"sh(out 2>message &
run=$!
for i in $(seq 900); do [ -e writing ] && break; sleep 0.1; done
kill -KILL $(ps -o pid= --ppid $run | tail -n 1)
wait $run)sh");
  EXPECT_NE(killed.status, 0);
  ASSERT_TRUE(std::filesystem::exists(place / "writing"));
  EXPECT_EQ(checkpoints_in(place / "out").size(), 1U);
  const Outcome again = place.shell(two + "'" TRAMMEL_COMMAND "'" + options + "out --restart");
  ASSERT_EQ(again.status, 0) << again.err;
  const testing::Difference left = testing::difference(testing::table_of(place.read("whole/tip.csv")),
                                                       testing::table_of(place.read("out/tip.csv")), "");
  EXPECT_LE(left.largest, 1e-9 * left.range);
}

TEST(CheckpointFault, a_second_SIGTERM_of_the_batch_system_does_not_cost_the_checkpoint) {
  const Workplace place;
  place.write("case.yaml", quiet_rod());
  // The second signal comes while the checkpoint of the first is written: it ends the pause, and nothing else.
  const Outcome outcome = place.shell(
      preload +
      "stopping_writes.so' TRAMMEL_TEST_FILE=checkpoint_0001 TRAMMEL_TEST_FAULT=pause '" TRAMMEL_COMMAND
      "' run case.yaml -q -o out --set until=1e4 &" +
      R"sh(
run=$!
for i in $(seq 900); do [ -e out/rod.csv ] && break; sleep 0.1; done
kill -TERM $run
for i in $(seq 900); do [ -e writing ] && break; sleep 0.1; done
sleep 0.5
kill -TERM $run
wait $run)sh");
  EXPECT_EQ(outcome.status, 143) << outcome.err;
  ASSERT_TRUE(std::filesystem::exists(place / "writing"));
  EXPECT_EQ(checkpoints_in(place / "out").size(), 1U);
  EXPECT_THAT(place.read("out/run.json"), HasSubstr("\"end\": \"SIGTERM\""));
}

/// The shell's words before a command that may not write where it has no permission. Root may, unless that is taken away.
std::string without_rights() {
  return geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search "
                          "--inh-caps=-dac_override,-dac_read_search "
                        : "";
}

/// Why that cannot be had here; empty where it can.
std::string why_rights_stay(const Workplace& place) {
  const Outcome outcome = place.shell(without_rights() + "'" TRAMMEL_COMMAND "' --version");
  return outcome.status == 0
             ? ""
             : "root's right to write anywhere cannot be taken away (needs CAP_SETPCAP): " + outcome.err;
}

TEST(CheckpointFault, a_folder_without_permission_is_named) {
  const Workplace place;
  place.write("case.yaml", quiet_rod());
  if (const std::string why = why_rights_stay(place); !why.empty()) GTEST_SKIP() << why;
  ASSERT_EQ(place.shell("mkdir locked && chmod 555 locked").status, 0);
  const Outcome outcome = place.shell(
      without_rights() + "'" TRAMMEL_COMMAND "' run case.yaml -q -o locked --checkpoint-every 50");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("cannot write 'locked/"), HasSubstr("Permission denied")));
}

TEST(CheckpointFault, a_folder_that_loses_its_permission_costs_checkpoints_and_not_the_run) {
  const Workplace place;
  place.write("case.yaml", quiet_rod(1));
  if (const std::string why = why_rights_stay(place); !why.empty()) GTEST_SKIP() << why;
  const Outcome outcome = place.shell(
      started(without_rights() + "'" TRAMMEL_COMMAND "' run case.yaml -o out --set until=1e4", 100) +
      R"sh(
wait_for() { for i in $(seq 300); do grep -q "$1" out/run.log && return; sleep 0.1; done; echo "no $1"; }
kill -USR1 $run; wait_for "checkpoint_0001.h5 at t"
cp out/checkpoint_0001.h5 kept.h5
chmod 555 out
kill -USR1 $run; wait_for "WARNING: no checkpoint"
before=$(wc -l <out/rod.csv)
sleep 2.5
after=$(wc -l <out/rod.csv)
[ $after -gt $before ] && echo "the run goes on"
chmod 755 out
kill -TERM $run; wait $run; echo "status $?"
cmp kept.h5 out/checkpoint_0001.h5 && echo "the old one stays")sh");
  EXPECT_THAT(place.read("out/run.log"),
              HasSubstr("s: cannot write 'out/checkpoint_0002.h5.new': Permission denied"));
  EXPECT_EQ(outcome.out, "the run goes on\nstatus 143\nthe old one stays\n") << outcome.err;
}

TEST(CheckpointFault, a_clock_that_jumps_moves_neither_checkpoints_nor_the_time_limit) {
  const Workplace place;
  place.write("case.yaml", quiet_rod());
  const std::string jumping = preload + "jumping_clock.so' ";
  // The clock does jump: by days within a second.
  const Outcome clock = place.shell("for i in $(seq 8); do " + jumping + "date +%s; sleep 0.13; done");
  std::istringstream in(clock.out);
  long low = 0, high = 0;
  for (long seconds = 0; in >> seconds;) {
    low = low == 0 ? seconds : std::min(low, seconds);
    high = std::max(high, seconds);
  }
  ASSERT_GT(high - low, 80'000);

  const int limit = seconds_of_a_start(place);
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = place.shell(jumping +
                                      "'" TRAMMEL_COMMAND
                                      "' run case.yaml -q -o out --set until=1e5 --checkpoint-minutes 60 "
                                      "--time-limit " +
                                      std::to_string(limit));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  const std::string log = place.read("out/run.log");
  // The one of the stop alone: an hour did not pass.
  EXPECT_THAT(log, AllOf(HasSubstr("stopped by the time limit at t = "), HasSubstr("\n  checkpoints 1, "),
                         Not(HasSubstr("by the clock"))));
  // It keeps half a second and three steps; it neither stops at once nor much later.
  EXPECT_GT(took.count(), 0.5 * limit);
  EXPECT_LT(took.count(), 2.0 * limit + 5);

  const Outcome often =
      place.shell(jumping +
                  "'" TRAMMEL_COMMAND
                  "' run case.yaml -q -o often --set until=1e5 --checkpoint-minutes 0.01 --time-limit " +
                  std::to_string(limit + 5));
  EXPECT_EQ(often.status, 5) << often.err;
  const std::string words = place.read("often/run.log");
  const std::size_t at = words.find("\n  checkpoints ");
  ASSERT_NE(at, std::string::npos) << words;
  const int written = std::stoi(words.substr(at + std::string("\n  checkpoints ").size()));
  // One in 0.6 s, as long as steps were taken; at the most so many fit, and at the least a few.
  EXPECT_GE(written, 3);
  EXPECT_LE(written, static_cast<int>((2.0 * limit + 10) / 0.6));
}

}  // namespace
}  // namespace trammel
