#include "solvers/linear/repeated_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <span>

#include "solvers/linear/elimination_order.hpp"
#include "solvers/linear/petsc_owned.hpp"

namespace trammel {
namespace {

/// A matrix of PETSc with every entry in its structure, zero or not.
class Dense {
 public:
  explicit Dense(int n) : n_(n) {
    TRAMMEL_PETSC(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, n, nullptr, matrix_.fill()));
  }
  Mat set(const Eigen::MatrixXd& A) {
    for (PetscInt i = 0; i < n_; ++i)
      for (PetscInt j = 0; j < n_; ++j)
        TRAMMEL_PETSC(MatSetValue(matrix_.get(), i, j, A(i, j), INSERT_VALUES));
    TRAMMEL_PETSC(MatAssemblyBegin(matrix_.get(), MAT_FINAL_ASSEMBLY));
    TRAMMEL_PETSC(MatAssemblyEnd(matrix_.get(), MAT_FINAL_ASSEMBLY));
    return matrix_.get();
  }

 private:
  int n_;
  OwnedMat matrix_;
};

/// Random entries; about `filled` of those off the diagonal are not zero.
Eigen::MatrixXd random_matrix(int n, double filled, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1), chance(0, 1);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i == j || chance(random) < filled) A(i, j) = number(random) + (i == j ? 3 : 0);
  return A;
}

double worst_error(RepeatedLu& lu, const Eigen::MatrixXd& A) {
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(A.rows(), 1, 2);
  Eigen::VectorXd x(A.rows());
  lu.solve(b.data(), x.data());
  return (x - A.fullPivLu().solve(b)).cwiseAbs().maxCoeff();
}

TEST(RepeatedLu, keeps_the_order_of_pivots_for_other_values) {
  std::mt19937 random(7);
  const Eigen::MatrixXd first = random_matrix(40, 0.1, random);
  Dense matrix(40);
  RepeatedLu lu;
  for (int k = 0; k < 20; ++k) {
    const Eigen::MatrixXd A = first * (1 + 0.1 * k) + 0.05 * k * Eigen::MatrixXd::Identity(40, 40);
    ASSERT_TRUE(lu.factorize(matrix.set(A)));
    EXPECT_LT(worst_error(lu, A), 1e-13);
  }
  EXPECT_EQ(lu.searches(), 1);
  EXPECT_EQ(static_cast<long>(lu.entries()), (first.array() != 0).count());
}

TEST(RepeatedLu, includes_entries_once_they_are_not_zero) {
  std::mt19937 random(11);
  Eigen::MatrixXd A = random_matrix(30, 0.05, random);
  Dense matrix(30);
  RepeatedLu lu;
  for (int k = 0; k < 40; ++k) {  // more often than the structure may grow bit by bit
    ASSERT_TRUE(lu.factorize(matrix.set(A)));
    EXPECT_GE(static_cast<long>(lu.entries()), (A.array() != 0).count());
    EXPECT_LT(worst_error(lu, A), 1e-13);
    A(k % 30, (7 * k + 3) % 30) += 0.3;
  }
}

TEST(RepeatedLu, omits_entries_below_rounding) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(3, 3);
  Dense matrix(3);
  RepeatedLu lu;
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  A(0, 2) = 1e-17;
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  EXPECT_EQ(lu.entries(), 3U);
  A(0, 2) = 1e-13;
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  EXPECT_EQ(lu.entries(), 4U);
}

// An entry is compared with one that was the largest of its row or column before.
TEST(RepeatedLu, compares_entries_with_what_is_largest_now) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(4, 4);
  A(0, 1) = A(2, 3) = 1e4;
  Dense matrix(4);
  RepeatedLu lu;
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  EXPECT_EQ(lu.entries(), 6U);
  A(0, 3) = 5e-13;  // beside 1e4 in row 0 and in column 3
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  EXPECT_EQ(lu.entries(), 6U);
  A(0, 0) = 1e4;
  A(0, 1) = 1;
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  EXPECT_EQ(lu.entries(), 6U);
  A(0, 0) = 1;
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  EXPECT_EQ(lu.entries(), 7U);
  EXPECT_LT(worst_error(lu, A), 1e-12);
}

