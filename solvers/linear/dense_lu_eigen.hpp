#pragma once

#include <Eigen/LU>

#include "solvers/linear/dense_lu.hpp"

// The body of each variant of DenseLu, included by its file alone. It uses nothing but Eigen, so that no function of another library is compiled
// for a processor that may not be at hand.

namespace trammel {

namespace {

constexpr double least_pivot = 1e-15;  // of the largest

class EigenLu final : public DenseLu {
 public:
  void compute(const double* a, int n) override {
    lu_ = Eigen::Map<const Eigen::MatrixXd>(a, n, n);
    const Eigen::PartialPivLU<Eigen::Ref<Eigen::MatrixXd>> lu(lu_);  // in place
    order_ = lu.permutationP();
    // Eigen's estimate says nothing where a pivot is zero.
    const auto pivots = lu_.diagonal().cwiseAbs();
    rcond_ = pivots.minCoeff() > least_pivot * pivots.maxCoeff() ? lu.rcond() : 0;
  }

  double rcond() const override { return rcond_; }

  void solve(double* x, int stride, int columns) const override {
    if (columns == 1)
      solve_in_place(Eigen::Map<Eigen::VectorXd>(x, lu_.rows()));
    else
      solve_in_place(Block(x, lu_.rows(), columns, Eigen::OuterStride<>(stride)));
  }

  void subtract_product(double* c, const double* a, const double* b, int stride, int rows, int inner,
                        int columns) const override {
    const Eigen::OuterStride<> by(stride);
    if (columns == 1) {
      Eigen::Map<Eigen::VectorXd>(c, rows).noalias() -=
          ConstBlock(a, rows, inner, by) * Eigen::Map<const Eigen::VectorXd>(b, inner);
      return;
    }
    Block(c, rows, columns, by).noalias() -=
        ConstBlock(a, rows, inner, by) * ConstBlock(b, inner, columns, by);
  }

  bool factorize_panel(double* a, int stride, int rows, int pivot_rows, int columns,
                       int* exchanged) const override {
    Block A(a, rows, columns, Eigen::OuterStride<>(stride));
    if (!A.allFinite()) return false;
    for (int k = 0; k < columns; ++k) {
      int pivot = 0;
      if (!(A.col(k).segment(k, pivot_rows - k).cwiseAbs().maxCoeff(&pivot) > 0)) return false;
      exchanged[k] = k + pivot;
      if (pivot > 0) A.row(k).swap(A.row(k + pivot));
      const int below = rows - k - 1, right = columns - k - 1;
      A.col(k).tail(below) /= A(k, k);
      A.bottomRightCorner(below, right).noalias() -= A.col(k).tail(below) * A.row(k).tail(right);
    }
    return true;
  }

  void apply_panel(const double* lu, int lu_stride, const int* exchanged, int width, double* c, int stride,
                   int rows, int columns) const override {
    const ConstBlock panel(lu, rows, width, Eigen::OuterStride<>(lu_stride));
    const auto L = panel.topRows(width);
    const auto below = panel.bottomRows(rows - width);
    if (columns == 1) {
      Eigen::Map<Eigen::VectorXd> x(c, rows);
      for (int k = 0; k < width; ++k) std::swap(x[k], x[exchanged[k]]);
      L.triangularView<Eigen::UnitLower>().solveInPlace(x.head(width));
      x.tail(rows - width).noalias() -= below * x.head(width);
      return;
    }
    Block C(c, rows, columns, Eigen::OuterStride<>(stride));
    for (int j = 0; j < columns; ++j)
      for (int k = 0; k < width; ++k) std::swap(C(k, j), C(exchanged[k], j));
    L.triangularView<Eigen::UnitLower>().solveInPlace(C.topRows(width));
    C.bottomRows(rows - width).noalias() -= below * C.topRows(width);
  }

  void solve_upper(const double* u, int stride, int n, double* x) const override {
    Eigen::Map<Eigen::VectorXd> its(x, n);
    ConstBlock(u, n, n, Eigen::OuterStride<>(stride)).triangularView<Eigen::Upper>().solveInPlace(its);
  }

 private:
  using Block = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  using ConstBlock = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

  template <class X>
  void solve_in_place(X&& x) const {
    x = order_ * x;
    lu_.triangularView<Eigen::UnitLower>().solveInPlace(x);
    lu_.triangularView<Eigen::Upper>().solveInPlace(x);
  }

  Eigen::MatrixXd lu_;
  Eigen::PermutationMatrix<Eigen::Dynamic> order_;
  double rcond_ = 0;
};

}  // namespace

}  // namespace trammel
