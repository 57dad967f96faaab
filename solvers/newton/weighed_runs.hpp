#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <vector>

#include "kernel/layout.hpp"
#include "solvers/newton/unknown_runs.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// Weights that make numbers of a run comparable: each six numbers have the same six, as frames have. So they are not stored for each
/// number, which in large models saves memory and its traffic.
using Weights = std::array<double, frame_size>;

constexpr Weights no_weights{1, 1, 1, 1, 1, 1};

struct WeighedRun : UnknownRun {
  Weights weights = no_weights;
};

inline Weights inverse(Weights weights) {
  for (double& w : weights) w = 1 / w;
  return weights;
}

/// The largest of these numbers, each times its weight.
inline double largest_weighed(const double* numbers, int size, const Weights& weights) {
  using Six = Eigen::Array<double, frame_size, 1>;
  Six largest = Six::Zero();
  int i = 0;
  for (; i + frame_size <= size; i += frame_size)
    largest = largest.max(Eigen::Map<const Six>(numbers + i).abs());
  double all = (largest * Eigen::Map<const Six>(weights.data())).maxCoeff();
  for (int k = 0; i + k < size; ++k) all = std::max(all, weights[at(k)] * std::abs(numbers[i + k]));
  return all;
}

/// Motion and multipliers of a layout, in order, in runs within which weights repeat. `weights`: by local unknown. Valid until the layout
/// changes.
inline std::vector<WeighedRun> weighed_runs_of(const Layout& layout, const std::vector<double>& weights) {
  std::vector<WeighedRun> runs;
  for (const UnknownRun& run : runs_of(layout)) {
    if (run.of != UnknownRun::Of::motion && run.of != UnknownRun::Of::multipliers) continue;
    WeighedRun next{run};
    next.size = 0;
    for (int i = 0; i < run.size; ++i) {
      const double weight = weights[at(run.local + i)];
      double& its = next.weights[at(next.size % frame_size)];
      if (next.size >= frame_size && its != weight) {
        runs.push_back(next);
        next.skip(next.size);
        next.size = 0;
        next.weights = no_weights;
        next.weights[0] = weight;
      } else if (next.size < frame_size) {
        its = weight;
      }
      ++next.size;
    }
    runs.push_back(next);
  }
  return runs;
}

}  // namespace trammel