TEST(RepeatedLu, does_not_round_when_it_scales_columns) {
  constexpr int n = 40;
  std::mt19937 random(5);
  const Eigen::MatrixXd A = random_matrix(n, 0.1, random);
  std::uniform_int_distribution<int> exponent(-60, 60);
  Eigen::MatrixXd scaled = A;
  std::vector<int> exponents(n);
  for (int j = 0; j < n; ++j) {
    exponents[at(j)] = exponent(random);
    scaled.col(j) *= std::ldexp(1.0, exponents[at(j)]);
  }
  Dense matrix(n), other(n);
  RepeatedLu lu, of_scaled;
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  ASSERT_TRUE(of_scaled.factorize(other.set(scaled)));
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, 1, 2);
  Eigen::VectorXd x(n), y(n);
  lu.solve(b.data(), x.data());
  of_scaled.solve(b.data(), y.data());
  for (int j = 0; j < n; ++j) {
    EXPECT_EQ(y[j], std::ldexp(x[j], -exponents[at(j)])) << j;
    const double largest = of_scaled.scale(j) * scaled.col(j).cwiseAbs().maxCoeff();
    EXPECT_GE(largest, 1);
    EXPECT_LT(largest, 2);
  }
}

// Masses and a constraint whose direction turns by a quarter: the pivot of the first factorization vanishes.
TEST(RepeatedLu, chooses_new_pivots_where_a_kept_one_vanishes) {
  Dense matrix(3);
  RepeatedLu lu;
  for (int k = 0; k <= 18; ++k) {
    const double angle = k * 5 * std::acos(-1.0) / 180;
    Eigen::Matrix3d A;
    A << 1e-9, 0, std::cos(angle), 0, 1e-9, std::sin(angle), std::cos(angle), std::sin(angle), 0;
    ASSERT_TRUE(lu.factorize(matrix.set(A)));
    const Eigen::Vector3d x_true(0.3, -0.7, 2), b = A * x_true;
    Eigen::Vector3d x;
    lu.solve(b.data(), x.data());
    EXPECT_LT((A * x - b).norm(), 1e-15 * 10 * b.norm());
  }
  EXPECT_GT(lu.searches(), 1);
}

TEST(RepeatedLu, counts_the_operations_of_a_factorization_and_of_a_solve) {
  constexpr int n = 6;
  std::mt19937 random(3);
  Dense matrix(n);
  RepeatedLu lu;
  EXPECT_EQ(lu.work().factorization, 0);
  ASSERT_TRUE(lu.factorize(matrix.set(random_matrix(n, 1, random))));
  // Column k: a multiplication and an addition below each pivot before, and a division for each number below its own.
  double expected = 0;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < k; ++j) expected += 2 * (n - 1 - j);
    expected += n - 1 - k;
  }
  EXPECT_EQ(lu.work().unknowns, n);
  EXPECT_EQ(lu.work().factorization, expected);
  EXPECT_EQ(lu.work().solve, 2 * n * (n + 1));  // L and U have diagonals each
}

