#include "solvers/linear/substructuring.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "solvers/linear/linear_solver.hpp"
#include "test_models.hpp"

namespace trammel {
namespace {

/// A matrix that every rank knows, its rows in equal parts over the ranks, and a solver for it.
class Solved {
 public:
  explicit Solved(const Eigen::MatrixXd& A, const char* prefix = "test_")
      : n_(static_cast<PetscInt>(A.rows())) {
    TRAMMEL_PETSC(MatCreate(PETSC_COMM_WORLD, A_.fill()));
    TRAMMEL_PETSC(MatSetSizes(A_.get(), PETSC_DECIDE, PETSC_DECIDE, n_, n_));
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks_);
    TRAMMEL_PETSC(MatSetType(A_.get(), ranks_ == 1 ? MATSEQAIJ : MATMPIAIJ));
    TRAMMEL_PETSC(MatSetUp(A_.get()));
    TRAMMEL_PETSC(MatSetOption(A_.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    TRAMMEL_PETSC(KSPCreate(PETSC_COMM_WORLD, ksp_.fill()));
    TRAMMEL_PETSC(KSPSetOptionsPrefix(ksp_.get(), prefix));
    set_default_solver(ksp_.get(), ranks_, &counts);
    TRAMMEL_PETSC(KSPSetFromOptions(ksp_.get()));
    set(A);
  }
  void set(const Eigen::MatrixXd& A) {
    PetscInt first = 0, last = 0;
    TRAMMEL_PETSC(MatZeroEntries(A_.get()));
    TRAMMEL_PETSC(MatGetOwnershipRange(A_.get(), &first, &last));
    for (PetscInt i = first; i < last; ++i)
      for (PetscInt j = 0; j < n_; ++j)
        if (A(i, j) != 0) TRAMMEL_PETSC(MatSetValue(A_.get(), i, j, A(i, j), INSERT_VALUES));
    TRAMMEL_PETSC(MatAssemblyBegin(A_.get(), MAT_FINAL_ASSEMBLY));
    TRAMMEL_PETSC(MatAssemblyEnd(A_.get(), MAT_FINAL_ASSEMBLY));
    dense_ = A;
  }
  bool factorize() {
    TRAMMEL_PETSC(KSPSetOperators(ksp_.get(), A_.get(), A_.get()));
    bool broken = false;
    return trammel::factorize(ksp_.get(), broken);
  }
  /// When the solution begins with begin_solution: never, for its right side, or for another that the same vector held before.
  enum class Begun { no, yes, for_another };
  /// Largest error of the solution for a right side of numbers from 1 to 2, over all ranks.
  double error(Begun begun = Begun::no) {
    OwnedVec b, x;
    TRAMMEL_PETSC(MatCreateVecs(A_.get(), x.fill(), b.fill()));
    const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(n_, 1, 2),
                          exact = dense_.fullPivLu().solve(right);
    PetscInt first = 0, last = 0;
    TRAMMEL_PETSC(VecGetOwnershipRange(b.get(), &first, &last));
    for (PetscInt i = first; i < last; ++i) TRAMMEL_PETSC(VecSetValue(b.get(), i, right[i], INSERT_VALUES));
    TRAMMEL_PETSC(VecAssemblyBegin(b.get()));
    TRAMMEL_PETSC(VecAssemblyEnd(b.get()));
    if (begun == Begun::for_another) TRAMMEL_PETSC(VecScale(b.get(), 0.5));
    if (begun != Begun::no) {
      testing::Chain any(1);  // whoever agrees
      RankTotals totals;
      begin_solution(ksp_.get(), b.get(), totals);
      EXPECT_TRUE(totals.agree(*any.assembler));
    }
    if (begun == Begun::for_another) TRAMMEL_PETSC(VecScale(b.get(), 2));
    TRAMMEL_PETSC(KSPSolve(ksp_.get(), b.get(), x.get()));
    const PetscScalar* values = nullptr;
    double worst = 0;
    TRAMMEL_PETSC(VecGetArrayRead(x.get(), &values));
    for (PetscInt i = first; i < last; ++i) {
      const double error = std::abs(values[i - first] - exact[i]);
      worst = std::isfinite(error) ? std::max(worst, error) : HUGE_VAL;
    }
    TRAMMEL_PETSC(VecRestoreArrayRead(x.get(), &values));
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    return worst / exact.cwiseAbs().maxCoeff();
  }
  int ranks() const { return ranks_; }
  /// Tells the solver that `set` changes no other row.
  void expect_change(int row) {
    PetscInt first = 0, last = 0;
    TRAMMEL_PETSC(MatGetOwnershipRange(A_.get(), &first, &last));
    std::vector<int> rows;
    if (row >= first && row < last) rows.push_back(row - static_cast<int>(first));
    expect_changes(ksp_.get(), rows);
  }
  double renewed_part() { return trammel::renewed_part(ksp_.get()); }

  SubstructuringCounts counts;

 private:
  PetscInt n_;
  int ranks_ = 1;
  Eigen::MatrixXd dense_;
  OwnedMat A_;
  OwnedKSP ksp_;
};

/// Pairs of masses in a row, each joined to the next by a multiplier: l, m, m, l, m, m, ... The first multiplier holds the first mass, and a
/// spring is between the masses of a pair.
Eigen::MatrixXd chain(int pairs, std::mt19937& random) {
  std::uniform_real_distribution<double> number(0.9, 1.1);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * pairs, 3 * pairs);
  for (int k = 0; k < pairs; ++k) {
    const int l = 3 * k;
    A(l + 1, l + 1) = 2 * number(random);
    A(l + 2, l + 2) = 2 * number(random);
    A(l + 1, l + 2) = A(l + 2, l + 1) = -0.5;
    A(l, l + 1) = A(l + 1, l) = number(random);
    if (k > 0) A(l, l - 1) = A(l - 1, l) = -number(random);
  }
  return A;
}

TEST(Substructuring, separates_a_chain_at_one_unknown_between_two_ranks) {
  std::mt19937 random(1);
  Solved solved(chain(40, random));
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(solved.factorize());
    EXPECT_LT(solved.error(), 1e-12);
    solved.set(chain(40, random));
  }
  EXPECT_EQ(solved.counts.interface, solved.ranks() - 1);
  EXPECT_EQ(solved.counts.promotions, 0);
  EXPECT_EQ(solved.counts.fallbacks, 0);
  EXPECT_EQ(solved.counts.factorizations, solved.ranks() > 1 ? 5 : 0);
  EXPECT_EQ(solved.counts.analyses, solved.ranks() > 1 ? 1 : 0);
}

TEST(Substructuring, renews_what_depends_on_a_row_that_has_changed) {
  std::mt19937 random(7);
  Eigen::MatrixXd A = chain(100, random);
  Solved solved(A);
  ASSERT_TRUE(solved.factorize());
  EXPECT_LT(solved.error(), 1e-12);
  EXPECT_EQ(solved.renewed_part(), 1);
  int in_part = 0;
  for (int row = 1; row < 300; row += 7) {
    A.row(row) *= 1.2;
    solved.set(A);
    solved.expect_change(row);
    ASSERT_TRUE(solved.factorize());
    if (solved.renewed_part() < 1) ++in_part;
    // Changes of factors by less than 1e-8 are not followed.
    EXPECT_LT(solved.error(), 1e-8) << "row " << row;
  }
  EXPECT_GT(in_part, solved.ranks() > 1 ? 20 : -1);
  EXPECT_EQ(solved.counts.fallbacks, 0);
  EXPECT_EQ(solved.counts.analyses, solved.ranks() > 1 ? 1 : 0);
}

TEST(Substructuring, factorizes_all_after_mumps_although_few_rows_have_changed) {
  std::mt19937 random(8);
  const Eigen::MatrixXd regular = chain(30, random);
  Eigen::MatrixXd A = regular;
  Solved solved(A);
  ASSERT_TRUE(solved.factorize());
  A.row(40).setZero();
  solved.set(A);
  EXPECT_FALSE(solved.factorize());
  A = chain(30, random);
  A.row(40) = regular.row(40);
  solved.set(A);
  solved.expect_change(40);
  ASSERT_TRUE(solved.factorize());
  EXPECT_LT(solved.error(), 1e-11);
}

TEST(Substructuring, goes_on_with_a_solution_that_was_begun) {
  std::mt19937 random(3);
  Solved solved(chain(40, random));
  ASSERT_TRUE(solved.factorize());
  solved.error();  // the first solution may be refined
  const double error = solved.error();
  EXPECT_LT(error, 1e-12);
  EXPECT_EQ(solved.error(Solved::Begun::yes), error);
  EXPECT_EQ(solved.error(Solved::Begun::for_another), error);
  solved.set(chain(40, random));
  ASSERT_TRUE(solved.factorize());
  EXPECT_LT(solved.error(Solved::Begun::yes), 1e-12);
}

TEST(Substructuring, solves_matrices_that_are_not_symmetric) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(-1, 1);
  const int n = 60;
  for (int k = 0; k < 4; ++k) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      A(i, i) = 2 + number(random);
      for (int j = std::max(0, i - 3); j < i; ++j) A(i, j) = number(random);
      if (i + 2 < n) A(i, i + 2) = number(random);
      A(i, (7 * i) % n) += 0.1 * number(random);  // a few couplings from afar
    }
    Solved solved(A);
    ASSERT_TRUE(solved.factorize());
    EXPECT_LT(solved.error(), 1e-11);
    EXPECT_EQ(solved.counts.fallbacks, 0);
  }
}

