#include "solvers/linear/shared_front.hpp"

#include <gtest/gtest.h>

#include <petscsys.h>
#include <limits>

#include "solvers/linear/front.hpp"
#include "trammel/index.hpp"

namespace trammel {
namespace {

/// A matrix whose columns lie on all ranks; the last one leads.
struct Shared {
  int rank = 0, ranks = 1;
  SharedFront front;
  std::vector<int> mine;  ///< numbers of columns

  Shared(const Eigen::MatrixXd& A, int eliminated, int delayed, int border) {
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    ColumnOwners owners{{}, eliminated, border};
    for (int r = ranks - 1; r >= 0; --r) owners.ranks.push_back(r);
    front.set_structure(owners, rank, 101);
    front.start(delayed);
    for (int c = 0; c < A.cols(); ++c) {
      const bool is_delayed = c >= eliminated && c < eliminated + delayed;
      const int place = is_delayed ? 0 : owners.of(c < eliminated ? c : c - delayed);
      if (owners.ranks[at(place)] != rank) continue;
      mine.push_back(c);
      Eigen::Map<Eigen::VectorXd>(front.column(c), A.rows()) = A.col(c);
    }
  }
  bool leads() const { return rank == ranks - 1; }
  bool eliminate() { return front.eliminate(PETSC_COMM_WORLD, Front::fine); }
};

Eigen::MatrixXd random_matrix(int n) {
  std::srand(7);
  return Eigen::MatrixXd::Random(n, n) + 3 * Eigen::MatrixXd::Identity(n, n);
}

// Blocks end within E, among the delayed, and within the border; rows and columns have units.
TEST(SharedFront, eliminates_and_solves) {
  struct Sizes {
    int eliminated, delayed, border;
  };
  for (const Sizes& sizes : {Sizes{150, 0, 90}, Sizes{64, 5, 33}, Sizes{20, 40, 1}, Sizes{100, 0, 0}}) {
    const int leading = sizes.eliminated + sizes.delayed, n = leading + sizes.border;
    Eigen::MatrixXd A = random_matrix(n);
    A.row(3) *= 1e9;
    A.col(7) *= 1e-7;
    Shared shared(A, sizes.eliminated, sizes.delayed, sizes.border);
    ASSERT_TRUE(shared.eliminate());
    Front alone;
    alone.start(leading, sizes.border) = A;
    ASSERT_TRUE(alone.eliminate(false));
    const Eigen::MatrixXd S = alone.complement();
    for (const int c : shared.mine) {
      if (c < leading) continue;
      const Eigen::Map<const Eigen::VectorXd> left(shared.front.left_column(c - leading), sizes.border);
      EXPECT_LT((left - S.col(c - leading)).norm(), 1e-10 * S.norm());
    }
    const Eigen::VectorXd exact = Eigen::VectorXd::LinSpaced(n, -1, 2), b = A * exact;
    Eigen::VectorXd rest, rest_alone, x;
    if (shared.leads()) {
      shared.front.forward(PETSC_COMM_WORLD, b, rest);
      alone.forward(b, rest_alone);
      ASSERT_EQ(rest.size(), sizes.border);
      EXPECT_LE((rest - rest_alone).norm(), 1e-10 * rest_alone.norm());
    }
    if (shared.front.finishes()) {
      shared.front.backward(PETSC_COMM_WORLD, exact.tail(sizes.border), x);
      EXPECT_LT((x - exact).norm(), 1e-7 * exact.norm());
    }
    shared.front.wait_until_sent();
  }
}

TEST(SharedFront, gives_the_leader_back_what_it_cannot_eliminate) {
  const int n = 120, leading = 80;
  for (const int kind : {0, 1, 2, 3}) {
    Eigen::MatrixXd A = random_matrix(n);
    if (kind == 0) A.col(70).head(leading).setZero();
    if (kind == 1) A.row(45).head(leading) = A.row(44).head(leading);
    if (kind == 2) A.row(45).head(leading) = A.row(44).head(leading) * (1 + 1e-12);
    if (kind == 2) A(45, 3) += 1e-12;
    if (kind == 3) A(60, 60) = std::numeric_limits<double>::quiet_NaN();
    Shared shared(A, leading, 0, n - leading);
    EXPECT_FALSE(shared.eliminate()) << kind;
    Eigen::MatrixXd same = Eigen::MatrixXd::Zero(n, n);
    shared.front.gather(PETSC_COMM_WORLD, same);
    if (kind == 3) A(60, 60) = same(60, 60) = 0;
    if (shared.leads()) {
      EXPECT_EQ(same, A) << kind;
    }
  }
  Shared regular(random_matrix(n), leading, 0, n - leading);
  EXPECT_TRUE(regular.eliminate());
}

}  // namespace
}  // namespace trammel
