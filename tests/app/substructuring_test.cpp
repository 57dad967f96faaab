// The same answer on any number of ranks, and by substructuring, as the log tells.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "command.hpp"
#include "histories.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using testing::Outcome;
using testing::Table;
using testing::Workplace;

/// A run's histories by name, and what its log says of substructuring.
struct RankRun {
  std::map<std::string, Table> histories;
  int interface = -1, largest_front = -1, promoted = -1, analyses = -1, factorizations = -1, refined = -1,
      by_mumps = -1;
  std::string log;
};

RankRun run_on(int ranks, const std::string& name, const std::string& options) {
  const Workplace place;
  const Outcome outcome = place.shell(testing::command_on(ranks) + " run '" TRAMMEL_SOURCE_DIR "/" + name +
                                      "' -o out --set frames=1000000 " + options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  RankRun run;
  run.log = outcome.out;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(place / "out", none)) {
    const std::string own = file.path().filename().string();
    if (own.ends_with(".csv") && !own.ends_with("_entities.csv"))
      run.histories[own] = testing::table_of(place.read("out/" + own));
  }
  const std::regex line(
      "substructuring: interface of (\\d+) unknowns(?: in fronts of at most (\\d+))?, promoted (\\d+); "
      "analyses (\\d+), factorizations (\\d+), .*, refined (\\d+); .* by MUMPS instead (\\d+)");
  std::smatch found;
  if (std::regex_search(run.log, found, line)) {
    int* numbers[] = {&run.interface,      &run.largest_front, &run.promoted, &run.analyses,
                      &run.factorizations, &run.refined,       &run.by_mumps};
    for (std::size_t k = 0; k < std::size(numbers); ++k)
      if (found[k + 1].matched) *numbers[k] = std::stoi(found[k + 1]);
  }
  return run;
}

/// The quantity of a column: its name without component. Section forces, which may be zero by nature, are forces and moments.
std::string quantity(const std::string& column) {
  static const std::regex section("^section_(force|moment)_[a-z]*\\.\\w+ "), component("\\.[xyzw]( |$)");
  return std::regex_replace(std::regex_replace(column, section, "$1 "), component, " ");
}

