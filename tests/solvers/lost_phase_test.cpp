#include "solvers/errors/lost_phase.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace trammel {
namespace {

constexpr double kappa = -0.084, kappa_v = 0.085, W = 20, h = 0.005, amplitude = 1e-3;

/// Of a vibration, after so many steps of size h; whether its number counts as one that vibrates.
LostPhase after_steps(int steps, char vibrates = 1) {
  VibrationAmplitude before, now;
  LostPhase lost;
  for (int n = 0; n < steps; ++n, std::swap(before, now)) {
    const double phase = W * n * h;
    LocalError error;
    error.of_jerk = kappa;
    error.of_snap = kappa_v;
    error.knows_between = true;
    error.displacement = {-kappa * std::pow(W * h, 3) * amplitude * std::cos(phase)};
    error.velocity = {kappa_v * h * h * h * std::pow(W, 4) * amplitude * std::sin(phase)};
    now.find(before, error, h);
    lost.look(now, error, h);
    lost.find_rate(error, h, {vibrates});
    lost.accepted(h);
  }
  return lost;
}

// The trapezoidal rule and its like are late by (kappa_v - kappa)/2 (W h)^2 of the time.
TEST(LostPhase, is_the_delay_times_the_velocity) {
  const int steps = 1000;
  const double delay = (kappa_v - kappa) / 2 * W * W * h * h * steps * h;
  EXPECT_NEAR(after_steps(steps).largest()[0], delay * W * amplitude, 0.15 * delay * W * amplitude);
}

TEST(LostPhase, is_twice_the_amplitude_at_most) {
  const double found = after_steps(60000).largest()[0];
  EXPECT_GT(found, 1.8 * amplitude);
  EXPECT_LT(found, 2.6 * amplitude);
}

TEST(LostPhase, is_that_of_numbers_that_vibrate) { EXPECT_EQ(after_steps(1000, 0).largest()[0], 0); }

}  // namespace
}  // namespace trammel
