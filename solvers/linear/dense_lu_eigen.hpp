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

  void give(double* lu, int stride, double* places) const override {
    Block(lu, lu_.rows(), lu_.cols(), Eigen::OuterStride<>(stride)) = lu_;
    Eigen::Map<Eigen::VectorXd>(places, lu_.rows()) = order_.indices().cast<double>();
  }

  void take(const double* lu, int stride, const double* places, int n) override {
    lu_ = ConstBlock(lu, n, n, Eigen::OuterStride<>(stride));
    order_.indices() = Eigen::Map<const Eigen::VectorXd>(places, n).cast<int>();
  }

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
