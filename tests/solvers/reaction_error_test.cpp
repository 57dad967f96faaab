// The error of multipliers for the size of a step.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "solvers/errors/alpha_coefficients.hpp"
#include "solvers/errors/smoothed_difference.hpp"

namespace trammel::testing {
namespace {

using Complex = std::complex<double>;

// A motion exp(s t/h) with s = i w, where w is the angle that it goes on by in a step. What the method makes of its accelerations is
// 1 + c s^2 times them.
double coefficient(Complex found, double w) { return ((found - 1.0) / (-w * w)).real(); }

TEST(ReactionError, is_that_of_accelerations_from_given_positions) {
  for (const double rho : {0.0, 0.5, 0.8, 0.9, 1.0}) {
    const double w = 1e-2;
    const Complex s(0, w), z = std::exp(s);
    // docs/time_integration.md, section 12
    const Complex G = std::pow(1 + rho, 2) * (z - 1.0) * (z - 1.0) * ((2 - rho) * z + 2 * rho - 1) /
                      ((z + rho) * (z + rho) * (z + rho));
    EXPECT_NEAR(AlphaCoefficients::from_radius(rho).reaction_error_by_positions(),
                coefficient(G / (s * s), w), 1e-3)
        << rho;
  }
}

TEST(ReactionError, is_that_of_accelerations_from_given_velocities) {
  for (const double rho : {0.0, 0.5, 0.8, 0.9, 1.0}) {
    const AlphaCoefficients c = AlphaCoefficients::from_radius(rho);
    const double w = 1e-2;
    const Complex s(0, w), z = std::exp(s);
    // The relations of section 2 between v, a and v', for v_n = z^n.
    const Complex a = (z - 1.0) / ((1 - c.gamma) + c.gamma * z);
    const Complex of_v = a * ((1 - c.alpha_m) * z + c.alpha_m) / ((1 - c.alpha_f) * z + c.alpha_f);
    EXPECT_NEAR(c.reaction_error_by_velocities(), coefficient(of_v / s, w), 1e-3) << rho;
  }
}

TEST(SmoothedDifference, is_exact_for_a_parabola_and_blind_to_what_alternates) {
  const double times[] = {0.4, 0.3, 0.2, 0.1, 0.0};  // the newest first
  const auto weights = smoothed_difference(times, 2, 0.9);
  double exact = 0, alternating = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    exact += weights[i] * (3 * times[i] * times[i] - times[i] + 2);
    alternating += weights[i] * std::pow(-0.9, -static_cast<double>(i));
  }
  EXPECT_NEAR(exact, 6, 1e-11);
  EXPECT_NEAR(alternating, 0, 1e-10);
}

TEST(SmoothedDifference, leaves_out_a_value_too_close_to_a_newer_one_but_follows_shorter_steps) {
  const double event[] = {0.4, 0.3, 0.299, 0.2, 0.1};  // a step of 1 ms ended at an event
  const auto weights = smoothed_difference(event, 2, 0.9);
  EXPECT_EQ(weights[2], 0);
  EXPECT_NE(weights[3], 0);
  const double shorter[] = {0.302, 0.301, 0.3, 0.2, 0.1};  // the steps became 100 times shorter
  for (const double weight : smoothed_difference(shorter, 2, 0.9)) EXPECT_NE(weight, 0);
}

TEST(Surprise, counts_a_jump_in_full_and_neither_a_line_nor_what_alternates) {
  const double times[] = {0.4, 0.3, 0.2, 0.1, 0.0};  // the newest first
  const Surprise weights = surprise(times, 0.9);
  for (const auto& [of, of_square] : {std::pair(weights.of_line, true), std::pair(weights.of_curve, false)}) {
    double line = 0, square = 0, alternating = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      line += of[i] * (2 - 3 * times[i]);
      square += of[i] * times[i] * times[i];
      alternating += of[i] * std::pow(-0.9, -static_cast<double>(i));
    }
    EXPECT_NEAR(of[0], 1, 1e-12);
    EXPECT_NEAR(line, 0, 1e-12);
    EXPECT_NEAR(alternating, 0, 1e-12);
    // From a line a parabola differs by its second difference, which the average of two values does not change.
    EXPECT_NEAR(square, of_square ? 1.9 * 0.02 : 0, 1e-12);
  }
  const double three[] = {0.4, 0.3, 0.1}, two[] = {0.4, 0.3};
  const std::vector<double> few = surprise(three, 0.9).of_curve;
  EXPECT_NEAR(few[1], -1.5, 1e-12);
  EXPECT_NEAR(few[2], 0.5, 1e-12);
  EXPECT_EQ(surprise(two, 0.9).of_line, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace trammel::testing