TEST(RepeatedLu, solves_for_two_as_for_each) {
  constexpr int n = 30;
  std::mt19937 random(6);
  std::uniform_real_distribution<double> number(-1, 1);
  // Columns of eight entries and more, and of fewer; then two blocks, which KLU solves.
  for (const bool blocks : {false, true}) {
    Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return number(random); });
    A.diagonal().array() += 8;
    if (blocks) A.topRightCorner(n / 2, n / 2).setZero();
    Dense matrix(n);
    RepeatedLu lu(!blocks);
    ASSERT_TRUE(lu.factorize(matrix.set(A)));
    const Eigen::VectorXd a = Eigen::VectorXd::LinSpaced(n, -1, 1), b = a.array().sin();
    Eigen::VectorXd of_a(n), of_b(n), x(n), y(n);
    lu.solve(a.data(), of_a.data());
    lu.solve(b.data(), of_b.data());
    lu.solve(std::array{a.data(), b.data()}, std::array{x.data(), y.data()});
    EXPECT_EQ(x, of_a);
    EXPECT_EQ(y, of_b);
    EXPECT_LT((A * x - a).norm(), 1e-13);
  }
}

TEST(RepeatedLu, stores_short_columns_in_the_order_in_which_a_solve_reads_them) {
  constexpr int n = 60;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(0.5, 1);
  Dense matrix(n);
  RepeatedLu lu(true);
  for (int values = 0; values < 3; ++values) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      A(i, i) = 3 * number(random);
      if (i > 0) A(i, i - 1) = number(random);
      if (i > 0) A(i - 1, i) = number(random);
    }
    ASSERT_TRUE(lu.factorize(matrix.set(A)));
    EXPECT_LT(worst_error(lu, A), 1e-13);
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, -1, 1);
    Eigen::VectorXd x(n);
    lu.solve_transposed(b.data(), x.data());
    EXPECT_LT((A.transpose() * x - b).cwiseAbs().maxCoeff(), 1e-13);
  }
  EXPECT_EQ(lu.searches(), 1);
  const klu_numeric& factors = lu.numeric();
  for (int k = 1; k < n; ++k) {
    EXPECT_GE(factors.Uip[k], factors.Uip[k - 1]);
    EXPECT_LE(factors.Lip[k], factors.Lip[k - 1]);
  }
  EXPECT_GE(factors.Lip[n - 1], factors.Uip[n - 1]);
}

TEST(RepeatedLu, shares_its_workspace_with_others) {
  std::mt19937 random(3);
  const Eigen::MatrixXd small = random_matrix(20, 0.2, random), large = random_matrix(60, 0.1, random);
  Dense few(20), many(60);
  RepeatedLu a;
  auto b = std::make_unique<RepeatedLu>();
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(a.factorize(few.set(small * (1 + k))));
    ASSERT_TRUE(b->factorize(many.set(large * (1 + k))));
    EXPECT_LT(worst_error(a, small * (1 + k)), 1e-13);
    EXPECT_LT(worst_error(*b, large * (1 + k)), 1e-13);
  }
  b.reset();
  EXPECT_LT(worst_error(a, small * 3), 1e-13);
}

TEST(RepeatedLu, solves_saddle_points) {
  std::mt19937 random(5);
  const Eigen::MatrixXd M = random_matrix(20, 0.1, random), B = random_matrix(20, 0.2, random).topRows(8);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(28, 28);
  A.topLeftCorner(20, 20) = M + M.transpose();
  A.bottomLeftCorner(8, 20) = B;
  A.topRightCorner(20, 8) = B.transpose();
  Dense matrix(28);
  RepeatedLu lu;
  for (int k = 0; k < 5; ++k) {
    A.bottomLeftCorner(8, 20) = B * (1 + 0.2 * k);
    ASSERT_TRUE(lu.factorize(matrix.set(A)));
    EXPECT_LT(worst_error(lu, A), 1e-11);
  }
}

/// A grid of n x n nodes with six unknowns each that are coupled to those of the neighbours, and a constraint on each node of
/// the first row, with zeros on the diagonal.
Eigen::MatrixXd grid_matrix(int n, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  const int nodes = n * n, size = 6 * nodes + n;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size);
  const auto couple = [&](int i, int j) {
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 6; ++b) A(6 * i + a, 6 * j + b) = number(random) + (i == j && a == b ? 12 : 0);
  };
  for (int i = 0; i < nodes; ++i) {
    couple(i, i);
    for (const int j : {i + n, (i + 1) % n == 0 ? nodes : i + 1})
      if (j < nodes) {
        couple(i, j);
        couple(j, i);
      }
  }
  for (int k = 0; k < n; ++k)
    for (int a = 0; a < 6; ++a)
      A(6 * nodes + k, 6 * k + a) = A(6 * k + a, 6 * nodes + k) = number(random) + (a == 0 ? 2 : 0);
  return A;
}

