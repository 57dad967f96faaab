#include "solvers/errors/smoothed_difference.hpp"

#include <algorithm>
#include <cstddef>

#include "trammel/index.hpp"

namespace trammel {

namespace {

// A value closer to a newer one than this part of the newer gap would only add rounding errors.
constexpr double least_gap = 0.1;

std::vector<std::size_t> well_spaced(std::span<const double> times) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t n = kept.size();
    if (n < 2 || times[kept[n - 1]] - times[i] >= least_gap * (times[kept[n - 2]] - times[kept[n - 1]]))
      kept.push_back(i);
  }
  return kept;
}

/// Of values that are all used.
std::vector<double> differences(std::span<const double> times, int order, double weight) {
  const std::size_t n = times.size(), points = at(order) + 1;
  std::vector<double> weights(n, 0.0);
  if (n < points) return weights;
  // Weights of the values in an average, from each step back.
  std::vector<double> average{1.0};
  for (std::size_t pass = std::min<std::size_t>(2, n - points); pass > 0; --pass) {
    average.push_back(0);
    for (std::size_t i = average.size(); i-- > 0;)
      average[i] = (average[i] + (i > 0 ? weight * average[i - 1] : 0.0)) / (1 + weight);
  }
  std::vector<double> when(points, 0.0);
  for (std::size_t j = 0; j < points; ++j)
    for (std::size_t i = 0; i < average.size(); ++i) when[j] += average[i] * times[i + j];
  std::vector<double> of_points;
  if (order == 1) {
    const double d = when[0] - when[1];
    of_points = {1 / d, -1 / d};
  } else {
    const double d0 = when[0] - when[1], d1 = when[1] - when[2], half = 2 / (when[0] - when[2]);
    of_points = {half / d0, -half * (1 / d0 + 1 / d1), half / d1};
  }
  for (std::size_t j = 0; j < points; ++j)
    for (std::size_t i = 0; i < average.size(); ++i) weights[i + j] += of_points[j] * average[i];
  return weights;
}

}  // namespace

std::vector<double> smoothed_difference(std::span<const double> times, int order, double weight) {
  const std::vector<std::size_t> kept = well_spaced(times);
  std::vector<double> when, weights(times.size(), 0.0);
  for (const std::size_t i : kept) when.push_back(times[i]);
  const std::vector<double> of_kept = differences(when, order, weight);
  for (std::size_t k = 0; k < kept.size(); ++k) weights[kept[k]] = of_kept[k];
  return weights;
}

Surprise surprise(std::span<const double> times, double weight) {
  const std::vector<std::size_t> kept = well_spaced(times);
  const std::size_t n = kept.size();
  Surprise out{std::vector<double>(times.size(), 0.0), std::vector<double>(times.size(), 0.0)};
  if (n < 3) return out;
  const double before = n > 4 ? weight : 0.0;  // weight of the value before in an average
  const std::size_t points = n > 4 ? n - 1 : n;
  std::vector<double> when(points);
  for (std::size_t j = 0; j < points; ++j)
    when[j] = before > 0 ? (times[kept[j]] + before * times[kept[j + 1]]) / (1 + before) : times[kept[j]];
  const auto fill = [&](std::size_t degree, std::vector<double>& weights) {
    for (std::size_t j = 0; j <= degree + 1; ++j) {
      double factor = j == 0 ? 1.0 : -1.0;
      for (std::size_t k = 1; j > 0 && k <= degree + 1; ++k)
        if (k != j) factor *= (when[0] - when[k]) / (when[j] - when[k]);
      weights[kept[j]] += factor;
      if (before > 0) weights[kept[j + 1]] += before * factor;
    }
  };
  fill(1, out.of_line);
  fill(points > 3 ? 2 : 1, out.of_curve);
  return out;
}

}  // namespace trammel
