#include "solvers/errors/lost_phase.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trammel {

namespace {
// Amplitudes scatter. The largest counts, forgotten over so many radians.
constexpr double remembered = 25;
// A vibration of which more has been taken out of errors does not matter.
constexpr double most_taken = 4;
}  // namespace

void LostPhase::look(const VibrationAmplitude& now, const LocalError& error, double h) {
  trial_.find(vibrations_, error, h);
  const std::size_t count = error.displacement.size();
  jerk_.assign(count, 0.0);
  trial_amplitudes_.resize(count);
  amplitudes_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double W = trial_.frequency(i);
    double& amplitude = trial_amplitudes_[i];
    amplitude = 0;
    if (W > 0) {
      const double jerk = now.change_of_jerk(i), by_snap = now.snap(i) / W;
      jerk_[i] = taken(error, i) * std::sqrt(jerk * jerk + by_snap * by_snap);
      amplitude = jerk_[i] / (W * W * W);
    }
    if (amplitude < amplitudes_[i])
      amplitude = std::max(amplitude, std::exp(-h * W / remembered) * amplitudes_[i]);
  }
}

double LostPhase::taken(const LocalError& error, std::size_t i) const {
  if (!error.without_vibrations) return 1;
  return std::min(1 + trial_.frequency(i) * trial_.frequency(i) / error.c_a, most_taken);
}

const std::vector<double>& LostPhase::find_rate(const LocalError& error, double h,
                                                const std::vector<char>& numbers) {
  const double late = std::abs(error.of_snap - error.of_jerk) / 2 * h * h;
  rate_.assign(numbers.size(), 0.0);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != 0) rate_[i] = late * jerk_[i];
  return rate_;
}

void LostPhase::accepted(double h) {
  std::swap(vibrations_, trial_);
  std::swap(amplitudes_, trial_amplitudes_);
  displaced_.resize(rate_.size());
  largest_.resize(rate_.size());
  for (std::size_t i = 0; i < rate_.size(); ++i) {
    if (rate_[i] == 0) continue;
    displaced_[i] = std::min(displaced_[i] + h * rate_[i], 2 * amplitudes_[i]);
    largest_[i] = std::max(largest_[i], displaced_[i]);
  }
}

}  // namespace trammel
