#include "solvers/linear/front.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace trammel {

namespace {

/// Pivots below this part of the largest are left.
constexpr double weak = 1e-8;

}  // namespace

Eigen::VectorXd Front::scales_of(const Eigen::VectorXd& sizes) {
  return sizes.unaryExpr([](double size) { return size > 0 ? std::exp2(-std::ilogb(size)) : 1.0; });
}

Eigen::MatrixXd& Front::start(int leading, int border) {
  leading_ = pivots_ = leading;
  matrix_.resize(leading + border, leading + border);
  std::fill_n(matrix_.data(), matrix_.size(), 0.0);
  row_order_.resize(0);
  column_order_.resize(0);
  return matrix_;
}

bool Front::eliminate(bool all) {
  if (!matrix_.allFinite()) return false;
  if (leading_ == 0) return true;
  Eigen::MatrixXd scaled = matrix_.topLeftCorner(leading_, leading_);
  row_scale_ = scales_of(scaled.cwiseAbs().rowwise().maxCoeff());
  scaled = row_scale_.asDiagonal() * scaled;
  column_scale_ = scales_of(scaled.cwiseAbs().colwise().maxCoeff());
  scaled = scaled * column_scale_.asDiagonal();
  lu_->compute(scaled.data(), leading_);
  if (!(lu_->rcond() > (all ? least : fine))) {
    if (all) return false;
    leave_weak_pivots(scaled);
  }
  auto C = matrix_.topRightCorner(pivots_, rest());
  auto R = matrix_.bottomLeftCorner(rest(), pivots_);
  C = row_scale_.asDiagonal() * C;
  R = R * column_scale_.asDiagonal();
  if (pivots_ == 0 || rest() == 0) return true;
  double* W = matrix_.data() + std::ptrdiff_t{size()} * pivots_;
  lu_->solve(W, size(), rest());
  lu_->subtract_product(W + pivots_, matrix_.data() + pivots_, W, size(), rest(), pivots_, rest());
  return true;
}

/// Moves what has no pivot behind the pivots, and factorizes the others anew.
void Front::leave_weak_pivots(Eigen::MatrixXd& scaled) {
  Eigen::FullPivLU<Eigen::MatrixXd> lu(scaled);
  lu.setThreshold(weak);
  pivots_ = static_cast<int>(lu.rank());
  const auto n = static_cast<int>(matrix_.rows());
  row_order_ = column_order_ = Eigen::VectorXi::LinSpaced(n, 0, n - 1);
  row_order_.head(leading_) = lu.permutationP() * row_order_.head(leading_).eval();
  column_order_.head(leading_) = lu.permutationQ().indices();
  const Eigen::MatrixXd ordered = matrix_(row_order_, column_order_);
  matrix_ = ordered;
  const Eigen::VectorXi rows = row_order_.head(pivots_), columns = column_order_.head(pivots_);
  row_scale_ = row_scale_(rows).eval();
  column_scale_ = column_scale_(columns).eval();
  scaled = scaled(rows, columns).eval();
  if (pivots_ > 0) lu_->compute(scaled.data(), pivots_);
}

void Front::forward(const Eigen::VectorXd& b, Eigen::VectorXd& rest) {
  const bool ordered = row_order_.size() > 0;
  const auto of = [&](int from, int count) -> Eigen::VectorXd {
    if (ordered) return b(row_order_.segment(from, count));
    return b.segment(from, count);
  };
  own_ = of(0, pivots_);
  rest = of(pivots_, this->rest());
  if (pivots_ == 0) return;
  own_ = row_scale_.cwiseProduct(own_).eval();
  lu_->solve(own_.data(), pivots_, 1);
  lu_->subtract_product(rest.data(), matrix_.data() + pivots_, own_.data(), size(), this->rest(), pivots_, 1);
}

void Front::backward(const Eigen::VectorXd& rest, Eigen::VectorXd& x) const {
  x.resize(matrix_.rows());
  x.head(pivots_) = own_;
  if (pivots_ > 0) {
    lu_->subtract_product(x.data(), matrix_.data() + std::ptrdiff_t{size()} * pivots_, rest.data(), size(),
                          pivots_, this->rest(), 1);
    x.head(pivots_) = column_scale_.cwiseProduct(x.head(pivots_)).eval();
  }
  x.tail(rest.size()) = rest;
  if (column_order_.size() == 0) return;
  const Eigen::VectorXd ordered = x;
  x(column_order_) = ordered;
}

}  // namespace trammel