TEST(RepeatedLu, tries_one_order_where_a_grid_fills_in) {
  std::mt19937 random(13);
  Eigen::MatrixXd A = grid_matrix(12, random);
  const Eigen::VectorXd x_true = Eigen::VectorXd::LinSpaced(A.rows(), 1, 2);
  Dense matrix(static_cast<int>(A.rows()));
  RepeatedLu lu;
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(lu.factorize(matrix.set(A)));
    const Eigen::VectorXd b = A * x_true;
    Eigen::VectorXd x(A.rows());
    lu.solve(b.data(), x.data());
    EXPECT_LT((x - x_true).cwiseAbs().maxCoeff(), 1e-11);
    A *= 1.5;
  }
  EXPECT_EQ(lu.tried(), 1);
}

// Zeros all along the diagonal: AMD's own pivots cannot be used, and its factors fill in beyond what it expects.
TEST(RepeatedLu, tries_other_orders_where_pivots_leave_the_diagonal) {
  constexpr int n = 600;
  std::mt19937 random(17);
  std::uniform_real_distribution<double> number(0.1, 1);
  std::vector<int> row(n);
  std::iota(row.begin(), row.end(), 0);
  std::shuffle(row.begin(), row.end(), random);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  for (int i = 0; i < n; ++i)
    for (const int j : {i, i + 1, i + 7}) {
      if (j >= n) continue;
      const double value = number(random) + (j == i ? 2 : 0);
      A(row[static_cast<std::size_t>(i)], n + j) = A(n + j, row[static_cast<std::size_t>(i)]) = value;
    }
  const Eigen::VectorXd x_true = Eigen::VectorXd::LinSpaced(A.rows(), 1, 2), b = A * x_true;
  Dense matrix(2 * n);
  RepeatedLu lu;
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  Eigen::VectorXd x(A.rows());
  lu.solve(b.data(), x.data());
  EXPECT_LT((x - x_true).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_GT(lu.tried(), 1);
  EXPECT_LT(lu.numeric().lnz + lu.numeric().unz, 20 * static_cast<int>(lu.entries()));
}

TEST(RepeatedLu, reports_where_a_matrix_is_singular_and_continues_afterwards) {
  std::mt19937 random(3);
  const Eigen::MatrixXd A = random_matrix(10, 0.3, random);
  Dense matrix(10);
  RepeatedLu lu;
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  Eigen::MatrixXd singular = A;
  singular.row(4).setZero();
  EXPECT_FALSE(lu.factorize(matrix.set(singular)));
  ASSERT_TRUE(lu.factorize(matrix.set(A)));
  EXPECT_LT(worst_error(lu, A), 1e-13);
}

/// Of the five-point stencil on a grid of `width` x `height`, by compressed rows.
struct Grid {
  Grid(int width, int height) {
    for (int i = 0; i < width * height; ++i) {
      const int x = i % width, y = i / width;
      const auto add = [&](bool there, int j, double number) {
        if (!there) return;
        column.push_back(j);
        value.push_back(number);
      };
      add(y > 0, i - width, -1);
      add(x > 0, i - 1, -1);
      add(true, i, 4.1);
      add(x + 1 < width, i + 1, -1);
      add(y + 1 < height, i + width, -1);
      begin.push_back(static_cast<PetscInt>(column.size()));
    }
  }
  RepeatedLu::Rows rows() const {
    return {static_cast<PetscInt>(begin.size()) - 1, begin.data(), column.data(), value.data()};
  }
  double error(RepeatedLu& lu) const {
    const std::size_t n = begin.size() - 1;
    std::vector<double> b(n), x(n);
    for (std::size_t i = 0; i < n; ++i)
      for (PetscInt p = begin[i]; p < begin[i + 1]; ++p)
        b[i] += value[static_cast<std::size_t>(p)] *
                (1.0 + static_cast<double>(column[static_cast<std::size_t>(p)]));
    lu.solve(b.data(), x.data());
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i)
      worst = std::max(worst, std::abs(x[i] / static_cast<double>(i + 1) - 1));
    return worst;
  }
  std::vector<PetscInt> begin{0}, column;
  std::vector<double> value;
};