/// Bodies in a row, each with two multipliers, a position and a rotation: l, m, p, r, l, m, p, r, ... l joins it to the one before, by
/// positions and rotations, and m joins their rotations. The last body has in place of its position a multiplier that holds its
/// rotation.
Eigen::MatrixXd hinged(int bodies) {
  const int n = 4 * bodies;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  const auto couple = [&](int i, int j, double number) { A(i, j) = A(j, i) = number; };
  for (int k = 0; k < bodies; ++k) {
    const int l = 4 * k, m = l + 1, p = l + 2, r = l + 3;
    const bool last = k + 1 == bodies;
    A(r, r) = 1 + 0.1 * (k % 3);
    if (last)
      couple(p, r, 1);
    else
      A(p, p) = 2;
    couple(l, last ? r : p, 1);
    if (!last) couple(l, r, 0.25);
    couple(m, r, 1);
    if (k == 0) {  // bodies without one before
      A(l, l) = A(m, m) = -1;
      continue;
    }
    couple(l, p - 4, -1);
    couple(l, r - 4, -0.5);
    couple(m, r - 4, -1);
    couple(r, r - 4, 0.1);
  }
  return A;
}

// A joint is cut at l and at a rotation. With m in its interior, the bodies between that rotation and the end would be held by one multiplier too many.
TEST(Substructuring, cuts_a_joint_at_all_of_its_multipliers) {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  Solved solved(hinged(6 * ranks));
  ASSERT_TRUE(solved.factorize());
  EXPECT_LT(solved.error(), 1e-10);  // its condition number is 8e5 on 8 ranks
  EXPECT_EQ(solved.counts.interface, 3 * (ranks - 1));
  EXPECT_EQ(solved.counts.promotions, 0);
  EXPECT_EQ(solved.counts.fallbacks, 0);
}

