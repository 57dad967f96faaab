#include "solvers/reviews/law_verdict.hpp"

#include <gtest/gtest.h>

namespace trammel {
namespace {

using What = LawVerdict::What;

constexpr LawStep step{.start = 2, .end = 3, .believed = true, .force = 1e-6, .length = 1e-9, .slip = 1e-9};

UnilateralReading pressed(double before, double now) {
  return {.status = RowStatus::active, .multiplier = {before, now}};
}
UnilateralReading open(double gap, double rate, double gap_now, double rate_now) {
  return {.status = RowStatus::inactive, .gap = {gap, gap_now}, .rate = {rate, rate_now}};
}

TEST(UnilateralLaw, stays_closed_while_it_presses) {
  EXPECT_EQ(judge(pressed(-10, -3), step).what, What::keep);
  EXPECT_EQ(judge(pressed(-10, 5e-7), step).what, What::keep);
  EXPECT_EQ(judge(pressed(3, 5e-7), step).what, What::keep);
}

TEST(UnilateralLaw, opens_when_the_multiplier_changes_its_sign) {
  LawVerdict v = judge(pressed(-1, 3), step);
  EXPECT_EQ(v.what, What::cut);
  EXPECT_NEAR(v.time, 2.25, 1e-12);
  v = judge(pressed(-1, 5e-4), step);
  EXPECT_EQ(v.what, What::at_end);
  EXPECT_EQ(v.status, RowStatus::inactive);
  v = judge(pressed(-5e-4, 1), step);
  EXPECT_EQ(v.what, What::at_begin);
  EXPECT_EQ(v.time, 2);
  EXPECT_EQ(judge(pressed(1e-9, 1), step).what, What::at_begin);
}

TEST(UnilateralLaw, ignores_signs_in_the_transient_of_a_start) {
  LawStep first = step;
  first.believed = false;
  EXPECT_EQ(judge(pressed(-1, 3), first).what, What::keep);
  FrictionReading group{.rows = 1, .at_rest = {0.5, 0, 0}, .sliding = {0.5, 0, 0}};
  group.multiplier = {FrictionVector::Zero(), FrictionVector(20, 0, 0)};
  group.normal = {10, 10};
  EXPECT_EQ(judge(group, first).what, What::keep);
  EXPECT_EQ(judge(group, step).what, What::cut);
  // A gap is known from the first step on.
  EXPECT_EQ(judge(open(1, -2, -1, -2), first).what, What::cut);
}

TEST(UnilateralLaw, closes_when_the_gap_becomes_zero) {
  // Free fall: gap 1 - t^2.
  LawVerdict v = judge(open(1, 0, 0.75, -1), {.start = 0, .end = 0.5, .length = 1e-9});
  EXPECT_EQ(v.what, What::keep);
  v = judge(open(1, 0, -3, -4), {.start = 0, .end = 2, .length = 1e-9});
  EXPECT_EQ(v.what, What::cut);
  EXPECT_NEAR(v.time, 1, 1e-12);
  EXPECT_EQ(v.status, RowStatus::active);
  // Touches at the end of a step that was cut there, on either side.
  for (const double rest : {4e-10, -4e-10}) {
    v = judge(open(1, -1, rest, -1), step);
    EXPECT_EQ(v.what, What::at_end);
    EXPECT_EQ(v.status, RowStatus::active);
  }
  // Shut at both ends of the step but for a dip between them.
  v = judge(open(0.1, -1, 0.1, 1), step);
  EXPECT_EQ(v.what, What::cut);
  EXPECT_LT(v.time, 2.5);
  // Rounding after a lift-off is no touch-down.
  EXPECT_EQ(judge(open(-1e-12, 0, 3e-10, 1e-9), step).what, What::keep);
  EXPECT_EQ(judge(open(-1e-12, -1, -1, -1), step).what, What::at_begin);
}

TEST(UnilateralLaw, does_not_change_twice_at_one_instant) {
  UnilateralReading row = pressed(0, 3);
  EXPECT_EQ(judge(row, step).what, What::at_begin);
  row.switched = 2;
  const LawVerdict v = judge(row, step);
  EXPECT_EQ(v.what, What::cut);
  EXPECT_DOUBLE_EQ(v.time, 2.5);
}

FrictionReading sticking(const FrictionVector& before, const FrictionVector& now, double normal) {
  FrictionReading group{
      .status = RowStatus::active, .rows = 2, .at_rest = {0.5, 0.5, 0}, .sliding = {0.3, 0.3, 0}};
  group.multiplier = {before, now};
  group.normal = {normal, normal};
  return group;
}
FrictionReading slipping(const FrictionVector& before, const FrictionVector& now) {
  FrictionReading group{
      .status = RowStatus::slips, .rows = 2, .at_rest = {0.5, 0.5, 0}, .sliding = {0.5, 0.5, 0}};
  group.slip = {before, now};
  group.course = SlipDirection(group.sliding, 2, before, FrictionVector(1, 0, 0), step.slip);
  return group;
}

TEST(FrictionLaw, sticks_inside_its_cone) {
  EXPECT_EQ(judge(sticking({0, 0, 0}, {3, 3, 0}, 10), step).what, What::keep);
  const LawVerdict v = judge(sticking({0, 3, 0}, {8, 3, 0}, 10), step);
  EXPECT_EQ(v.what, What::cut);
  EXPECT_EQ(v.status, RowStatus::slips);
  EXPECT_NEAR(v.time, 2.5, 1e-12);  // |(4, 3)| = 5
}

TEST(FrictionLaw, slips_from_the_start_where_shorter_trials_do_not_lead_back_into_the_cone) {
  // At the start the multipliers of the step before hide 0.5 of the force; it grows at 1/s from 5.1 on, where the cone ends at 5.
  FrictionReading group = sticking({4.6, 0, 0}, {0, 0, 0}, 10);
  LawStep trial = step;
  LawVerdict v;
  int trials = 0;
  do {
    group.multiplier[1] = {5.1 + (trial.end - trial.start), 0, 0};
    v = judge(group, trial);
    group.earlier = outside_cone(group, trial);
    if (v.what == What::cut) trial.end = v.time;
  } while (++trials < 10 && v.what == What::cut);
  EXPECT_EQ(v.what, What::at_begin);
  EXPECT_EQ(v.status, RowStatus::slips);
  EXPECT_EQ(trials, 3);
  // A force that reaches the cone within the step is found there.
  group = sticking({4.6, 0, 0}, {0, 0, 0}, 10);
  trial = step;
  for (trials = 0; trials < 10; ++trials) {
    const double h = trial.end - trial.start;
    group.multiplier[1] = {4.7 + 3 * h - h * h, 0, 0};
    v = judge(group, trial);
    group.earlier = outside_cone(group, trial);
    if (v.what != What::cut) break;
    trial.end = v.time;
  }
  EXPECT_EQ(v.what, What::at_end);
  EXPECT_NEAR(trial.end - trial.start, 0.1036, 1e-3);
}

TEST(FrictionLaw, sticks_again_when_the_slip_is_zero) {
  EXPECT_EQ(judge(slipping({3, 0, 0}, {2, 0.5, 0}), step).what, What::keep);
  LawVerdict v = judge(slipping({3, 0, 0}, {-1, 0, 0}), step);
  EXPECT_EQ(v.what, What::cut);
  EXPECT_EQ(v.status, RowStatus::active);
  EXPECT_NEAR(v.time, 2.75, 1e-12);
  v = judge(slipping({3, 0, 0}, {1e-10, 0, 0}), step);
  EXPECT_EQ(v.what, What::at_end);
  EXPECT_EQ(v.status, RowStatus::active);
  v = judge(slipping({1e-8, 0, 0}, {-1, 0, 0}), step);
  EXPECT_EQ(v.what, What::at_begin);
}

TEST(FrictionLaw, shortens_a_step_in_which_the_slip_reverses) {
  const LawVerdict v = judge(slipping({3, 0, 0}, {-1, 0.5, 0}), step);
  EXPECT_EQ(v.what, What::cut);
  EXPECT_NEAR(v.time, 2.375, 1e-12);  // where half of the slip along its direction is left
  EXPECT_EQ(v.status, RowStatus::slips);
}

TEST(FrictionLaw, keeps_the_direction_of_slip_near_rest) {
  EXPECT_EQ(judge(slipping({0, 0, 0}, {2, 0.1, 0}), step).what, What::keep);
  EXPECT_EQ(judge(slipping({0, 0, 0}, {-2, 0, 0}), step).what, What::at_begin);
}

TEST(Laws, settle_at_a_restart) {
  EXPECT_EQ(settled(pressed(0, 1), step), RowStatus::inactive);
  EXPECT_EQ(settled(pressed(0, -1), step), RowStatus::active);
  EXPECT_EQ(settled(open(1, 0, 1, 0), step), RowStatus::inactive);
  EXPECT_EQ(settled(sticking({0, 0, 0}, {6, 0, 0}, 10), step), RowStatus::slips);
  EXPECT_EQ(settled(sticking({0, 0, 0}, {4, 0, 0}, 10), step), RowStatus::active);
}

}  // namespace
}  // namespace trammel
