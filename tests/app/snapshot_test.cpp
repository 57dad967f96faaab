// A run that goes on from a snapshot, in a process of its own, repeats the run that wrote it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "command.hpp"
#include "trammel/archive.hpp"

namespace trammel {
namespace {

using testing::Outcome;
using testing::Workplace;
using Rows = std::vector<std::vector<double>>;

struct Run {
  std::string name;  ///< of the test
  std::string scene;
  int step;          ///< accepted steps before the snapshot
  std::string form;  ///< of dynamic stages; "own": as the case has it
};

const std::string program = TRAMMEL_BINARY_DIR "/tests/snapshot_run";

std::string case_file(const std::string& scene) {
  return TRAMMEL_SOURCE_DIR "/cases/" + scene + "/case.yaml";
}

Rows rows_of(const std::string& text) {
  Archive archive(std::as_bytes(std::span(text)));
  Rows rows;
  archive(rows);
  return rows;
}

/// Writes and reads on so many ranks; Newton's tolerance where one is given.
void run_twice(const Workplace& place, const Run& run, int ranks, const std::string& tolerance) {
  const std::string start = testing::command_on(ranks, program);
  const std::string file = case_file(run.scene);
  const Outcome first = place.shell(
      fmt::format("{} write '{}' {} snapshot first {} {}", start, file, run.step, run.form, tolerance));
  ASSERT_EQ(first.status, 0) << first.err;
  const Outcome second =
      place.shell(fmt::format("{} read '{}' snapshot second {} {}", start, file, run.form, tolerance));
  ASSERT_EQ(second.status, 0) << second.err;
}

class SnapshotOn1 : public ::testing::TestWithParam<Run> {};

TEST_P(SnapshotOn1, continues_bit_for_bit) {
  const Workplace place;
  run_twice(place, GetParam(), 1, "");
  const std::string first = place.read("first.0"), second = place.read("second.0");
  ASSERT_GT(rows_of(first).size(), 3U) << "no step followed the snapshot";
  EXPECT_TRUE(first == second);
}

std::string name_of(const ::testing::TestParamInfo<Run>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Runs, SnapshotOn1,
    ::testing::Values(
        Run{"index3", "heavy_top", 300, "index3"}, Run{"index2", "heavy_top", 300, "index2"},
        Run{"projected", "heavy_top", 300, "projected"}, Run{"projected_loops", "bricard", 100, "projected"},
        Run{"by_accuracy", "heavy_top", 300, "accuracy"},
        Run{"by_accuracy_of_all", "heavy_top", 60, "accuracy_of_all"},
        Run{"by_accuracy_of_all_between_hosts", "moving_load", 200, "accuracy_of_all"},
        Run{"by_accuracy_with_contact", "lift_off", 150, "accuracy"}, Run{"radau", "heavy_top", 300, "radau"},
        Run{"radau_loops", "bricard", 100, "radau"},
        Run{"radau_before_its_release", "caught_rod", 60, "radau"},
        Run{"radau_between_hosts", "moving_load", 100, "radau"},
        Run{"radau_friction", "turntable", 100, "radau"}, Run{"index1", "heavy_top", 300, "index1"},
        Run{"between_hosts", "moving_load", 100, "index3"},
        Run{"between_hosts_index2", "moving_load", 100, "index2"},
        Run{"crossing_in_statics", "ring_on_beam", 3, "own"}, Run{"sleeve", "sleeve", 3, "own"},
        Run{"before_it_is_caught", "caught_rod", 20, "index2"},
        Run{"before_its_release", "caught_rod", 60, "index3"},
        Run{"before_its_release_index1", "caught_rod", 60, "index1"},
        Run{"friction", "stick_slip", 1500, "own"}, Run{"law_of_friction", "turntable", 600, "own"},
        Run{"law_of_friction_index1", "turntable", 100, "index1"},
        Run{"unilateral", "lift_off", 150, "index2"}, Run{"redundant_loops", "bricard", 100, "own"},
        Run{"parallel_bars", "n_four_bar", 100, "index2"}, Run{"statics", "roll_up", 3, "own"},
        Run{"statics_of_a_beam", "bend_45", 3, "own"}, Run{"plane", "tilted_plane", 3, "own"}),
    name_of);

constexpr std::size_t iterations_of_newton = 2;  // channel: rounding may spare one

/// A run on two ranks, whose rounding may differ from run to run: the direct solver shares its work out as it goes.
struct RunOn2 : Run {
  /// Effect of the rounding of positions on accelerations and forces, as a fraction of the largest ones: a few eps
  /// |x| / h^2.
  double rounding = 0;
};

/// Positions and velocities; everything else is, or follows from, accelerations and forces. Kinds as snapshot_run writes them.
bool moves(double kind) { return kind < 40 && std::fmod(kind, 10) < 2; }

/// How two runs on two ranks differ, over what is allowed: 1e-9 of the range of all numbers of a kind, and rounding.
class Difference {
 public:
  explicit Difference(double rounding) : rounding_(rounding) {}
  void take(const Rows& a, const Rows& b) {
    const std::vector<double>& kinds = a.front();
    for (std::size_t c = 0; c < kinds.size(); ++c) {
      if (c == iterations_of_newton) continue;
      double low = HUGE_VAL, high = -HUGE_VAL;
      double& most = apart_[kinds[c]];
      for (std::size_t i = 1; i + 1 < a.size(); ++i) {
        low = std::min(low, a[i][c]);
        high = std::max(high, a[i][c]);
        most = std::max(most, std::abs(a[i][c] - b[i][c]));
      }
      // What does not move is compared with its own size.
      double& all = range_.try_emplace(kinds[c], 1e-3).first->second;
      all = std::max({all, high - low, 1e-3 * std::abs(high), 1e-3 * std::abs(low)});
    }
  }
  double worst() const {
    double worst = 0;
    for (const auto& [kind, most] : apart_)
      worst = std::max(worst, most / ((1e-9 + (moves(kind) ? 0 : rounding_)) * range_.at(kind)));
    return worst;
  }

