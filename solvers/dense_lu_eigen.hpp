#pragma once

#include <Eigen/LU>

#include "solvers/dense_lu.hpp"

// The body of each variant of DenseLu, included by its file alone. It uses nothing but Eigen, so that no function of another library is compiled
// for a processor that may not be at hand.

namespace trammel {

namespace {

constexpr double least_pivot = 1e-15;  // of the largest

class EigenLu final : public DenseLu {
 public:
  void compute(const double* a, int n) override { lu_.compute(Eigen::Map<const Eigen::MatrixXd>(a, n, n)); }

  double rcond() const override {
    // Eigen's estimate says nothing where a pivot is zero.
    const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
    return pivots.minCoeff() > least_pivot * pivots.maxCoeff() ? lu_.rcond() : 0;
  }

  void solve(double* x, int stride, int columns) const override {
    if (columns == 1) {
      Eigen::Map<Eigen::VectorXd> its(x, lu_.rows());
      const Eigen::VectorXd b = its;
      its = lu_.solve(b);
      return;
    }
    Block its(x, lu_.rows(), columns, Eigen::OuterStride<>(stride));
    const Eigen::MatrixXd b = its;
    its = lu_.solve(b);
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
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace

}  // namespace trammel
