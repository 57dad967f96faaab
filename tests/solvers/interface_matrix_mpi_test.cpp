#include "solvers/linear/interface_matrix.hpp"

#include <gtest/gtest.h>

#include <petscsys.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

#include "test_models.hpp"
#include "trammel/index.hpp"

namespace trammel {
namespace {

/// A matrix to which each rank adds what its interior, between two groups of unknowns, fills, and a part of the entries beside the
/// diagonal. `all` is the sum.
struct Sum {
  InterfaceMatrix matrix;
  Eigen::MatrixXd all;
  std::vector<int> owned;
  bool fits = false;

  /// `width`: unknowns of a group; `reach`: how far entries of the system lie from the diagonal.
  Sum(int size, int width, int reach, std::size_t most = 1000) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    all.setZero(size, size);
    std::vector<InterfaceMatrix::Pair> direct;
    std::vector<int> touched;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<double> its_interior, its_direct;
    for (int r = 0; r < ranks; ++r) {  // all ranks draw the same numbers
      std::vector<int> of_r;
      for (int k = 0; k < 2 * width; ++k) of_r.push_back((2 * r * width + k) % size);
      std::ranges::sort(of_r);
      for (const int i : of_r)
        for (const int j : of_r) {
          const double value = number(random);
          all(i, j) += value;
          if (r == rank) its_interior.push_back(value);
        }
      if (r == rank) touched = of_r;
    }
    for (int i = 0; i < size; ++i)
      for (int j = std::max(0, i - reach); j <= std::min(size - 1, i + reach); ++j) {
        const double value = std::pow(10.0, i % 7) * (number(random) + (i == j ? 4 : 0));
        all(i, j) += value;
        if (i % ranks != rank) continue;
        direct.emplace_back(i, j);
        its_direct.push_back(value);
      }
    owned.clear();
    for (int i = rank; i < size; i += ranks) owned.push_back(i);
    fits = matrix.set_structure(PETSC_COMM_WORLD, size, touched, owned, direct, most);
    if (!fits) return;
    for (std::size_t k = 0; k < its_interior.size(); ++k)
      matrix.entries()[matrix.of_interior()[k]] += its_interior[k];
    for (std::size_t k = 0; k < its_direct.size(); ++k)
      matrix.entries()[matrix.of_direct()[k]] += its_direct[k];
  }