// A mass at the border carries three multipliers of the rank before, whose bodies are massless there: once the mass lies on the interface, or
// the multipliers do, the rest of that interior has no pivot.
TEST(Substructuring, moves_unknowns_of_a_singular_interior_to_the_interface) {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  const int part = 12, n = part * ranks;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) A(i, i) = 1 + 0.1 * (i % 5);
  for (int r = 0; r + 1 < ranks; ++r) {
    // Rows 8 to 11 of one rank: multipliers of coordinates 0 to 3 of the next; beside them one that only a multiplier holds.
    for (int k = 0; k < 4; ++k) {
      const int multiplier = part * r + 8 + k;
      A(multiplier, multiplier) = 0;
      for (int j = 0; j < 4; ++j)
        A(multiplier, part * (r + 1) + j) = A(part * (r + 1) + j, multiplier) = k == j ? 1 : 0.1 * (k + j);
    }
    const int massless = part * r + 7;
    A(massless, massless) = 0;
    A(massless, massless + 1) = A(massless + 1, massless) = 1;
    A(massless, part * r + 6) = A(part * r + 6, massless) = 0;
  }
  Solved solved(A);
  ASSERT_TRUE(solved.factorize());
  EXPECT_LT(solved.error(), 1e-12);
  EXPECT_EQ(solved.counts.fallbacks, 0);
  EXPECT_EQ(solved.counts.promotions > 0, ranks > 1);
}

