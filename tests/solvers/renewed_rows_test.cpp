#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/SparseLU>
#include <algorithm>
#include <random>
#include <vector>

#include "solvers/linear/repeated_lu.hpp"
#include "solvers/newton/block_runs.hpp"
#include "solvers/newton/stale_rows.hpp"
#include "test_models.hpp"

namespace trammel::testing {
namespace {

/// A matrix by compressed rows, all of whose entries count.
struct Sparse {
  int n = 0;
  std::vector<PetscInt> begin{0}, column;
  std::vector<double> value;

  RepeatedLu::Rows rows() const { return {n, begin.data(), column.data(), value.data()}; }
  /// Multiplies the numbers of a row by factors from 0.5 to 1.5.
  void change(int row, std::mt19937& random) {
    std::uniform_real_distribution<double> factor(0.5, 1.5);
    for (auto p = at(begin[at(row)]); p < at(begin[at(row) + 1]); ++p) value[p] *= factor(random);
  }
  double error(RepeatedLu& lu) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n; ++i)
      for (auto p = at(begin[at(i)]); p < at(begin[at(i) + 1]); ++p)
        entries.emplace_back(i, static_cast<int>(column[p]), value[p]);
    Eigen::SparseMatrix<double> A(n, n);
    A.setFromTriplets(entries.begin(), entries.end());
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, 1, 2);
    Eigen::VectorXd x(n);
    lu.solve(b.data(), x.data());
    return (A * x - b).cwiseAbs().maxCoeff() / x.cwiseAbs().maxCoeff();
  }
};

/// Each unknown is coupled to the next and the one before.
Sparse path(int n) {
  Sparse A;
  A.n = n;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 1); j < std::min(n, i + 2); ++j) {
      A.column.push_back(j);
      A.value.push_back(i == j ? 2.5 : -1.0);
    }
    A.begin.push_back(static_cast<PetscInt>(A.column.size()));
  }
  return A;
}

/// A band with entries beyond it in places that are not symmetric, and with diagonals so small that pivots leave them.
Sparse irregular(int n, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1), chance(0, 1);
  Sparse A;
  A.n = n;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const bool near = std::abs(i - j) <= 2;
      if (!near && chance(random) > 1.0 / n) continue;
      A.column.push_back(j);
      A.value.push_back(i == j ? (chance(random) < 0.3 ? 1e-4 : 3.0) : number(random));
    }
    A.begin.push_back(static_cast<PetscInt>(A.column.size()));
  }
  return A;
}

TEST(RenewedRows, have_the_factors_of_the_whole_matrix) {
  std::mt19937 random(3);
  int renewals = 0;
  for (int k = 0; k < 10; ++k) {
    Sparse A = irregular(300, random);
    RepeatedLu lu(true);
    ASSERT_TRUE(lu.factorize(A.rows(), true));
    for (int again = 0; again < 10; ++again) {
      std::vector<int> rows{static_cast<int>(random() % 300)};
      if (rows[0] < 290) rows.push_back(rows[0] + 7);
      for (const int row : rows) A.change(row, random);
      lu.expect_changes(rows);
      ASSERT_TRUE(lu.factorize(A.rows(), false));
      EXPECT_LT(A.error(lu), 1e-6);
      if (lu.renewed_columns() > 0) ++renewals;
    }
  }
  EXPECT_GT(renewals, 30);
}

TEST(RenewedRows, need_few_columns_where_they_come_last) {
  constexpr int n = 2000;
  std::mt19937 random(5);
  for (const int row : {0, 700, n - 1}) {
    Sparse A = path(n);
    RepeatedLu lu;
    lu.prefer_last({row});
    ASSERT_TRUE(lu.factorize(A.rows(), true));
    EXPECT_EQ(lu.renewed_columns(), 0);
    A.change(row, random);
    lu.expect_changes({row});
    ASSERT_TRUE(lu.factorize(A.rows(), false));
    EXPECT_EQ(lu.renewed_columns(), 1);
    EXPECT_LT(A.error(lu), 1e-14);
    EXPECT_EQ(lu.searches(), 1);
  }
}

