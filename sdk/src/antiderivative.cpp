#include "trammel/antiderivative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace trammel {

namespace {

// The last coefficients of a panel, relative to the largest: below `exact` the panel stands as it is; below `noisy` it
// does where halving does not help any more; after `enough` halvings so does any panel that is not helped (f has noise, or
// a kink).
constexpr double exact = 2e-15;
constexpr double noisy = 1e-9;
constexpr int enough = 8, most_halvings = 30;

}  // namespace

Antiderivative::Antiderivative(const std::function<double(double)>& f, std::span<const double> breaks) {
  to_ = breaks.back();
  for (std::size_t i = 0; i + 1 < breaks.size(); ++i)
    if (breaks[i + 1] > breaks[i])
      add(f, breaks[i], breaks[i + 1], std::numeric_limits<double>::infinity(), 0);
}

void Antiderivative::add(const std::function<double(double)>& f, double from, double to, double tail_before,
                         int depth) {
  Panel panel{0.5 * (from + to), 0.5 * (to - from), {}};
  std::array<double, nodes> values{};
  for (int k = 0; k < nodes; ++k)
    values[static_cast<std::size_t>(k)] =
        f(panel.middle + panel.half * std::cos(std::numbers::pi * (k + 0.5) / nodes));
  std::array<double, nodes + 2> a{};  // coefficients of f; a[0] doubled
  double largest = 0;
  for (int j = 0; j < nodes; ++j) {
    double sum = 0;
    for (int k = 0; k < nodes; ++k)
      sum += values[static_cast<std::size_t>(k)] * std::cos(std::numbers::pi * j * (k + 0.5) / nodes);
    a[static_cast<std::size_t>(j)] = 2.0 / nodes * sum;
    largest = std::max(largest, std::abs(2.0 / nodes * sum));
  }
  const double tail = std::max({std::abs(a[nodes - 1]), std::abs(a[nodes - 2]), std::abs(a[nodes - 3])});
  const bool helps = tail < 0.1 * tail_before;
  const bool smooth = tail <= exact * largest || (!helps && (tail <= noisy * largest || depth >= enough));
  if (!smooth && depth < most_halvings) {
    add(f, from, panel.middle, tail, depth + 1);
    add(f, panel.middle, to, tail, depth + 1);
    return;
  }
  double at_start = 0, at_end = 0;
  for (std::size_t j = 1; j <= nodes; ++j) {
    panel.series[j] = panel.half * (a[j - 1] - a[j + 1]) / (2.0 * static_cast<double>(j));
    at_end += panel.series[j];
    at_start += j % 2 == 0 ? panel.series[j] : -panel.series[j];
  }
  panel.series[0] = total_ - at_start;
  starts_.push_back(from);
  panels_.push_back(panel);
  total_ += at_end - at_start;
}

double Antiderivative::at(double x) const {
  const auto next = std::upper_bound(starts_.begin() + 1, starts_.end(), x);
  const Panel& panel = panels_[static_cast<std::size_t>(next - starts_.begin() - 1)];
  const double u = (x - panel.middle) / panel.half;
  double b = 0, b_next = 0;
  for (std::size_t j = nodes; j > 0; --j) {
    const double b_new = 2 * u * b - b_next + panel.series[j];
    b_next = b;
    b = b_new;
  }
  return u * b - b_next + panel.series[0];
}

}  // namespace trammel
