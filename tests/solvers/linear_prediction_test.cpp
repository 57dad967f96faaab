#include "solvers/newton/linear_prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <numbers>
#include <vector>

namespace trammel {
namespace {

/// Steps of a few numbers, each of which is predicted from those before.
class Predicted {
 public:
  explicit Predicted(int highest = LinearPrediction::most, double noise = 0,
                     const Weights& weights = no_weights)
      : prediction_(highest), noise_(noise), weights_(weights) {}

  /// The next step: the largest weighed error of its prediction, NaN for the first two.
  double step(const std::vector<double>& now) {
    double error = std::nan("");
    if (steps_.size() >= 2) {
      error = 0;
      LinearPrediction::Known known{};
      for (int k = 0; k <= prediction_.orders(); ++k) known[at(k)] = steps_[at(k)].data();
      std::vector<double> expected(now.size());
      prediction_.predict(known, static_cast<int>(now.size()), expected.data());
      for (std::size_t i = 0; i < now.size(); ++i)
        error = std::max(error, weights_[i % frame_size] * std::abs(now[i] - expected[i]));
      compare(now);
    }
    steps_.push_front(now);
    return error;
  }
  LinearPrediction& prediction() { return prediction_; }
  void forget() {
    prediction_.forget();
    steps_.resize(2);
  }

 private:
  void compare(const std::vector<double>& now) {
    LinearPrediction::Steps steps{now.data()};
    for (int k = 0; k <= prediction_.orders(); ++k) steps[at(k + 1)] = steps_[at(k)].data();
    prediction_.begin();
    prediction_.add(steps, weights_, static_cast<int>(now.size()));
    prediction_.end(noise_);
  }

  LinearPrediction prediction_;
  double noise_;
  Weights weights_;
  std::deque<std::vector<double>> steps_;
};

/// The largest error of steps `from` to `to` of numbers that depend on the step.
template <class Numbers>
double largest_error(Predicted& predicted, const Numbers& numbers, int from, int to) {
  double largest = 0;
  for (int n = 0; n < to; ++n) {
    const double error = predicted.step(numbers(n));
    if (n >= from) largest = std::max(largest, error);
  }
  return largest;
}

TEST(LinearPrediction, begins_with_a_line) {
  Predicted predicted;
  predicted.step({1, -2});
  predicted.step({3, -1});
  EXPECT_EQ(predicted.step({5, 0}), 0);
}

TEST(LinearPrediction, continues_a_parabola) {
  Predicted predicted;
  const auto numbers = [](double n) { return std::vector{n * n, 1 - 3 * n, 0.5 * n * n - n}; };
  EXPECT_LT(largest_error(predicted, numbers, 5, 30), 1e-6 * 900);
}

TEST(LinearPrediction, counts_each_number_once_however_many_there_are) {
  const auto number = [](int n) { return std::cos(1e3 * n * n) + 0.02 * n; };
  Predicted one(2);
  for (int n = 0; n < 20; ++n) one.step({number(n)});
  const auto expected = one.prediction().factors();
  for (const std::size_t size : {2U, 6U, 11U, 12U, 13U, 24U, 31U}) {
    Predicted many(2);
    for (int n = 0; n < 20; ++n) many.step(std::vector(size, number(n)));
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(many.prediction().factors()[k], expected[k], 1e-9) << size << ' ' << k;
  }
}

TEST(LinearPrediction, weighs_each_number_of_a_frame) {
  for (std::size_t only = 0; only < frame_size; ++only)
    for (const std::size_t size : {6U, 12U, 18U, 23U, 24U, 30U}) {
      Weights weights{};
      weights[only] = 2;
      Predicted predicted(LinearPrediction::most, 0, weights);
      // Numbers that do not count jump.
      const auto numbers = [&](int n) {
        std::vector<double> all(size);
        for (std::size_t i = 0; i < size; ++i)
          all[i] = i % frame_size == only ? static_cast<double>(i) + n * n
                                          : 1e3 * std::cos(1e3 * n * n + static_cast<double>(i));
        return all;
      };
      EXPECT_LT(largest_error(predicted, numbers, 6, 30), 1e-6 * 900) << only << ' ' << size;
    }
}

TEST(LinearPrediction, continues_vibrations_of_several_frequencies) {
  Predicted predicted;
  const auto numbers = [](double n) {
    return std::vector{std::sin(0.3 * n), std::cos(0.3 * n) + 0.1 * std::cos(1.1 * n),
                       0.1 * std::sin(1.1 * n)};
  };
  // Four coefficients would be enough for two frequencies; their sum is determined from the eighth step on.
  EXPECT_LT(largest_error(predicted, numbers, 12, 60), 1e-4);
}

TEST(LinearPrediction, continues_numbers_that_change_their_sign_with_each_step) {
  Predicted predicted(1);
  const auto numbers = [](double n) {
    return std::vector{std::cos(std::numbers::pi * n) * std::pow(0.9, n)};
  };
  EXPECT_LT(largest_error(predicted, numbers, 5, 40), 1e-8);
}

TEST(LinearPrediction, passes_a_sudden_change_without_errors_larger_than_those_of_a_line) {
  Predicted predicted;
  const auto numbers = [](int n) {
    const double t = 0.05 * n;
    return std::vector{std::sin(t) + (n < 40 ? 0.0 : 1.0), std::cos(t), n < 40 ? 0.0 : 3 * std::exp(-t)};
  };
  double of_change = 0;
  for (int n = 0; n < 80; ++n) {
    const double error = predicted.step(numbers(n));
    if (n < 41) continue;
    of_change = std::max(of_change, error);
    if (n > 65) {
      EXPECT_LT(error, 1e-5) << n;
    }
  }
  EXPECT_LT(of_change, 2.0);
}

TEST(LinearPrediction, keeps_noise_small) {
  Predicted predicted;
  unsigned seed = 1;
  const auto noise = [&] {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<double>(seed) / 4294967296.0 - 0.5;
  };
  double square = 0;
  constexpr int steps = 200, numbers = 50;
  for (int n = 0; n < steps; ++n) {
    std::vector<double> now;
    for (int i = 0; i < numbers; ++i) now.push_back(noise());
    const double error = predicted.step(now);
    if (n >= 20) square += error * error;
  }
  // A line has errors of up to 4 * 0.5, a polynomial of degree 6 some of 64 * 0.5; a constant those of two numbers.
  EXPECT_LT(std::sqrt(square / (steps - 20)), 1.2);
}

TEST(LinearPrediction, of_numbers_that_do_not_move_is_these_numbers) {
  Predicted predicted;
  for (int n = 0; n < 20; ++n) {
    const double error = predicted.step({0, 0, 0});
    if (n >= 2) {
      EXPECT_EQ(error, 0);
    }
  }
}

TEST(LinearPrediction, forgets) {
  Predicted predicted;
  const auto numbers = [](double n) { return std::vector{std::sin(0.3 * n), std::cos(0.3 * n)}; };
  largest_error(predicted, numbers, 0, 20);
  EXPECT_EQ(predicted.prediction().orders(), LinearPrediction::most);
  predicted.forget();
  EXPECT_EQ(predicted.prediction().orders(), 1);
  EXPECT_EQ(predicted.prediction().factors()[0], 2);
  EXPECT_EQ(predicted.prediction().factors()[1], -1);
}

}  // namespace
}  // namespace trammel
