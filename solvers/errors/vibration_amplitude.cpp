#include "solvers/errors/vibration_amplitude.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace trammel {

namespace {
// Steps over which magnitudes are averaged: single ones pass through zero.
constexpr int most_steps = 8;
// The least share of a step in averages over periods: the frequency found may be much too low for a while.
constexpr double least_share = 1e-3;
}  // namespace

void VibrationAmplitude::find(const VibrationAmplitude& before, const LocalError& error, double h) {
  if (!error.knows_between) {
    steps_ = 0;
    jerk_.assign(error.displacement.size(), 0.0);
    snap_.assign(error.displacement.size(), 0.0);
    return;
  }
  steps_ = std::min(before.steps_ + 1, most_steps);
  const double weight = 1.0 / steps_, h3 = h * h * h;
  const auto mix = [&](const std::vector<double>& old, const std::vector<double>& errors, double factor,
                       std::vector<double>& out) {
    out.resize(errors.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      double share = weight;
      if (periods_ > 0 && steps_ == most_steps && before.jerk_[i] > 0)
        share = std::clamp(h * before.frequency(i) / (2 * std::numbers::pi * periods_), least_share, weight);
      out[i] = (before.steps_ == 0 ? 0.0 : (1 - share) * old[i]) + share * std::abs(errors[i] / factor);
    }
  };
  mix(before.jerk_, error.displacement, h3 * error.of_jerk, jerk_);
  mix(before.snap_, error.velocity, h3 * error.of_snap, snap_);
}

void VibrationAmplitude::find_amplitudes(std::vector<double>& out) const {
  out.assign(jerk_.size(), std::numeric_limits<double>::infinity());
  if (steps_ == 0) return;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (jerk_[i] == 0) {
      out[i] = 0;
    } else if (snap_[i] > 0) {
      const double time = jerk_[i] / snap_[i];
      out[i] = jerk_[i] * time * time * time;
    }
  }
}

}  // namespace trammel