/// Largest difference of positions, velocities, forces and moments, each as a part of the quantity's range over all histories.
double largest_difference(const RankRun& one, const RankRun& other) {
  struct Channel {
    double low = HUGE_VAL, high = -HUGE_VAL, gap = 0;
  };
  std::map<std::string, Channel>
      widest;  // by quantity: that with the largest range; its gap is the largest of all
  std::size_t compared = 0;
  for (const auto& [name, a] : one.histories) {
    const Table& b = other.histories.at(name);
    EXPECT_EQ(a.names, b.names);
    EXPECT_EQ(a.rows.size(), b.rows.size());
    if (a.names != b.names || a.rows.size() != b.rows.size()) return HUGE_VAL;
    for (std::size_t i = 1; i < a.names.size(); ++i) {
      const std::string what = quantity(a.names[i]);
      static const std::regex compared_here(
          "^(position|displacement|rotation|velocity|angular_velocity_world|arc_length|"
          "[a-z_]*(force|moment|torque|tension|thrust)[a-z_.A-Z0-9]*) ");
      if (!std::regex_search(what, compared_here)) continue;
      Channel channel;
      for (std::size_t k = 0; k < a.rows.size(); ++k) {
        channel.low = std::min(channel.low, a.rows[k][i]);
        channel.high = std::max(channel.high, a.rows[k][i]);
        channel.gap = std::max(channel.gap, std::abs(a.rows[k][i] - b.rows[k][i]));
      }
      Channel& its = widest[what];
      its.gap = std::max(its.gap, channel.gap);
      if (channel.high - channel.low > its.high - its.low || its.high < its.low) {
        its.low = channel.low;
        its.high = channel.high;
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 0U);
  double largest = 0;
  for (const auto& [what, channel] : widest)
    if (channel.high > channel.low) largest = std::max(largest, channel.gap / (channel.high - channel.low));
  return largest;
}

struct Tested {
  const char* name;
  const char* file;
  const char* options;
  bool promotes = false;    ///< interiors are singular on two ranks
  int least_interface = 1;  ///< on two ranks
  int least_analyses = 1;   ///< more than the start's and a stage's where sliders cross

  friend void PrintTo(const Tested& tested, std::ostream* out) { *out << tested.name; }
};

class SameOnRanks : public ::testing::TestWithParam<Tested> {};

TEST_P(SameOnRanks, are_the_results_of_substructuring) {
  const Tested& tested = GetParam();
  const RankRun one = run_on(1, tested.file, tested.options);
  EXPECT_EQ(one.analyses, -1) << one.log;
  for (const int ranks : {2, 4, 8}) {
    const RankRun several = run_on(ranks, tested.file, tested.options);
    EXPECT_LT(largest_difference(one, several), 1e-9) << ranks << " ranks";
    EXPECT_GT(several.factorizations, 0) << several.log;
    EXPECT_EQ(several.by_mumps, 0) << several.log;
    EXPECT_GE(several.interface, tested.least_interface) << several.log;
    EXPECT_GE(several.analyses, tested.least_analyses) << several.log;
    if (tested.promotes) {
      EXPECT_GT(several.promoted, 0) << several.log;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SameOnRanks,
    ::testing::Values(Tested{"chain", "cases/chain/case.yaml",
                             "--set N=60 --set h=0.01 --set until=0.3 --set tolerance=1e-12", false, 3},
                      // Loops across the interface, and statics before.
                      Tested{"lattice", "cases/lattice/case.yaml",
                             "--set n=4 --set h=4e-4 --set until=2.02 --set tolerance=1e-12", false, 12},
                      Tested{"redundant_loop", "cases/bricard/case.yaml", "--set h=0.01 --set until=0.4",
                             false, 3},
                      Tested{"singular_interior", "cases/slewing_crane/case.yaml",
                             "--set h=0.02 --set T=2 --set tolerance=1e-12", true, 6, 4},
                      Tested{"slider_that_crosses", "bench/train.yaml",
                             "--set until=0.3 --set tolerance=1e-12", false, 1, 4},
                      Tested{"release", "cases/lift_off/case.yaml", "", false, 1}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Short steps of a long straight chain: one step of refinement leaves 1e-9 of small terms in some rows.
TEST(Substructuring, refines_a_first_solution_as_often_as_it_helps) {
  const char* options = "--set N=1000 --set h=1e-4 --set until=6e-4 --set tolerance=1e-12";
  const RankRun one = run_on(1, "cases/chain/case.yaml", options);
  const RankRun two = run_on(2, "cases/chain/case.yaml", options);
  EXPECT_LT(largest_difference(one, two), 1e-9);
  EXPECT_GT(two.factorizations, 0) << two.log;
  EXPECT_GT(two.refined, 0) << two.log;
  EXPECT_EQ(two.by_mumps, 0) << two.log;
}

// With many ranks in a row the matrix of the interface has few entries: 39 joints of three multipliers, each coupled to those beside it.
TEST(Substructuring, solves_a_chain_over_many_ranks) {
  const char* options = "--set N=120 --set h=0.01 --set until=0.1 --set tolerance=1e-12";
  const RankRun one = run_on(1, "cases/chain/case.yaml", options);
  const RankRun many =
      run_on(40, "cases/chain/case.yaml", std::string(options) + " -substructuring_interface_max 60");
  EXPECT_LT(largest_difference(one, many), 1e-9);
  EXPECT_GE(many.interface, 117) << many.log;
  EXPECT_GT(many.factorizations, 0) << many.log;
  EXPECT_EQ(many.by_mumps, 0) << many.log;
}

// A chain of hinges is held across its plane all along: with a part of a joint's constraints in an interior it would be held there twice.
TEST(Substructuring, moves_few_unknowns_of_a_chain_of_hinges) {
  const char* options = "--set N=1000 --set until=0.003 --set tolerance=1e-8";
  for (const int ranks : {2, 8}) {
    const RankRun run = run_on(ranks, "cases/chain/revolute.yaml", options);
    EXPECT_GT(run.factorizations, 0) << run.log;
    EXPECT_LE(run.promoted, 5) << run.log;
    EXPECT_EQ(run.refined, 0) << run.log;
    EXPECT_EQ(run.by_mumps, 0) << run.log;
  }
}

// Of the joints of the car's body only those between ranks are cut: an interface with all of them would have 69 unknowns on two ranks.
TEST(Substructuring, cuts_few_joints_of_a_body_with_many) {
  for (const int ranks : {2, 4}) {
    const RankRun run = run_on(ranks, "bench/vehicle.yaml", "--set until=0.02");
    EXPECT_GT(run.factorizations, 0) << run.log;
    EXPECT_GT(run.interface, 0) << run.log;
    EXPECT_LE(run.interface, 10 * (ranks - 1)) << run.log;
    EXPECT_EQ(run.by_mumps, 0) << run.log;
  }
}

// Of a lattice over many ranks each eliminates a part of the interface, in statics and in motion; no rank has all of it.
TEST(Substructuring, divides_the_interface_of_a_lattice_between_many_ranks) {
  const char* options = "--set n=10 --set h=4e-4 --set until=2.0024 --set tolerance=1e-12";
  const RankRun one = run_on(1, "cases/lattice/case.yaml", options);
  for (const int ranks : {3, 16}) {
    const RankRun many = run_on(ranks, "cases/lattice/case.yaml", options);
    EXPECT_LT(largest_difference(one, many), 1e-9) << ranks;
    EXPECT_GT(many.factorizations, 0) << many.log;
    EXPECT_EQ(many.by_mumps, 0) << many.log;
    EXPECT_GT(many.largest_front, 0) << many.log;
    EXPECT_LE(many.largest_front, ranks == 16 ? many.interface / 2 : many.interface) << many.log;
  }
}

// The chain moves in a plane: equations across it contain nothing but rounding errors.
TEST(Substructuring, does_not_refine_rounding_errors) {
  const RankRun run =
      run_on(2, "cases/chain/case.yaml", "--set N=60 --set h=0.01 --set until=0.3 --set tolerance=1e-12");
  EXPECT_GT(run.factorizations, 20) << run.log;
  EXPECT_GE(run.refined, 0) << run.log;
  EXPECT_LT(10 * run.refined, run.factorizations) << run.log;
}

TEST(Substructuring, leaves_to_mumps_systems_with_too_large_an_interface) {
  const char* options = "--set N=20 --set h=0.01 --set until=0.1 --set tolerance=1e-12";
  const RankRun one = run_on(1, "cases/chain/case.yaml", options);
  const RankRun two =
      run_on(2, "cases/chain/case.yaml", std::string(options) + " -substructuring_interface_max 2");
  EXPECT_LT(largest_difference(one, two), 1e-9);
  EXPECT_EQ(two.factorizations, 0);
  EXPECT_GT(two.by_mumps, 0);
  EXPECT_THAT(two.log, ::testing::HasSubstr(
                           "NOTE: MUMPS solved where substructuring did not: a matrix of the interface "
                           "is larger than 2 x 2 (-substructuring_interface_max)"));
}

}  // namespace
}  // namespace trammel
