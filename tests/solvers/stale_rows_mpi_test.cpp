#include "solvers/newton/stale_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/newton/block_runs.hpp"
#include "test_models.hpp"

namespace trammel::testing {
namespace {

/// Of a chain of 500 rods: what StaleRows finds where a residual has numbers in these rows of unknowns.
struct Found {
  explicit Found(const std::vector<int>& unknowns, double number = 1) {
    Chain chain(500, PETSC_COMM_SELF);
    const Layout& layout = *chain.layout;
    const std::vector<BlockRun> runs = block_runs_of(layout);
    NumbersAfterFrames of_row;
    of_row.assign(layout, runs, 1.0);
    std::vector<double> f(at(layout.local_size()), 0.1);
    StaleRows::Limits most;
    most.fill(0.5);
    StaleRows stale;
    for (const int i : unknowns) {
      const UnknownBlock& u = layout.unknowns()[at(i)];
      f[at(u.local + u.size - 1)] = number;
      expected.push_back(u.local);
    }
    stale.look_at(f.data(), layout, runs, of_row, most);
    few = stale.are_few();
    rows = stale.numbers(layout);
    const RenewedRows renewed = stale.renewed(*chain.assembler);
    for (const std::vector<InstanceRun>& range : renewed.instances)
      for (const InstanceRun& run : range) instances += run.last - run.first;
    stale.clear();
    few_when_cleared = stale.are_few();
  }
  std::vector<int> expected, rows;
  int instances = 0;
  bool few = false, few_when_cleared = true;
};

TEST(StaleRows, are_those_with_large_numbers_of_a_residual) {
  EXPECT_FALSE(Found({}).few);
  // Positions and rotations alternate; forces of joints come behind all of them.
  const Found found({0, 3, 1100});
  EXPECT_TRUE(found.few);
  EXPECT_FALSE(found.few_when_cleared);
  ASSERT_EQ(found.rows.size(), 9U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(found.rows[3 * k], found.expected[k]);
  // Two bodies with their three joints, and one joint more.
  EXPECT_EQ(found.instances, 6);
}

TEST(StaleRows, are_those_with_no_number_at_all) {
  const Found found({6}, std::nan(""));
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_EQ(found.rows[0], found.expected[0]);
}

TEST(StaleRows, are_not_few_where_all_is_stale) {
  std::vector<int> all(600);
  for (int i = 0; i < 600; ++i) all[at(i)] = i;
  EXPECT_FALSE(Found(all).few);
}

/// Of a chain that falls: velocities and accelerations of all rods at the end, by frame and axis.
struct Fall {
  std::vector<double> rate, acceleration;
  Timings timings;
};

/// On all ranks.
Fall fall(bool keep, const Vec3& turn, int rods) {
  Chain chain(rods, PETSC_COMM_WORLD, so3::exp(turn));
  Simulation run(*chain.assembler);
  DynamicStage d;
  d.step = 1e-3;
  d.until = 0.06;
  d.radius = 0.9;
  d.newton.tolerance = 1e-9;
  d.newton.keep_tangent = keep;
  const Stage stages[] = {{"", d}};
  run.run(stages);
  EXPECT_LT(run.summary().largest_violation, 1e-10);
  const Layout& layout = *chain.layout;
  const auto collect = [&](const std::vector<double>& by_dof) {
    std::vector<double> all;
    for (const Frame& frame : chain.frames)
      for (const BlockId block : {frame.position, frame.rotation})
        for (int k = 0; k < 3; ++k)
          all.push_back(layout.knows(block) && layout.unknown_of(block)->owned
                            ? by_dof[at(layout.offset(block).dof + k)]
                            : 0.0);
    MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM,
                  PETSC_COMM_WORLD);
    return all;
  };
  return {collect(run.state().rate), collect(run.state().acceleration), run.summary().timings};
}

TEST(StaleRows, of_a_chain_are_renewed_alone_and_lead_to_the_same_motion) {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  // Two runs with whole tangents and tolerances of 1e-9 and 1e-13 differ by rounding errors: with 1,000 rods rates by 3e-9 and accelerations by
  // 1.3e-7 of the largest, with 1,400 by 1.2e-8 and 4e-7.
  const int rods = ranks == 1 ? 1000 : 1400;
  const double of_rates = ranks == 1 ? 1e-8 : 4e-8, of_accelerations = ranks == 1 ? 3e-7 : 1.2e-6;
  for (const Vec3& turn : {Vec3(0, 0, 0), Vec3(0.3, -0.4, 0.6)}) {
    const Fall kept = fall(true, turn, rods), whole = fall(false, turn, rods);
    EXPECT_GT(kept.timings.renewals, 5);
    EXPECT_LT(kept.timings.factorizations, whole.timings.factorizations);
    EXPECT_EQ(whole.timings.renewals, 0);
    const auto differ = [](const std::vector<double>& a, const std::vector<double>& b) {
      double largest = 0;
      for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
      return largest;
    };
    const double fastest = *std::ranges::max_element(whole.acceleration);
    EXPECT_LT(differ(kept.rate, whole.rate), of_rates);
    EXPECT_LT(differ(kept.acceleration, whole.acceleration), of_accelerations * fastest);
  }
}

TEST(StaleRows, of_a_short_chain_are_not_sought) {
  EXPECT_EQ(fall(true, Vec3::Zero(), 100).timings.renewals, 0);
}

}  // namespace
}  // namespace trammel::testing
