// Sizes of steps, events that crowd, and the motion inside a step, each for itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/accuracy/error_response.hpp"
#include "solvers/accuracy/event_crowding.hpp"
#include "solvers/accuracy/step_sizes.hpp"
#include "solvers/run/dense_output.hpp"
#include "test_models.hpp"
#include "trammel/lie.hpp"

namespace trammel::testing {
namespace {

/// Steps over a motion whose error rate is c(t) h^2.
template <class Rate>
std::vector<double> sizes(double accuracy, Rate&& c, int* rejected = nullptr) {
  StepSizes steps;
  steps.begin(10, accuracy, 0.1, 1e-3 * std::sqrt(accuracy));
  std::vector<double> all;
  for (double t = 0; t < 10;) {
    const double h = steps.next(10 - t), rate = c(t) * h * h / accuracy;
    if (!steps.accepts(h, rate)) {
      if (rejected != nullptr) ++*rejected;
      continue;
    }
    steps.accepted(h, rate);
    all.push_back(h);
    t = h == 10 - t ? 10 : t + h;
  }
  return all;
}

TEST(StepSizes, stay_the_same_if_they_are_suitable) {
  const std::vector<double> all = sizes(1e-4, [](double) { return 1.0; });
  const double h = all[all.size() / 2];
  for (std::size_t i = all.size() / 4; i + 4 < all.size(); ++i) EXPECT_EQ(all[i], h);
  const double rate = h * h / 1e-4;
  EXPECT_LE(rate, 1.3);
  EXPECT_GT(rate, 0.4);
}

TEST(StepSizes, lie_on_a_grid_of_ratio_root_two) {
  int rejected = 0;
  const std::vector<double> all = sizes(
      1e-4, [](double t) { return 1 + 50 * std::pow(std::sin(t), 2); }, &rejected);
  int changes = 0;
  for (std::size_t i = 30; i + 4 < all.size(); ++i) {
    const double steps = 2 * std::log2(all[i] / all[i - 1]);
    EXPECT_NEAR(steps, std::round(steps), 1e-9);
    if (all[i] != all[i - 1]) ++changes;
  }
  EXPECT_GT(changes, 10);
  EXPECT_LT(changes, static_cast<int>(all.size()) / 10);
  EXPECT_LE(rejected, static_cast<int>(all.size()) / 50);
}

TEST(StepSizes, are_at_most_the_longest) {
  const std::vector<double> all = sizes(1e-4, [](double) { return 0.0; });
  EXPECT_NEAR(*std::ranges::max_element(all), 0.1, 1e-12);
}

TEST(StepSizes, fall_by_a_factor_of_sixteen_at_once) {
  StepSizes steps;
  steps.begin(10, 1e-4, 0.1, 1e-2);
  for (int i = 0; i < 3; ++i) steps.accepted(steps.size(), 0.8);
  const double h = steps.size();
  EXPECT_FALSE(steps.accepts(h, 1e9));
  EXPECT_NEAR(steps.size(), h / 16, 1e-12 * h);
}

TEST(StepSizes, scale_with_the_root_of_the_accuracy) {
  const auto rate = [](double) { return 3.0; };
  const std::vector<double> coarse = sizes(1e-4, rate), fine = sizes(1e-6, rate);
  EXPECT_NEAR(coarse[coarse.size() / 2] / fine[fine.size() / 2], 10, 1e-9);
}

TEST(StepSizes, change_with_one_rejected_step_at_a_jump_of_the_error) {
  int rejected = 0;
  sizes(
      1e-4, [](double t) { return t < 5 ? 1.0 : 300.0; }, &rejected);
  EXPECT_EQ(rejected, 1);
}

TEST(EventCrowding, finds_bounces_that_come_ever_sooner) {
  EventCrowding events;
  double t = 0, interval = 0.1;
  int seen = 0;
  while (!events.crowded() && seen < 1000) {
    events.step(t += interval, true);
    interval *= 0.9;
    ++seen;
  }
  EXPECT_LT(seen, 50);
  EXPECT_NEAR(events.limit(), 1.0, 1e-6);
}

TEST(EventCrowding, accepts_regular_events) {
  EventCrowding events;
  for (int k = 0; k < 500; ++k) {
    events.step(0.01 * k, true);
    EXPECT_FALSE(events.crowded());
  }
}

TEST(EventCrowding, counts_again_after_an_ordinary_step) {
  EventCrowding events;
  double t = 0, interval = 0.1;
  for (int k = 0; k < 200; ++k) {
    events.step(t += interval, true);
    if (k % 30 == 29) events.step(t, false);
    interval *= 0.9;
    EXPECT_FALSE(events.crowded());
  }
}

// Events at 1 - 1/k: with ordinary steps in between, and without end before t = 1.
TEST(EventCrowding, finds_events_without_end_among_ordinary_steps) {
  EventCrowding events;
  int seen = 0;
  while (!events.crowded() && seen < 1000) {
    ++seen;
    events.step(1 - 1.0 / seen, true);
    events.step(1 - 1.0 / (seen + 0.5), false);
  }
  EXPECT_LT(seen, 300);
  EXPECT_NEAR(events.limit(), 1.0, 1e-9);
}

TEST(EventCrowding, accepts_events_that_come_ever_sooner_without_end_of_time) {
  EventCrowding events;
  for (int k = 1; k < 100000; ++k) {
    events.step(std::log(static_cast<double>(k)), true);
    events.step(std::log(k + 0.5), false);
    ASSERT_FALSE(events.crowded()) << k;
  }
}

TEST(ErrorResponse, gives_up_where_shorter_steps_do_not_help) {
  ErrorResponse response;
  int refused = 0;
  double h = 1e-3;
  while (response.too_large(1, h, 2, 1)) {
    h *= 0.7;
    ASSERT_LT(++refused, 10);
  }
  EXPECT_FALSE(response.counts(1.01));
  EXPECT_TRUE(response.counts(1.1));
}

TEST(ErrorResponse, goes_on_while_shorter_steps_help) {
  ErrorResponse response;
  double h = 1e-3;
  for (int k = 0; k < 20; ++k, h *= 0.7) EXPECT_TRUE(response.too_large(1, h, 1e6 * h * h, 1));
}

TEST(ErrorResponse, takes_a_faster_motion_for_another_one) {
  ErrorResponse response;
  double h = 1e-3;
  for (int k = 0; k < 20; ++k, h *= 0.7) EXPECT_TRUE(response.too_large(k, h, 2, 20));
}

// A body of the heavy top that spins and turns: errors of the state in the middle of a step go with its fourth power.
TEST(DenseStep, follows_a_rotation_to_fourth_order) {
  HeavyTop top;
  const auto at = [&](double t) {
    State s = top.assembler->layout().initial_state();
    s.time = t;
    const Vec3 theta(std::sin(t), 0.5 * t * t, t), rate(std::cos(t), t, 1), second(-std::sin(t), 1, 0);
    const Vec3 w = so3::T(theta) * rate;
    const Vec3 turn = so3::T(theta) * second + so3::dT(theta, rate) * rate;
    const BlockOffset offset = top.assembler->layout().offset(top.frame.rotation);
    set_rotation(&s.value[static_cast<std::size_t>(offset.value)], so3::exp_quaternion(theta));
    std::copy_n(w.data(), 3, &s.rate[static_cast<std::size_t>(offset.dof)]);
    std::copy_n(turn.data(), 3, &s.acceleration[static_cast<std::size_t>(offset.dof)]);
    return s;
  };
  const auto error = [&](double h) {
    const State begin = at(0.3), end = at(0.3 + h), middle = at(0.3 + 0.4 * h);
    const State found = DenseStep(top.assembler->layout(), begin, end).at(middle.time);
    const Quaternion a = quaternion_of(top.value(found, top.frame.rotation)),
                     b = quaternion_of(top.value(middle, top.frame.rotation));
    EXPECT_NEAR(a.norm(), 1, 1e-14);
    const Eigen::Map<const Vec3> w(top.rate(found, top.frame.rotation)),
        true_w(top.rate(middle, top.frame.rotation));
    return std::pair{so3::log(a.conjugate() * b).norm(), (w - true_w).norm()};
  };
  const auto [turn_1, rate_1] = error(0.2);
  const auto [turn_2, rate_2] = error(0.1);
  EXPECT_GT(std::log2(turn_1 / turn_2), 3.7);
  EXPECT_GT(std::log2(rate_1 / rate_2), 3.7);
  EXPECT_LT(turn_2, 1e-5);
}

}  // namespace
}  // namespace trammel::testing
