// How an accuracy is divided among the steps of a stage.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "solvers/accuracy/error_budget.hpp"
#include "solvers/accuracy/step_sizes.hpp"

namespace trammel::testing {
namespace {

constexpr double span = 10;

struct Steps {
  double number = 0, error = 0;  ///< of the steps; sum of their errors over the accuracy
  double cubes = 0;              ///< sum of h^3
  double shortest = span, longest = 0;
};

/// Steps over a motion whose local error per unit of time is d(t) h^2, the mean of which may be the accuracy over the span.
template <class Density>
Steps steps(double accuracy, Density&& d) {
  StepSizes sizes;
  ErrorBudget budget;
  sizes.begin(span, accuracy, span / 100, 0.01 * std::sqrt(accuracy));
  budget.begin(0, span);
  Steps all;
  for (double t = 0; t < span;) {
    const double remaining = span - t, h = sizes.next(remaining), part = d(t) * h * h * h / accuracy,
                 rate = part * span / h / budget.share(part, h, t + h, 0);
    if (!sizes.accepts(h, rate)) continue;
    sizes.accepted(h, rate);
    budget.spend(part, h);
    ++all.number;
    all.error += part;
    all.cubes += h * h * h;
    if (t > 0.2 * span) {
      all.shortest = std::min(all.shortest, h);
      all.longest = std::max(all.longest, h);
    }
    t = h == remaining ? span : t + h;
  }
  return all;
}

/// Mean of f(t) over the span.
template <class Function>
double mean(Function&& f) {
  constexpr int parts = 100000;
  double sum = 0;
  for (int i = 0; i < parts; ++i) sum += f(span * (i + 0.5) / parts);
  return sum / parts;
}

TEST(ErrorBudget, is_kept) {
  const auto swings = [](double t) { return 1 + 1000 * std::pow(std::sin(3 * t), 8); };
  const auto grows = [](double t) { return std::pow(t + 0.01, 6); };
  const auto falls = [](double t) { return std::pow(t + 0.01, -3); };
  const auto jumps = [](double t) { return t < 7 ? 1.0 : 1e6; };
  for (const double accuracy : {1e-3, 1e-4}) {
    EXPECT_LT(steps(accuracy, swings).error, 1.02);
    EXPECT_LT(steps(accuracy, grows).error, 1.02);
    EXPECT_LT(steps(accuracy, falls).error, 1.02);
    EXPECT_LT(steps(accuracy, jumps).error, 1.02);
    EXPECT_GT(steps(accuracy, swings).error, 0.4);
  }
}

// With error densities from 1 to 257, equal rates give sizes up to 16 times apart, shares of the fourth root 4 times; the grid adds a
// factor of root 2 at both ends.
TEST(ErrorBudget, gives_sizes_that_go_with_the_fourth_root_of_the_density) {
  const Steps all = steps(1e-6, [](double t) { return 1 + 256 * std::pow(std::sin(3 * t), 4); });
  EXPECT_GT(all.longest / all.shortest, 2.8);
  EXPECT_LT(all.longest / all.shortest, 8.1);
}

// Sizes h(t) take the mean of 1/h in steps. Their errors are the mean of h^2 d where they add up, and in proportion to that of h^2
// where the errors of a fixed step cancel.
TEST(ErrorBudget, needs_few_steps_whether_errors_add_up_or_cancel) {
  const auto d = [](double t) { return std::exp(3 * std::sin(3 * t)); };
  constexpr double accuracy = 1e-6;
  const Steps ours = steps(accuracy, d);
  const double as_one = std::sqrt(span * span * span / accuracy);  // steps for d = 1 and the error asked for
  const double least = as_one * std::pow(mean([&](double t) { return std::cbrt(d(t)); }), 1.5);
  EXPECT_LT(ours.number * std::sqrt(ours.error), 1.15 * least);
  const double beside_fixed = ours.number / span * std::sqrt(ours.cubes / span);
  const double of_equal_rates =
      mean([&](double t) { return std::sqrt(d(t)); }) * std::sqrt(mean([&](double t) { return 1 / d(t); }));
  EXPECT_GT(of_equal_rates, 3);
  EXPECT_LT(beside_fixed, 1.6);
}

TEST(ErrorBudget, scales_with_the_accuracy) {
  const auto d = [](double t) { return 2 + std::sin(t); };
  const Steps coarse = steps(1e-4, d), fine = steps(1e-6, d);
  EXPECT_NEAR(coarse.error, fine.error, 0.1);
  EXPECT_NEAR(fine.number / coarse.number, 10, 0.5);
}

}  // namespace
}  // namespace trammel::testing