  InterfaceMatrix::Outcome factorize() { return matrix.factorize(PETSC_COMM_WORLD, false); }
  /// The largest error of a solution, at the unknowns that some rank owns.
  double error() {
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(matrix.size(), 1, 2);
    Eigen::VectorXd y = Eigen::VectorXd::Zero(matrix.size());
    for (const int i : owned) y[i] = b[i];
    matrix.solve(PETSC_COMM_WORLD, {y.data(), at(matrix.size())});
    const Eigen::VectorXd exact = all.fullPivLu().solve(b);
    double worst = 0;
    for (const int i : owned) worst = std::max(worst, std::abs(y[i] - exact[i]));
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    return worst / exact.lpNorm<Eigen::Infinity>();
  }
};

int all_ranks() {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  return ranks;
}

constexpr auto fine = InterfaceMatrix::Outcome::fine, singular = InterfaceMatrix::Outcome::singular;

TEST(InterfaceMatrix, sums_and_factorizes_what_is_there) {
  for (const int size : {1, 20, 300}) {
    Sum sum(size, size > 1 ? 3 : 0, 2);
    ASSERT_TRUE(sum.fits);
    EXPECT_EQ(sum.matrix.kind(),
              size < 300 || all_ranks() <= 2 ? InterfaceMatrix::Kind::dense : InterfaceMatrix::Kind::sparse);
    ASSERT_EQ(sum.factorize(), fine);
    EXPECT_LT(sum.error(), 1e-10) << size;
  }
}

// Ranks see up to 40 unknowns beside those of their interiors.
TEST(InterfaceMatrix, is_eliminated_in_fronts_where_most_entries_are_there) {
  Sum sum(100, 3, 40);
  ASSERT_TRUE(sum.fits);
  EXPECT_EQ(sum.matrix.kind(),
            all_ranks() <= 2 ? InterfaceMatrix::Kind::dense : InterfaceMatrix::Kind::fronts);
  ASSERT_EQ(sum.factorize(), fine);
  for (int k = 0; k < 2; ++k) EXPECT_LT(sum.error(), 1e-10);
}

// Groups of unknowns around a ring of ranks; of wide ones ranks share the columns. `multiplier`: one of the first group that only couples to one of the second, so that
// it has no pivot where it is eliminated first.
TEST(InterfaceMatrix, eliminates_a_ring_of_ranks_in_fronts) {
  const int ranks = all_ranks();
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  for (const auto& [width, multiplier] :
       {std::pair(30, false), std::pair(30, true), std::pair(120, false), std::pair(120, true)}) {
    if (multiplier && ranks == 1) continue;  // there is no second group
    const int size = width * ranks;
    std::mt19937 random(6);
    std::uniform_real_distribution<double> number(-1, 1);
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(size, size);
    std::vector<int> touched;
    std::vector<double> mine;
    for (int r = 0; r < ranks; ++r) {
      std::vector<int> its;
      for (int k = 0; k < 2 * width; ++k) its.push_back((r * width + k) % size);
      std::ranges::sort(its);
      its.erase(std::unique(its.begin(), its.end()), its.end());
      if (r == rank) touched = its;
      for (const int i : its)
        for (const int j : its) {
          double value = number(random) + (i == j ? 8 : 0);
          if (multiplier && (i % width == 0 || j % width == 0)) {
            const bool coupled =
                i / width != j / width && i % width <= 1 && j % width <= 1 && i % width != j % width;
            value = coupled ? 3 + number(random) : 0;
          }
          all(i, j) += value;
          if (r == rank) mine.push_back(value);
        }
    }
    InterfaceMatrix matrix;
    ASSERT_TRUE(matrix.set_structure(PETSC_COMM_WORLD, size, touched, touched, {}, 1000));
    for (int repeat = 0; repeat < 2; ++repeat) {
      matrix.clear();
      for (std::size_t k = 0; k < mine.size(); ++k) matrix.entries()[matrix.of_interior()[k]] += mine[k];
      ASSERT_EQ(matrix.factorize(PETSC_COMM_WORLD, false), fine) << multiplier;
      const Eigen::VectorXd exact = Eigen::VectorXd::LinSpaced(size, -1, 2);
      const Eigen::VectorXd b = all * exact;
      Eigen::VectorXd y = Eigen::VectorXd::Zero(size);
      for (const int i : touched)
        if (i / width == rank) y[i] = b[i];
      matrix.solve(PETSC_COMM_WORLD, {y.data(), at(size)});
      for (const int i : touched) EXPECT_NEAR(y[i], exact[i], 1e-9) << i << ' ' << multiplier;
    }
  }
}

// The solution is that of `solve` in bits; a rank that has no number leaves none.
TEST(InterfaceMatrix, carries_totals_of_all_ranks_with_a_solution) {
  testing::Chain any(1);  // whoever agrees
  const int rank = any.layout->rank(), ranks = any.layout->ranks();
  for (const auto& [size, width, reach] : {std::tuple(20, 3, 2), {300, 3, 2}, {100, 3, 40}, {600, 90, 150}}) {
    Sum sum(size, width, reach);
    ASSERT_TRUE(sum.fits);
    ASSERT_EQ(sum.factorize(), fine);
    ASSERT_TRUE(sum.matrix.carries());
    Eigen::VectorXd part = Eigen::VectorXd::Zero(size);
    for (const int i : sum.owned) part[i] = 1 + 0.1 * i;
    Eigen::VectorXd alone = part;
    sum.matrix.solve(PETSC_COMM_WORLD, {alone.data(), at(size)});
    for (const bool refuses : {false, true}) {
      Eigen::VectorXd y = part;
      RankTotals totals;
      std::array largest{rank + 0.5, refuses && rank == ranks / 2 ? std::nan("") : -1.0 - rank};
      std::array sums{1.0, rank + 1.0};
      totals.add_sums(sums);
      totals.add_maxima(largest);
      if (refuses && rank == ranks - 1) totals.fault.refuse("it lies flat");
      sum.matrix.begin_solution(PETSC_COMM_WORLD, {y.data(), at(size)}, totals);
      EXPECT_EQ(totals.agree(*any.assembler), !refuses);
      sum.matrix.finish_solution({y.data(), at(size)});
      for (const int i : sum.owned) EXPECT_EQ(y[i], alone[i]) << i;
      EXPECT_EQ(largest[0], ranks - 0.5);
      if (refuses)
        EXPECT_TRUE(std::isnan(largest[1]));
      else
        EXPECT_EQ(largest[1], -1);
      EXPECT_EQ(sums[0], ranks);
      EXPECT_EQ(sums[1], ranks * (ranks + 1) / 2);
    }
  }
}

// Ranks whose unknowns no other rank sees send each other nothing.
TEST(InterfaceMatrix, carries_nothing_where_ranks_are_not_joined) {
  const int ranks = all_ranks(), width = 100;
  if (ranks <= 2) return;  // dense
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  std::vector<int> touched(width);
  std::iota(touched.begin(), touched.end(), rank * width);
  InterfaceMatrix matrix;
  ASSERT_TRUE(matrix.set_structure(PETSC_COMM_WORLD, ranks * width, touched, touched, {}, 1000));
  EXPECT_EQ(matrix.kind(), InterfaceMatrix::Kind::fronts);
  EXPECT_FALSE(matrix.carries());
}

TEST(InterfaceMatrix, is_too_large_by_its_entries_where_it_is_sparse) {
  if (all_ranks() <= 2) return;  // dense
  EXPECT_TRUE(Sum(300, 3, 2, 100).fits);
  EXPECT_FALSE(Sum(300, 3, 2, 2).fits);
}

TEST(InterfaceMatrix, is_too_large_by_its_unknowns_where_it_is_dense) {
  EXPECT_TRUE(Sum(50, 3, 40, 50).fits);
  EXPECT_FALSE(Sum(50, 3, 40, 49).fits);
  EXPECT_FALSE(Sum(200, 3, 80, 100).fits);
}

TEST(InterfaceMatrix, is_singular_where_a_row_is_empty_or_repeated) {
  for (const int size : {20, 300})  // the larger one sparse, of more than two ranks
    for (const bool empty : {true, false}) {
      int rank = 0;
      MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
      const std::vector<int> touched{size - 2, size - 1};  // both rows are zero, or both the same
      InterfaceMatrix matrix;
      std::vector<InterfaceMatrix::Pair> diagonal;
      for (int i = 0; rank == 0 && i < size - 2; ++i) diagonal.emplace_back(i, i);
      ASSERT_TRUE(matrix.set_structure(PETSC_COMM_WORLD, size, touched, {}, diagonal, 1000));
      matrix.clear();
      for (const PetscInt entry : matrix.of_direct()) matrix.entries()[entry] = 1;
      for (const PetscInt entry : matrix.of_interior()) matrix.entries()[entry] = empty ? 0 : 1;
      EXPECT_EQ(matrix.factorize(PETSC_COMM_WORLD, false), singular) << size << ' ' << empty;
    }
}

TEST(InterfaceMatrix, knows_that_some_rank_is_weak) {
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  Sum sum(20, 3, 2);
  EXPECT_EQ(sum.matrix.factorize(PETSC_COMM_WORLD, rank == 0), InterfaceMatrix::Outcome::weak);
  Sum large(100, 3, 40);
  EXPECT_EQ(large.matrix.factorize(PETSC_COMM_WORLD, rank == 0), InterfaceMatrix::Outcome::weak);
  EXPECT_EQ(large.factorize(), fine);
}

}  // namespace
}  // namespace trammel
