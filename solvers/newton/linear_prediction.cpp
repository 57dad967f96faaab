#include "solvers/newton/linear_prediction.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trammel/by_processor.hpp"

namespace trammel {

namespace {

// Weight of a step beside that of the one after it.
constexpr double fading = 0.4;
// Parts of a difference's square that hold coefficients which the steps do not determine near those of polynomials: of its own, and of
// that of D y, from which the others are computed by subtraction.
constexpr double regularization = 1e-10, rounding = 1e-15;
// Coefficients beyond this amplify rounding and sudden changes.
constexpr double largest_coefficient = 30;
// Errors whose squares differ by less than this part of the squared change are not known apart.
constexpr double known_part = 1e-13;

constexpr int most = LinearPrediction::most;
using Vector = Eigen::Matrix<double, most, 1>;
using Matrix = Eigen::Matrix<double, most, most>;

using Table = std::array<std::array<double, most>, most>;

/// Row k: D^{k+1} y_n from D y_n, D y_{n-1}, ...
constexpr Table differences = [] {
  Table all{};
  all[0][0] = 1;
  for (std::size_t k = 1; k < most; ++k)
    for (std::size_t i = 0; i <= k; ++i) all[k][i] = all[k - 1][i] - (i > 0 ? all[k - 1][i - 1] : 0);
  return all;
}();

/// The products of D^{i+1} y_n and D^{k+1} y_n of numbers y that are independent of each other and have the square 1; that of each
/// with D y_{n+1} is -1.
constexpr Table products_of_noise = [] {
  Table all{};
  for (std::size_t i = 0; i < most; ++i)
    for (std::size_t k = 0; k < most; ++k)
      all[i][k] = (i > 0 ? all[i - 1][k] : 1) + (k > 0 ? all[i][k - 1] : 1);  // binomial coefficients
  return all;
}();

TRAMMEL_BY_PROCESSOR [[gnu::flatten]] void combine(const LinearPrediction::Factors& factors, int orders,
                                                   const LinearPrediction::Known& known, int size,
                                                   double* sums) {
  int i = 0;
  for (; i + Lanes::count <= size; i += Lanes::count) {
    Lanes sum(0.0), number;
    for (int k = 0; k <= orders; ++k) {
      number.read(known[at(k)] + i);
      sum += Lanes(factors[at(k)]) * number;
    }
    sum.write(sums + i);
  }
  for (; i < size; ++i) {
    double sum = 0;
    for (int k = 0; k <= orders; ++k) sum += factors[at(k)] * known[at(k)][i];
    sums[i] = sum;
  }
}

}  // namespace

void LinearPrediction::forget() {
  orders_ = 1;
  compared_ = false;
  fitted_ = -1;
  all_products_.setZero();
  solution_ = Vector::Unit(0);
  factors_ = {2, -1};
}

void LinearPrediction::begin() {
  factors();
  for (Numbers& sum : sums_) sum.fill(Lanes(0.0));
  sums_of_rests_ = {};
  products_ = {};
}

TRAMMEL_BY_PROCESSOR [[gnu::flatten]] void LinearPrediction::add(const Steps& steps, const Weights& weights,
                                                                 int size) {
  constexpr int at_once = 2 * frame_size;
  std::array<double, at_once> squares;
  for (int m = 0; m < at_once; ++m)
    squares[at(m)] = weights[at(m % frame_size)] * weights[at(m % frame_size)];
  const auto read = [](const double* from) {
    Numbers all;
    for (std::size_t p = 0; p < lanes; ++p) all[p].read(from + p * Lanes::count);
    return all;
  };
  const Numbers square = read(squares.data());
  int i = 0;
  for (; i + at_once <= size; i += at_once) {
    const Numbers now = read(steps[0] + i);
    Numbers later = read(steps[1] + i), weighed;
    for (std::size_t p = 0; p < lanes; ++p) {
      const Lanes change = now[p] - later[p];
      weighed[p] = square[p] * change;
      sums_[0][p] += weighed[p] * change;
    }
    for (int k = 1; k <= orders_; ++k) {
      const Numbers earlier = read(steps[at(k + 1)] + i);
      for (std::size_t p = 0; p < lanes; ++p) sums_[at(k)][p] += weighed[p] * (later[p] - earlier[p]);
      later = earlier;
    }
  }
  for (int m = 0; i < size; ++i, ++m)
    for (int k = 0; k <= orders_; ++k)
      sums_of_rests_[at(k)] +=
          squares[at(m)] * (steps[0][i] - steps[1][i]) * (steps[at(k)][i] - steps[at(k + 1)][i]);
}

std::span<double> LinearPrediction::end(double noise) {
  products_[0] = noise;
  for (int k = 0; k <= orders_; ++k) {
    Lanes sum = sums_[at(k)][0];
    for (std::size_t p = 1; p < lanes; ++p) sum += sums_[at(k)][p];
    double& product = products_[at(k + 1)] = sums_of_rests_[at(k)];
    for (int lane = 0; lane < Lanes::count; ++lane) product += sum[lane];
  }
  compared_ = true;
  const auto products = std::span(products_).first(at(orders_ + 2));
  orders_ = std::min(orders_ + 1, highest_);
  return products;
}

void LinearPrediction::predict(const Known& known, int size, double* next) {
  combine(factors(), orders_, known, size, next);
}

const LinearPrediction::Factors& LinearPrediction::factors() {
  if (std::exchange(compared_, false)) fit();
  return factors_;
}

void LinearPrediction::fit() {
  using Rows = Eigen::Matrix<double, most, most, Eigen::RowMajor>;
  const Eigen::Map<const Rows> all_orders(differences[0].data()), noise_products(products_of_noise[0].data());
  // The square of the earliest D y is not among the products of the first comparison: no order is fitted then.
  const int before_fitted = std::exchange(fitted_, std::min(fitted_ + 1, highest_)), n = fitted_;
  const Matrix before = all_products_.topLeftCorner<most, most>();
  all_products_.bottomRightCorner<most, most>() = before;
  for (int k = 0; k <= most; ++k) all_products_(0, k) = all_products_(k, 0) = products_[at(k + 1)];
  if (n == 0) return;
  Rows D = all_orders;
  D.bottomRows(most - n).setZero();
  const Matrix G = D * before * D.transpose();
  const Vector b = D * all_products_.col(0).tail<most>();
  const double noise = products_[0], square = products_[1];
  // The squared error with which these coefficients would have predicted the last step.
  const auto error = [&](const Vector& c) { return square - 2 * b.dot(c) + c.dot(G * c); };
  double least = error(solution_) - known_part * square;
  if (before_fitted != n) {
    left_.setZero();
    right_.setZero();
  }
  // The square of D^k y of numbers y that are independent of each other is the sum of the squares in its row of D times theirs.
  const double size =
      2 * noise + square + G.diagonal().cwiseQuotient(Vector(all_orders.rowwise().squaredNorm())).sum();
  solution_ = Vector::Unit(0);
  if (size > 0 && std::isfinite(size)) {
    left_ = fading * left_ + (G + noise * noise_products) / size;
    right_ = fading * right_ + (b - Vector::Constant(noise)) / size;
    left_.bottomRows(most - n).setZero();
    left_.rightCols(most - n).setZero();
    right_.tail(most - n).setZero();
    const Vector growth = all_orders.cwiseAbs().rowwise().sum();  // of rounding errors
    Vector held = regularization * left_.diagonal().cwiseAbs() + rounding * left_(0, 0) * growth.cwiseAbs2();
    held.array() += std::numeric_limits<double>::min();
    held.tail(most - n).setOnes();
    const Vector scale = (left_.diagonal() + held).cwiseSqrt().cwiseInverse();
    Matrix sum = left_;
    sum.diagonal() += held;
    sum = scale.asDiagonal() * sum * scale.asDiagonal();
    Vector c = scale.cwiseProduct(sum.llt().solve(scale.cwiseProduct(right_ + held)).eval());
    c.tail(most - n).setZero();
    if ((c.array().abs() <= largest_coefficient).all()) solution_ = c;
  }
  Vector chosen = solution_;
  if (before_fitted > 0) {
    // A constant, a line, a parabola.
    Vector other = Vector::Zero();
    for (int degree = 0; degree <= std::min(2, n); ++degree) {
      if (degree > 0) other[degree - 1] = 1;
      if (const double its = error(other); its < least) {
        least = its;
        chosen = other;
      }
    }
  }
  // y_n + sum_k c_k D^k y_n = y_n + sum_i d_i (y_{n-i} - y_{n-i-1})
  const Vector d = D.transpose() * chosen;
  factors_ = {1};
  for (int i = 0; i < most; ++i) {
    factors_[at(i)] += d[i];
    factors_[at(i + 1)] -= d[i];
  }
}

}  // namespace trammel
