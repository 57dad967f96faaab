#pragma once

#include <Eigen/Core>

#include <array>
#include <span>

#include "solvers/newton/weighed_runs.hpp"
#include "trammel/index.hpp"
#include "trammel/lanes.hpp"

namespace trammel {

/// Predicts numbers y at the end of a step from those at the ends of the equal steps before:
///
///     y_{n+1} = y_n + c_1 D y_n + c_2 D^2 y_n + ...,    D y_n = y_n - y_{n-1}
///
/// with the same coefficients c for all numbers: those by which the last steps would have been predicted with the least square error,
/// where a step has less than half of the weight of the one after it. (Polynomials of degree k have c_1 = ... = c_k = 1, a
/// vibration that changes its sign with each step has c_1 = -1 alone.) If a constant, a line or a parabola would have predicted the
/// last step better than the coefficients of that time did, it is used instead: a sudden change is part of the differences for some
/// steps. Source: Makhoul, Linear prediction: a tutorial review, Proceedings of the IEEE 63 (1975), section II.
class LinearPrediction {
 public:
  /// Highest order of a difference.
  static constexpr int most = 6;
  /// Of the numbers at the ends of the last steps, the latest first.
  using Factors = std::array<double, most + 1>;
  /// Where the numbers at the end of a new step, of the last one, and of those before are.
  using Steps = std::array<const double*, most + 2>;
  /// The same without a new step.
  using Known = std::array<const double*, most + 1>;

  /// `highest`: the highest order that is used.
  explicit LinearPrediction(int highest = most) : highest_(highest) { forget(); }

  /// Orders of the differences that are known at the end of the last step.
  int orders() const { return orders_; }
  /// The steps before the last one do not count.
  void forget();

  /// Begins to compare a new step with the `orders()` steps before.
  void begin();
  /// Adds so many numbers of this rank. `weights`, the same in each step, make them comparable.
  void add(const Steps& steps, const Weights& weights, int size);
  /// The new step is the last one from now on. `noise`: the sum of the squares of weighed rounding errors of this rank's numbers. The
  /// result is to be summed over the ranks before the next call.
  std::span<double> end(double noise);
  /// Of the next prediction.
  const Factors& factors();
  /// Predicts `size` numbers from those at the end of the last step, and of the `orders()` steps before.
  void predict(const Known& known, int size, double* next);

 private:
  using Vector = Eigen::Matrix<double, most, 1>;
  /// Numbers that are added at once: two frames in lanes.
  static constexpr std::size_t lanes = 2 * frame_size / Lanes::count;
  using Numbers = std::array<Lanes, lanes>;

  void fit();

  int highest_;
  int orders_ = 0;
  bool compared_ = false;                         ///< the last products were not used yet
  std::array<Numbers, most + 1> sums_;            ///< of the new step's products, in parts
  std::array<double, most + 1> sums_of_rests_{};  ///< of numbers that fill no whole group
  /// The noise, and products of D y_{n+1} with D y_{n+1}, D y_n, D y_{n-1}, ...
  std::array<double, most + 2> products_{};
  Eigen::Matrix<double, most + 1, most + 1> all_products_;  ///< of these with each other; zero: not known
  Eigen::Matrix<double, most, most> left_;  ///< of the normal equations, by orders of differences
  Vector right_;
  int fitted_ = -1;  ///< orders of these; -1: nothing was compared
  Vector solution_;
  Factors factors_;
};

}  // namespace trammel
