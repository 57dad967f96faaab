#include "solvers/smoothed_difference.hpp"

#include <algorithm>
#include <cstddef>

#include "trammel/index.hpp"

namespace trammel {

std::vector<double> smoothed_difference(std::span<const double> times, int order, double weight) {
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

}  // namespace trammel
