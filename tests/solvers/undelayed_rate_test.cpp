#include "solvers/accuracy/undelayed_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace trammel {
namespace {

constexpr double h = 0.01, span = 1;  // a step, and the time in which the motion covers its range [s]

/// After so many seconds of these rates.
double after(UndelayedRate& rate, double time, const std::function<double(double)>& averaged,
             const std::function<double(double)>& last) {
  double found = 0;
  for (double t = 0; t < time; t += h) {
    found = rate.of(averaged(t), last(t), h, span);
    rate.accepted();
  }
  return found;
}

/// Of a crank: it varies threefold either way.
double wave(double t) { return std::exp(1.1 * std::sin(2 * t)); }

TEST(UndelayedRate, follows_the_last_errors_of_a_smooth_motion) {
  const auto late = [](double t) { return wave(t - 0.3); };
  for (double until = 20; until < 23; until += 0.5) {
    UndelayedRate other;
    const double found = after(other, until, late, wave), now = wave(until - h);
    EXPECT_NEAR(found, now, 0.35 * now) << until;
    EXPECT_TRUE(other.prompt());
  }
}

TEST(UndelayedRate, has_the_size_of_the_averages) {
  UndelayedRate rate;
  const auto most = [](double t) { return 0.6 * wave(t); };
  const double found = after(rate, 20, most, wave);
  EXPECT_NEAR(found, most(20), 0.1 * most(20));
}

TEST(UndelayedRate, is_the_averaged_one_where_vibrations_prevail) {
  UndelayedRate rate;
  EXPECT_DOUBLE_EQ(after(
                       rate, 20, [](double) { return 0.01; }, wave),
                   0.01);
  EXPECT_FALSE(rate.prompt());
}

TEST(UndelayedRate, is_the_averaged_one_where_bodies_collide) {
  UndelayedRate rate;
  const auto collisions = [](double t) { return std::fmod(t, 0.5) < 0.05 ? 1e3 : 1e-4; };
  EXPECT_DOUBLE_EQ(after(
                       rate, 20.3, [](double) { return 1.0; }, collisions),
                   1.0);
}

TEST(UndelayedRate, is_the_averaged_one_at_the_beginning_and_at_rest) {
  UndelayedRate rate;
  EXPECT_DOUBLE_EQ(after(
                       rate, 0.1, [](double) { return 2.0; }, wave),
                   2.0);
  EXPECT_DOUBLE_EQ(rate.of(2, 0, h, span), 2);
  EXPECT_DOUBLE_EQ(rate.of(0, 2, h, span), 0);
}

TEST(UndelayedRate, is_the_averaged_one_where_the_last_jumps) {
  UndelayedRate rate;
  after(rate, 20, wave, wave);
  EXPECT_DOUBLE_EQ(rate.of(3, 3e5, h, span), 3);
}

}  // namespace
}  // namespace trammel