// A nearly massless unknown that is not promoted: it loses nine digits, which the equation at the border shows.
TEST(Substructuring, refines_what_a_weak_interior_leaves) {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  const int part = 4, n = part * ranks;
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n);
  for (int r = 0; r + 1 < ranks; ++r) {
    const int weak = part * r + 3, next = part * (r + 1);
    A(weak, weak) = 1e-9;
    A(weak, next) = A(next, weak) = 1;
    A(weak - 1, next) = A(next, weak - 1) = 0.5;  // so that `next` is the interface
  }
  Solved solved(A);
  ASSERT_TRUE(solved.factorize());
  EXPECT_LT(solved.error(), 1e-12);
  EXPECT_EQ(solved.counts.promotions, 0);
  EXPECT_EQ(solved.counts.fallbacks, 0);
  EXPECT_EQ(solved.counts.refinements, ranks > 1 ? 1 : 0);
}

/// Of each rank but the last, four directions of its twelve unknowns have nearly no stiffness, of about `small`, but for their coupling to the next rank.
Eigen::MatrixXd soft_parts(double small, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  constexpr int part = 12, soft = 4;
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  const auto any = [&](int rows, int columns) -> Eigen::MatrixXd {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return number(random); });
  };
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(part * ranks, part * ranks);
  for (int r = 0; r < ranks; ++r) {
    const Eigen::MatrixXd Q = any(part, part).householderQr().householderQ();
    Eigen::VectorXd sizes = 1.5 * Eigen::VectorXd::Ones(part) + any(part, 1);
    const int at = part * r, next = at + part;
    if (r + 1 < ranks) {
      sizes.head(soft) = small * Eigen::VectorXd::LinSpaced(soft, 1, soft);
      A.block(at, next, part, soft + 1) = any(part, soft + 1);
      A.block(next, at, soft + 1, part) = A.block(at, next, part, soft + 1).transpose();
    }
    A.block(at, at, part, part) = Q * sizes.asDiagonal() * Q.transpose();
  }
  return A;
}

// A refinement does not suffice.
TEST(Substructuring, moves_suspects_to_the_interface_where_a_solution_is_inaccurate) {
  for (const double small : {1e-12, 1e-14})
    for (const unsigned seed : {1U, 2U, 3U, 4U}) {
      Solved solved(soft_parts(small, seed));
      ASSERT_TRUE(solved.factorize());
      EXPECT_LT(solved.error(), 1e-11);
      EXPECT_EQ(solved.counts.promotions > 0, solved.ranks() > 1);
      EXPECT_EQ(solved.counts.fallbacks, 0) << solved.counts.reason;
    }
}

TEST(Substructuring, reports_where_a_matrix_is_singular_and_continues_afterwards) {
  std::mt19937 random(3);
  const Eigen::MatrixXd A = chain(20, random);
  Eigen::MatrixXd empty = A;
  empty.row(12).setZero();
  empty.col(12).setZero();
  Solved solved(empty);
  EXPECT_FALSE(solved.factorize());
  solved.set(A);
  ASSERT_TRUE(solved.factorize());
  EXPECT_LT(solved.error(), 1e-12);
}

TEST(Substructuring, leaves_a_large_interface_to_mumps) {
  TRAMMEL_PETSC(PetscOptionsSetValue(nullptr, "-few_substructuring_interface_max", "5"));
  std::mt19937 random(4);
  std::uniform_real_distribution<double> number(-1, 1);
  const int n = 40;
  Eigen::MatrixXd A(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) = number(random) + (i == j ? 10 : 0);
  Solved solved(A, "few_");
  ASSERT_TRUE(solved.factorize());
  EXPECT_LT(solved.error(), 1e-12);
  EXPECT_EQ(solved.counts.fallbacks, solved.ranks() > 1 ? 1 : 0);
  EXPECT_EQ(solved.counts.reason.find("larger than 5 x 5") != std::string::npos, solved.ranks() > 1);
}

}  // namespace
}  // namespace trammel
