#include "solvers/constraints/row_decomposition.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <random>

namespace trammel {

namespace {

class DecomposedRows : public ::testing::Test {
 protected:
  /// A random matrix with some seven numbers in a row.
  Eigen::MatrixXd sparse(int rows, int columns) {
    std::uniform_real_distribution<double> number(-1, 1);
    std::uniform_int_distribution<int> place(0, columns - 1);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(rows, columns);
    for (int i = 0; i < rows; ++i) {
      A(i, i % columns) = 1;
      for (int k = 0; k < 6; ++k) A(i, place(random_)) = number(random_);
    }
    return A;
  }

  static SparseColumns by_column(const Eigen::MatrixXd& A) {
    SparseColumns out;
    out.rows = static_cast<int>(A.rows());
    for (Eigen::Index c = 0; c < A.cols(); ++c) {
      for (Eigen::Index r = 0; r < A.rows(); ++r) {
        if (A(r, c) == 0) continue;
        out.row.push_back(static_cast<int>(r));
        out.value.push_back(A(r, c));
      }
      out.begin.push_back(static_cast<int>(out.row.size()));
    }
    return out;
  }

  /// Least pivot over the largest of QR with column pivoting, of rows that are weighted from 1 down to 0.7.
  static double weakest_of_qr(const Eigen::MatrixXd& A) {
    const Eigen::VectorXd weight = Eigen::VectorXd::LinSpaced(A.rows(), 1, 0.7);
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(Eigen::MatrixXd((weight.asDiagonal() * A).transpose()));
    qr.setThreshold(1e-9);
    return std::abs(qr.matrixR()(qr.rank() - 1, qr.rank() - 1)) / qr.maxPivot();
  }

  static void expect_vanishing(const RowDecomposition& found, const Eigen::MatrixXd& A, double tolerance) {
    const Eigen::MatrixXd null(found.null.matrix());
    EXPECT_LT((null.transpose() * A).cwiseAbs().maxCoeff(), tolerance);
    for (std::size_t j = 0; j < found.dependent.size(); ++j)
      for (std::size_t k = 0; k < found.dependent.size(); ++k)
        EXPECT_EQ(null(found.dependent[j], static_cast<Eigen::Index>(k)), j == k ? -1 : 0);
  }