using Border = std::vector<std::vector<int>>;

/// Entries of L, and of what the border has besides, with the unknowns of a grid eliminated in an order.
std::size_t fill(const Grid& grid, const Border& border, std::span<const int> order) {
  const std::size_t n = grid.begin.size() - 1;
  std::vector<std::size_t> place(n);
  for (std::size_t k = 0; k < n; ++k) place[static_cast<std::size_t>(order[k])] = k;
  std::vector<std::set<std::size_t>> below(n);
  for (std::size_t i = 0; i < n; ++i)
    for (PetscInt p = grid.begin[i]; p < grid.begin[i + 1]; ++p) {
      const auto j = static_cast<std::size_t>(grid.column[static_cast<std::size_t>(p)]);
      below[std::min(place[i], place[j])].insert(std::max(place[i], place[j]));
    }
  for (std::size_t g = 0; g < border.size(); ++g)
    for (const int i : border[g]) below[place[static_cast<std::size_t>(i)]].insert(n + g);
  std::size_t entries = 0;
  for (std::size_t k = 0; k < n; ++k) {
    entries += below[k].size();
    below[k].erase(k);
    if (const auto first = below[k].begin(); first != below[k].end() && *first < n)
      below[*first].insert(first, below[k].end());
  }
  return entries;
}

TEST(RepeatedLu, fills_in_less_with_a_border_that_it_knows) {
  constexpr int width = 30;
  const Grid grid(width, width);
  Border border;  // on all sides
  for (int i = 0; i < width; ++i)
    for (const int outermost : {i, width * (width - 1) + i, width * i, width * i + width - 1})
      border.push_back({outermost});
  RepeatedLu as_it_comes(true), lu(true);
  ASSERT_TRUE(as_it_comes.factorize(grid.rows(), true));
  lu.set_border(border);
  ASSERT_TRUE(lu.factorize(grid.rows(), true));
  EXPECT_LT(grid.error(lu), 1e-13);
  const std::size_t without = fill(grid, border, as_it_comes.rows_of_pivots());
  const std::size_t with = fill(grid, border, lu.rows_of_pivots());
  EXPECT_LT(with, 0.9 * static_cast<double>(without));
}

TEST(RepeatedLu, knows_the_cost_of_an_order_with_a_border) {
  const Grid part(12, 40);
  const std::vector<int> begin(part.begin.begin(), part.begin.end()),
      column(part.column.begin(), part.column.end());
  const Border border{{0, 1, 2}, {4, 5}, {479}};
  const EliminationOrder order = elimination_order(480, begin.data(), column.data(), border);
  ASSERT_EQ(order.unknowns.size(), 480U);
  EXPECT_EQ(order.entries, static_cast<double>(fill(part, {}, order.unknowns)));
  RepeatedLu lu(true);
  lu.set_border(border);
  ASSERT_TRUE(lu.factorize(part.rows(), true));
  EXPECT_EQ(lu.numeric().lnz, order.entries);
  EXPECT_EQ(lu.symbolic().est_flops, order.operations);
  EXPECT_EQ(lu.tried(), 1);
}

}  // namespace
}  // namespace trammel
