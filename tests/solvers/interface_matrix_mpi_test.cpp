#include "solvers/interface_matrix.hpp"

#include <gtest/gtest.h>

#include <petscsys.h>
#include <random>

#include "trammel/index.hpp"

namespace trammel {
namespace {

/// A matrix to which each rank adds what its interior, between two groups of unknowns, fills, and a part of the entries beside the
/// diagonal. `all` is the sum.
struct Sum {
  InterfaceMatrix matrix;
  Eigen::MatrixXd all;
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
    fits = matrix.set_structure(PETSC_COMM_WORLD, size, touched, direct, most);
    if (!fits) return;
    for (std::size_t k = 0; k < its_interior.size(); ++k)
      matrix.entries()[matrix.of_interior()[k]] += its_interior[k];
    for (std::size_t k = 0; k < its_direct.size(); ++k)
      matrix.entries()[matrix.of_direct()[k]] += its_direct[k];
  }

  /// The largest error of a solution.
  double error() {
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(matrix.size(), 1, 2);
    Eigen::VectorXd y = b;
    matrix.solve({y.data(), at(matrix.size())});
    const Eigen::VectorXd exact = all.fullPivLu().solve(b);
    return (y - exact).lpNorm<Eigen::Infinity>() / exact.lpNorm<Eigen::Infinity>();
  }
};

TEST(InterfaceMatrix, sums_and_factorizes_what_is_there) {
  for (const int size : {1, 20, 300}) {
    Sum sum(size, size > 1 ? 3 : 0, 2);
    ASSERT_TRUE(sum.fits);
    EXPECT_EQ(sum.matrix.dense(), size < 300);
    EXPECT_TRUE(sum.matrix.sum(PETSC_COMM_WORLD, false));
    ASSERT_TRUE(sum.matrix.factorize());
    EXPECT_LT(sum.error(), 1e-10) << size;
  }
}

TEST(InterfaceMatrix, is_dense_where_most_entries_are_there) {
  Sum sum(100, 3, 40);
  ASSERT_TRUE(sum.fits);
  EXPECT_TRUE(sum.matrix.dense());
  EXPECT_TRUE(sum.matrix.sum(PETSC_COMM_WORLD, false));
  ASSERT_TRUE(sum.matrix.factorize());
  EXPECT_LT(sum.error(), 1e-10);
}

TEST(InterfaceMatrix, is_too_large_by_its_entries_where_it_is_sparse) {
  EXPECT_TRUE(Sum(300, 3, 2, 100).fits);
  EXPECT_FALSE(Sum(300, 3, 2, 30).fits);
}

TEST(InterfaceMatrix, is_too_large_by_its_unknowns_where_it_is_dense) {
  EXPECT_TRUE(Sum(100, 3, 40, 100).fits);
  EXPECT_FALSE(Sum(100, 3, 40, 99).fits);
}

TEST(InterfaceMatrix, is_singular_where_a_row_is_empty_or_repeated) {
  for (const int size : {20, 300})
    for (const bool empty : {true, false}) {
      int rank = 0;
      MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
      const std::vector<int> touched{size - 2, size - 1};  // both rows are zero, or both the same
      InterfaceMatrix matrix;
      std::vector<InterfaceMatrix::Pair> diagonal;
      for (int i = 0; rank == 0 && i < size - 2; ++i) diagonal.emplace_back(i, i);
      ASSERT_TRUE(matrix.set_structure(PETSC_COMM_WORLD, size, touched, diagonal, 1000));
      matrix.clear();
      for (const PetscInt entry : matrix.of_direct()) matrix.entries()[entry] = 1;
      for (const PetscInt entry : matrix.of_interior()) matrix.entries()[entry] = empty ? 0 : 1;
      EXPECT_TRUE(matrix.sum(PETSC_COMM_WORLD, false));
      EXPECT_FALSE(matrix.factorize()) << size << ' ' << empty;
    }
}

TEST(InterfaceMatrix, knows_that_some_rank_is_weak) {
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  Sum sum(20, 3, 2);
  EXPECT_FALSE(sum.matrix.sum(PETSC_COMM_WORLD, rank == 0));
  sum.matrix.clear();
  EXPECT_TRUE(sum.matrix.sum(PETSC_COMM_WORLD, false));
}

}  // namespace
}  // namespace trammel
