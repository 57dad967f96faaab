#include "solvers/linear/front.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace trammel {
namespace {

Eigen::MatrixXd random_matrix(int n) {
  std::srand(3);
  return Eigen::MatrixXd::Random(n, n) + 3 * Eigen::MatrixXd::Identity(n, n);
}

/// Solves with a matrix through a front and its complement, and compares with Eigen. The rows of the rest may be others than its columns: a
/// solution only needs them to be used in one order.
void expect_solved(const Eigen::MatrixXd& A, int leading, int rest) {
  const auto n = static_cast<int>(A.rows());
  Front front;
  front.start(leading, n - leading) = A;
  ASSERT_TRUE(front.eliminate(false));
  ASSERT_EQ(front.rest(), rest);
  for (int k = 0; k < 2; ++k) {
    const Eigen::VectorXd exact = Eigen::VectorXd::LinSpaced(n, -1, 1 + k);
    Eigen::VectorXd left, x;
    front.forward(A * exact, left);
    ASSERT_EQ(left.size(), rest);
    const Eigen::MatrixXd complement = front.complement();
    if (rest > 0) left = complement.partialPivLu().solve(left).eval();
    front.backward(left, x);
    EXPECT_LT((x - exact).norm(), 1e-10 * exact.norm());
  }
}

TEST(Front, eliminates_its_leading_unknowns) {
  for (const int leading : {0, 1, 7, 10}) expect_solved(random_matrix(10), leading, 10 - leading);
}

TEST(Front, leaves_unknowns_without_a_pivot_to_the_rest) {
  Eigen::MatrixXd A = random_matrix(12);
  // Unknown 2, as a multiplier: coupled to the border alone. Rows 4 and 5 alike within the leading part.
  A.row(2).head(8).setZero();
  A.col(2).head(8).setZero();
  A.row(5).head(8) = A.row(4).head(8);
  expect_solved(A, 8, 12 - 6);
  A.topLeftCorner(8, 8).setZero();  // no pivot at all
  A.bottomLeftCorner(4, 8).leftCols(4).setZero();
  A.topRightCorner(8, 4).topRows(4).setZero();
  A.topLeftCorner(8, 8).diagonal().head(4).setOnes();
  expect_solved(A, 8, 8);
}

TEST(Front, does_not_care_for_units) {
  Eigen::MatrixXd A = random_matrix(9);
  A.row(1) *= 1e12;
  A.col(3) *= 1e-9;
  Front front;
  front.start(6, 3) = A;
  ASSERT_TRUE(front.eliminate(false));
  EXPECT_EQ(front.rest(), 3);
}

TEST(Front, is_singular_where_all_unknowns_must_go) {
  Eigen::MatrixXd A = random_matrix(5);
  A.row(3) = A.row(1);
  Front front;
  front.start(5, 0) = A;
  EXPECT_FALSE(front.eliminate(true));
  front.start(5, 0) = random_matrix(5);
  EXPECT_TRUE(front.eliminate(true));
  front.start(5, 0)(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(front.eliminate(false));
}

}  // namespace
}  // namespace trammel