 private:
  double rounding_;
  std::map<double, double> range_, apart_;  ///< by kind
};

class SnapshotOn2 : public ::testing::TestWithParam<RunOn2> {};

TEST_P(SnapshotOn2, continues_within_rounding) {
  const Workplace place;
  run_twice(place, GetParam(), 2, "1e-12");
  Difference difference(GetParam().rounding);
  for (int rank = 0; rank < 2; ++rank) {
    const Rows first = rows_of(place.read(fmt::format("first.{}", rank)));
    const Rows second = rows_of(place.read(fmt::format("second.{}", rank)));
    ASSERT_GT(first.size(), 3U) << "no step followed the snapshot";
    ASSERT_EQ(first.size(), second.size());
    difference.take(first, second);
  }
  EXPECT_LT(difference.worst(), 1);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, SnapshotOn2,
    ::testing::Values(RunOn2{{"index2", "caught_rod", 60, "index2"}},
                      // Ten roundings at 10 m, steps of 1.25 ms, 500 kg; the largest reaction is 19 N.
                      RunOn2{{"between_hosts", "moving_load", 250, "index3"}, 4e-7},
                      RunOn2{{"statics", "roll_up", 3, "own"}}),
    [](const auto& run) { return run.param.name; });

TEST(Snapshot, of_another_model_is_refused) {
  const Workplace place;
  const Outcome wrote =
      place.shell(fmt::format("'{}' write '{}' 20 snapshot first", program, case_file("caught_rod")));
  ASSERT_EQ(wrote.status, 0) << wrote.err;
  const Outcome outcome =
      place.shell(fmt::format("'{}' read '{}' snapshot second", program, case_file("heavy_top")));
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.err.find("was saved"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace trammel
