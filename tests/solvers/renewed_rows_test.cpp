#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/SparseLU>
#include <algorithm>
#include <random>
#include <vector>

#include "solvers/linear/repeated_lu.hpp"

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
      if (lu.renewed_columns() < 300) ++renewals;
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
    EXPECT_EQ(lu.renewed_columns(), n);
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

// With the border at one end and the row at the other, an order with the row last takes twice the operations.
TEST(RenewedRows, seldom_ask_for_an_order_that_costs_too_much) {
  constexpr int n = 2000, row = n - 1;
  Sparse A = path(n);
  for (double& number : A.value)
    if (number > 0) number = 2.0;
  RepeatedLu lu(true);
  lu.set_border({{0}});
  ASSERT_TRUE(lu.factorize(A.rows(), true));
  for (int k = 0; k < 400; ++k) {
    A.value[at(A.begin[row]) + 1] = 2.0 + 0.1 * (k % 7);
    lu.expect_changes({row});
    ASSERT_TRUE(lu.factorize(A.rows(), false));
  }
  EXPECT_LT(A.error(lu), 1e-10);
  EXPECT_GE(lu.searches(), 2);
  EXPECT_LE(lu.searches(), 6);
}

TEST(RenewedRows, take_a_whole_factorization_where_an_entry_or_a_pivot_is_new) {
  Sparse A = path(500);
  A.value[at(A.begin[200])] = 0;  // does not count yet
  RepeatedLu lu(true);
  ASSERT_TRUE(lu.factorize(A.rows(), true));
  A.value[at(A.begin[200])] = -1;
  lu.expect_changes({200});
  ASSERT_TRUE(lu.factorize(A.rows(), false));
  EXPECT_EQ(lu.renewed_columns(), 500);
  EXPECT_LT(A.error(lu), 1e-13);

  A.value[at(A.begin[300]) + 1] = 1e-9;  // the diagonal of a row
  lu.expect_changes({300});
  ASSERT_TRUE(lu.factorize(A.rows(), false));
  EXPECT_LT(A.error(lu), 1e-7);

  A.value[at(A.begin[100]) + 1] = 1e9;
  lu.expect_changes({100});
  ASSERT_TRUE(lu.factorize(A.rows(), false));
  EXPECT_EQ(lu.renewed_columns(), 500);
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
  EXPECT_EQ(lu.renewed_columns(), 400);
  EXPECT_LT(A.error(lu), 1e-13);
}

TEST(RenewedRows, are_not_those_of_unknowns_that_are_omitted) {
  constexpr int n = 500;
  std::mt19937 random(13);
  Sparse A = path(n);
  // Every fifth is omitted, and so the others are groups of four.
  std::vector<PetscInt> number;
  for (int i = 0, kept = 0; i < n; ++i) number.push_back(i % 5 == 0 ? -1 : kept++);
  RepeatedLu lu(true), whole(true);
  for (RepeatedLu* its : {&lu, &whole}) its->omit(number);
  ASSERT_TRUE(lu.factorize(A.rows(), true));
  EXPECT_EQ(lu.renewed_columns(), 400);
  for (const auto& [rows, most] :
       std::vector<std::pair<std::vector<int>, int>>{{{100}, 0}, {{100, 322}, 4}, {{}, 0}}) {
    for (const int row : rows) A.change(row, random);
    lu.expect_changes(rows);
    ASSERT_TRUE(lu.factorize(A.rows(), false));
    EXPECT_LE(lu.renewed_columns(), most);
    EXPECT_EQ(lu.renewed_columns() > 0, most > 0);
    ASSERT_TRUE(whole.factorize(A.rows(), true));
    const std::vector<double> b(400, 1.0);
    std::vector<double> x(400), exact(400);
    lu.solve(b.data(), x.data());
    whole.solve(b.data(), exact.data());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], exact[i], 1e-13);
  }
}

}  // namespace
}  // namespace trammel::testing