  std::mt19937 random_{7};
  RowDecomposer decomposer_;
};

}  // namespace

TEST_F(DecomposedRows, that_are_independent_have_the_pivots_of_qr) {
  for (const int rows : {1, 7, 40, 80}) {
    const Eigen::MatrixXd A = sparse(rows, rows + 10);
    const RowDecomposition found = decomposer_.decompose(by_column(A));
    EXPECT_TRUE(found.dependent.empty());
    EXPECT_NEAR(found.weakest / weakest_of_qr(A), 1, 1e-8) << rows << " rows";
  }
}

TEST_F(DecomposedRows, that_depend_on_others_are_found_with_their_combinations) {
  Eigen::MatrixXd A = sparse(60, 80);
  A.row(20) = A.row(3);
  A.row(41) = 0.5 * A.row(7) - 2 * A.row(9);
  A.row(59) = A.row(11) + A.row(12) - A.row(50);
  const RowDecomposition found = decomposer_.decompose(by_column(A));
  EXPECT_EQ(found.dependent.size(), 3U);
  EXPECT_TRUE(std::ranges::find(found.dependent, 20) != found.dependent.end())
      << "of equal rows the later one is redundant";
  expect_vanishing(found, A, 1e-14);
  EXPECT_NEAR(found.weakest / weakest_of_qr(A), 1, 1e-8);
}

TEST_F(DecomposedRows, that_almost_depend_on_others_are_told_from_those_that_do) {
  for (const double apart : {1e-3, 1e-5, 1e-7, 1e-8}) {
    Eigen::MatrixXd A = sparse(30, 40);
    A.row(20) = A.row(3) + A.row(5);
    A(20, 39) += apart;
    const RowDecomposition found = decomposer_.decompose(by_column(A));
    EXPECT_TRUE(found.dependent.empty()) << apart;
    EXPECT_NEAR(found.weakest / weakest_of_qr(A), 1, 1e-6) << apart;
    A(20, 39) += 1e-12 - apart;
    EXPECT_EQ(decomposer_.decompose(by_column(A)).dependent.size(), 1U) << apart;
  }
}

TEST_F(DecomposedRows, of_zeros_are_dependent) {
  Eigen::MatrixXd A = sparse(10, 20);
  A.row(4).setZero();
  const RowDecomposition found = decomposer_.decompose(by_column(A));
  EXPECT_EQ(found.dependent, std::vector<int>{4});
  EXPECT_TRUE(decomposer_.decompose(SparseColumns{}).dependent.empty());
}

TEST_F(DecomposedRows, that_are_many_are_decomposed_as_sparse_ones) {
  constexpr int independent = 300, dependent = 60;
  Eigen::MatrixXd A(independent + dependent, 400);
  A.topRows(independent) = sparse(independent, 400);
  for (int k = 0; k < dependent; ++k)
    A.row(independent + k) = A.row(5 * k) - 0.3 * A.row(5 * k + 7) + 0.8 * A.row(5 * k / 2 + 1);
  A = A(Eigen::VectorXi::LinSpaced(A.rows(), 0, static_cast<int>(A.rows()) - 1).unaryExpr([&](int i) {
        return (i * 7) % static_cast<int>(A.rows());  // dependent rows among the others
      }),
        Eigen::all)
          .eval();
  const RowDecomposition found = decomposer_.decompose(by_column(A));
  EXPECT_EQ(found.dependent.size(), static_cast<std::size_t>(dependent));
  expect_vanishing(found, A, 1e-12);
  EXPECT_LT(*std::ranges::max_element(found.null.value), 3 / 0.7);
  EXPECT_GT(*std::ranges::min_element(found.null.value), -3 / 0.7);
  EXPECT_LT(found.null.value.size(), 30U * dependent) << "combinations are sparse";
}

// Two rows that differ little, and their difference enlarged: whichever two come first, the pivots are those of two that differ much.
TEST_F(DecomposedRows, that_are_many_exchange_what_is_nearly_dependent) {
  constexpr int rows = 150;
  for (const int first : {0, 40, 80, 120}) {
    Eigen::MatrixXd A = sparse(rows, 2 * rows);
    const std::array<int, 3> three{first, (first + 50) % rows, (first + 100) % rows};
    for (std::size_t k = 0; k < 3; ++k) {
      Eigen::MatrixXd B = A;
      const auto a = three[k], b = three[(k + 1) % 3], c = three[(k + 2) % 3];
      B.row(b) = B.row(a) + 1e-5 * B.row(c);
      const RowDecomposition found = decomposer_.decompose(by_column(B));
      ASSERT_EQ(found.dependent.size(), 1U);
      EXPECT_NE(found.dependent[0], c);
      expect_vanishing(found, B, 1e-12);
      EXPECT_GT(found.weakest, 0.01);
    }
  }
}

TEST_F(DecomposedRows, take_no_part_in_what_is_left_of_a_vector) {
  std::normal_distribution<double> number;
  for (const int columns : {1, 5, 40}) {
    const Eigen::MatrixXd N = sparse(columns, 200).transpose();
    const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(200, [&] { return number(random_); });
    Eigen::VectorXd left = x;
    project_out(by_column(N), left);
    EXPECT_LT((N.transpose() * left).norm(), 1e-13 * x.norm()) << columns;
    EXPECT_LT((x - left - N * N.colPivHouseholderQr().solve(x - left)).norm(), 1e-13 * x.norm()) << columns;
  }
}

}  // namespace trammel
