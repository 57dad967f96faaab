#include "solvers/front.hpp"

#include <Eigen/LU>

namespace trammel {

namespace {

/// The least condition number, reciprocal and estimated, with which unknowns are eliminated, and with which all must be.
constexpr double fine = 1e-10, least = 1e-15;
/// Pivots below this part of the largest are left.
constexpr double weak = 1e-8;

Eigen::VectorXd inverse_or_one(const Eigen::VectorXd& sizes) {
  return sizes.unaryExpr([](double size) { return size > 0 ? 1 / size : 1.0; });
}

}  // namespace

Eigen::MatrixXd& Front::start(int leading, int border) {
  leading_ = pivots_ = leading;
  matrix_.setZero(leading + border, leading + border);
  row_order_.resize(0);
  column_order_.resize(0);
  return matrix_;
}

bool Front::eliminate(bool all) {
  if (!matrix_.allFinite()) return false;
  if (leading_ == 0) return true;
  Eigen::MatrixXd scaled = matrix_.topLeftCorner(leading_, leading_);
  row_scale_ = inverse_or_one(scaled.cwiseAbs().rowwise().maxCoeff());
  scaled = row_scale_.asDiagonal() * scaled;
  column_scale_ = inverse_or_one(scaled.cwiseAbs().colwise().maxCoeff());
  scaled = scaled * column_scale_.asDiagonal();
  lu_->compute(scaled.data(), leading_);
  if (!(lu_->rcond() > (all ? least : fine))) {
    if (all) return false;
    leave_weak_pivots(scaled);
  }
  if (pivots_ == 0 || rest() == 0) return true;
  auto W = matrix_.topRightCorner(pivots_, rest());
  W = row_scale_.asDiagonal() * W;
  double* numbers = matrix_.data();
  const Eigen::Index n = matrix_.rows(), right = pivots_ * n;
  lu_->solve(numbers + right, size(), rest());
  W = column_scale_.asDiagonal() * W;
  lu_->subtract_product(numbers + right + pivots_, numbers + pivots_, numbers + right, size(), rest(),
                        pivots_, rest());
  return true;
}

/// Moves what has no pivot behind the pivots, and factorizes the others anew.
void Front::leave_weak_pivots(const Eigen::MatrixXd& scaled) {
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
  if (pivots_ == 0) return;
  const Eigen::MatrixXd strong = scaled(rows, columns);
  lu_->compute(strong.data(), pivots_);
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
  own_ = column_scale_.cwiseProduct(own_).eval();
  rest.noalias() -= matrix_.bottomLeftCorner(this->rest(), pivots_) * own_;
}

void Front::backward(const Eigen::VectorXd& rest, Eigen::VectorXd& x) const {
  x.resize(matrix_.rows());
  x.head(pivots_) = own_;
  x.head(pivots_).noalias() -= matrix_.topRightCorner(pivots_, rest.size()) * rest;
  x.tail(rest.size()) = rest;
  if (column_order_.size() == 0) return;
  const Eigen::VectorXd ordered = x;
  x(column_order_) = ordered;
}

}  // namespace trammel