TEST(RenewedRows, come_last_once_that_pays) {
  constexpr int n = 2000, row = 300;
  Sparse A = path(n);
  // So that a change at one place is felt at every other.
  for (double& number : A.value)
    if (number > 0) number = 2.0;
  RepeatedLu lu;
  ASSERT_TRUE(lu.factorize(A.rows(), true));
  int most = 0, last = 0;
  for (int k = 0; k < 200; ++k) {
    A.value[at(A.begin[row]) + 1] = 2.0 + 0.1 * (k % 7);
    lu.expect_changes({row});
    ASSERT_TRUE(lu.factorize(A.rows(), false));
    EXPECT_LT(A.error(lu), 1e-10);
    most = std::max(most, last = lu.renewed_columns());
  }
  EXPECT_GT(most, 100);
  EXPECT_EQ(last, 1);
  EXPECT_EQ(lu.searches(), 2);
}

TEST(RenewedRows, take_a_whole_factorization_where_an_entry_or_a_pivot_is_new) {
  Sparse A = path(500);
  A.value[at(A.begin[200])] = 0;  // does not count yet
  RepeatedLu lu(true);
  ASSERT_TRUE(lu.factorize(A.rows(), true));
  A.value[at(A.begin[200])] = -1;
  lu.expect_changes({200});
  ASSERT_TRUE(lu.factorize(A.rows(), false));
  EXPECT_EQ(lu.renewed_columns(), 0);
  EXPECT_LT(A.error(lu), 1e-13);

  A.value[at(A.begin[300]) + 1] = 1e-9;  // the diagonal of a row
  lu.expect_changes({300});
  ASSERT_TRUE(lu.factorize(A.rows(), false));
  EXPECT_LT(A.error(lu), 1e-7);

  A.value[at(A.begin[100]) + 1] = 1e9;
  lu.expect_changes({100});
  ASSERT_TRUE(lu.factorize(A.rows(), false));
  EXPECT_EQ(lu.renewed_columns(), 0);
  EXPECT_LT(A.error(lu), 1e-5);
}

TEST(RenewedRows, are_not_expected_twice) {
  std::mt19937 random(11);
  Sparse A = path(400);
  RepeatedLu lu;
  ASSERT_TRUE(lu.factorize(A.rows(), true));
  A.change(10, random);
  lu.expect_changes({10});
  ASSERT_TRUE(lu.factorize(A.rows(), false));
  A.change(300, random);
  ASSERT_TRUE(lu.factorize(A.rows(), false));
  EXPECT_EQ(lu.renewed_columns(), 0);
  EXPECT_LT(A.error(lu), 1e-13);
}

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
    few = stale.are_few(layout);
    rows = stale.numbers(layout);
    const RenewedRows renewed = stale.renewed(*chain.assembler);
    for (const std::vector<InstanceRun>& range : renewed.instances)
      for (const InstanceRun& run : range) instances += run.last - run.first;
    stale.clear();
    few_when_cleared = stale.are_few(layout);
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

struct Fall {
  State end;
  Timings timings;
};

Fall fall(bool keep, const Vec3& turn, int rods = 1000) {
  Chain chain(rods, PETSC_COMM_SELF, so3::exp(turn));
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
  return {run.state(), run.summary().timings};
}

TEST(StaleRows, of_a_chain_are_renewed_alone_and_lead_to_the_same_motion) {
  for (const Vec3& turn : {Vec3(0, 0, 0), Vec3(0.3, -0.4, 0.6)}) {
    const Fall kept = fall(true, turn), whole = fall(false, turn);
    EXPECT_GT(kept.timings.renewals, 5);
    EXPECT_LT(kept.timings.factorizations, whole.timings.factorizations);
    EXPECT_EQ(whole.timings.renewals, 0);
    const auto differ = [](const std::vector<double>& a, const std::vector<double>& b) {
      double largest = 0;
      for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
      return largest;
    };
    const double fastest = *std::ranges::max_element(whole.end.acceleration);
    // With a tolerance of 1e-13 accelerations of whole tangents are others by 1.3e-7 of the largest.
    EXPECT_LT(differ(kept.end.rate, whole.end.rate), 1e-8);
    EXPECT_LT(differ(kept.end.acceleration, whole.end.acceleration), 3e-7 * fastest);
  }
}

TEST(StaleRows, of_a_short_chain_are_not_sought) {
  EXPECT_EQ(fall(true, Vec3::Zero(), 100).timings.renewals, 0);
}

}  // namespace
}  // namespace trammel::testing
