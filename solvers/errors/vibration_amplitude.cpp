#include "solvers/errors/vibration_amplitude.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

namespace {
// Steps over which magnitudes are averaged: single ones pass through zero.
constexpr int most_steps = 8;
}  // namespace

void VibrationAmplitude::find(const VibrationAmplitude& before, const LocalError& error, double h) {
  amplitudes_.assign(error.displacement.size(), std::numeric_limits<double>::infinity());
  if (!error.knows_between) {
    steps_ = 0;
    jerk_.assign(amplitudes_.size(), 0.0);
    snap_.assign(amplitudes_.size(), 0.0);
    return;
  }
  steps_ = std::min(before.steps_ + 1, most_steps);
  const double weight = 1.0 / steps_, h3 = h * h * h;
  const auto mix = [&](const std::vector<double>& old, const std::vector<double>& errors, double factor,
                       std::vector<double>& out) {
    out.resize(errors.size());
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = (before.steps_ == 0 ? 0.0 : (1 - weight) * old[i]) + weight * std::abs(errors[i] / factor);
  };
  mix(before.jerk_, error.displacement, h3 * error.of_jerk, jerk_);
  mix(before.snap_, error.velocity, h3 * error.of_snap, snap_);
  for (std::size_t i = 0; i < jerk_.size(); ++i)
    if (jerk_[i] == 0 || snap_[i] > 0)
      amplitudes_[i] = jerk_[i] == 0 ? 0.0 : jerk_[i] * std::pow(jerk_[i] / snap_[i], 3);
}

}  // namespace trammel
