#include "solvers/errors/vibration_amplitude.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace trammel {
namespace {

/// A sum of vibrations of the frequency W and the amplitude A.
struct Vibration {
  double W = 0, A = 0;
};

constexpr double kappa = -0.1, kappa_v = 0.2;

/// What is found after many steps of size h.
VibrationAmplitude after_steps(const std::vector<Vibration>& all, double h) {
  VibrationAmplitude before, now;
  for (int n = 0; n < 100; ++n, std::swap(before, now)) {
    double jerk = 0, snap = 0;
    for (const auto& [W, A] : all) {
      jerk += W * W * W * A * std::cos(W * n * h);
      snap -= W * W * W * W * A * std::sin(W * n * h);
    }
    LocalError error;
    error.displacement = {kappa * h * h * h * jerk};
    error.velocity = {kappa_v * h * h * h * snap};
    error.of_jerk = kappa;
    error.of_snap = kappa_v;
    error.knows_between = true;
    now.find(before, error, h);
  }
  return before;
}

double amplitude(const VibrationAmplitude& found, std::size_t number = 0) {
  std::vector<double> all;
  found.find_amplitudes(all);
  return all[number];
}

TEST(VibrationAmplitude, is_found_from_errors_at_any_size_of_the_steps) {
  for (const double Wh : {1.0, 0.6, 0.3}) {
    const VibrationAmplitude found = after_steps({{10, 1e-3}}, 0.1 * Wh);
    EXPECT_GT(amplitude(found), 0.2e-3) << Wh;
    EXPECT_LT(amplitude(found), 5e-3) << Wh;
  }
}

TEST(VibrationAmplitude, is_that_of_the_vibration_that_governs_errors) {
  // The first governs v'' and v''', although its amplitude is smaller.
  const double of_fast = amplitude(after_steps({{100, 1e-6}, {1, 1e-3}}, 0.003));
  EXPECT_GT(of_fast, 0.2e-6);
  EXPECT_LT(of_fast, 5e-6);
  // Here the second does.
  const double of_slow = amplitude(after_steps({{100, 1e-13}, {1, 1e-3}}, 0.003));
  EXPECT_GT(of_slow, 0.2e-3);
}

TEST(VibrationAmplitude, is_unknown_without_the_second_derivative) {
  LocalError error;
  error.displacement = {1e-3, 0};
  error.velocity = {0, 0};
  error.of_jerk = kappa;
  error.of_snap = kappa_v;
  VibrationAmplitude found;
  found.find(VibrationAmplitude(), error, 0.1);
  EXPECT_EQ(amplitude(found, 1), std::numeric_limits<double>::infinity());
  error.knows_between = true;
  found.find(VibrationAmplitude(), error, 0.1);
  EXPECT_EQ(amplitude(found), std::numeric_limits<double>::infinity());
  EXPECT_EQ(amplitude(found, 1), 0);
}

}  // namespace
}  // namespace trammel
