#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "trammel/export.hpp"

namespace trammel {

/// F(x) = integral of f from the first break to x, for a function that costs much more than a polynomial. f is
/// interpolated at Chebyshev points, panel by panel; panels are halved until the last coefficients vanish, so F is exact
/// but for rounding where f is smooth between the breaks. One evaluation is a search and 17 terms.
class TRAMMEL_API Antiderivative {
 public:
  Antiderivative() = default;
  /// `breaks`: ascending, at least two. f is never evaluated at a break.
  Antiderivative(const std::function<double(double)>& f, std::span<const double> breaks);

  double from() const { return starts_.front(); }
  double to() const { return to_; }
  /// F(to).
  double total() const { return total_; }
  /// x is taken to lie between from() and to().
  double at(double x) const;
  /// Where the panels start.
  const std::vector<double>& starts() const { return starts_; }

 private:
  static constexpr int nodes = 16;
  struct Panel {
    double middle = 0, half = 0;
    std::array<double, nodes + 1> series{};  ///< of F, in Chebyshev polynomials
  };

  void add(const std::function<double(double)>& f, double from, double to, double tail_before, int depth);

  std::vector<double> starts_;
  std::vector<Panel> panels_;
  double to_ = 0, total_ = 0;
};

}  // namespace trammel
