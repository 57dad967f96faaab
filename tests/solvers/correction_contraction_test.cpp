#include "solvers/constraints/correction_contraction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace trammel {
namespace {

using Change = CorrectionContraction::Change;

/// Errors of velocities and of multipliers. A solve leaves a part of both, and makes an error of multipliers of that of velocities.
struct Errors {
  double velocities = 1, multipliers = 1;
  static constexpr double amplified = 100;

  Change solve(double left) {
    const Errors before = *this;
    velocities = left * before.velocities;
    multipliers = left * (before.multipliers + amplified * before.velocities);
    return {.all = std::max(before.velocities, before.multipliers),
            .velocities = before.velocities,
            .accelerations = before.velocities};
  }
  double largest() const { return std::max(velocities, multipliers); }
};

/// A matrix of this age, of which nothing is known.
CorrectionContraction kept(int age) {
  CorrectionContraction its;
  its.renew(true, false);
  for (int k = 0; k < age; ++k) its.step();
  its.keep();
  return its;
}

TEST(CorrectionContraction, bounds_the_error_after_each_solve_once_it_was_seen) {
  CorrectionContraction its = kept(1);
  // Later corrections are of other sizes and mixed otherwise.
  const std::vector<Errors> corrections = {{1, 1}, {0.3, 20}, {2, 0.1}, {1e-3, 5}};
  for (std::size_t i = 0; i < corrections.size(); ++i) {
    const double left = 0.01 * static_cast<double>(i + 1);  // it grows with age
    Errors errors = corrections[i];
    its.keep();
    for (int k = 0; k < 4; ++k) {
      const Change change = errors.solve(left);
      its.solved(change);
      if (i == 0 && k < 2) continue;
      EXPECT_GE(its.left() * change.all, errors.largest() * (1 - 1e-12)) << i << " " << k;
    }
    its.step();
  }
}

TEST(CorrectionContraction, sees_that_further_solves_leave_less_than_the_first) {
  CorrectionContraction its = kept(1);
  Errors errors;
  its.solved(errors.solve(0.01));
  its.solved(errors.solve(0.01));
  EXPECT_NEAR(its.left(), 1.01, 1e-12) << "multipliers changed as much as before";
  EXPECT_NEAR(its.later(), 0.01, 1e-12) << "velocities did not";
}

TEST(CorrectionContraction, of_a_new_matrix_is_unknown_until_seen_and_none_where_it_is_exact) {
  CorrectionContraction its;
  its.renew(true, false);
  its.solved({.all = 1, .velocities = 1, .accelerations = 1});
  EXPECT_EQ(its.left(), 1);
  EXPECT_FALSE(its.is_known());
  its.solved({.all = 2e-3, .velocities = 2e-3, .accelerations = 2e-3});
  EXPECT_DOUBLE_EQ(its.left(), 2e-3);
  its.renew(true, false);
  its.solved({.all = 1, .velocities = 1, .accelerations = 1});
  EXPECT_DOUBLE_EQ(its.left(), 2 * 2e-3);
  its.renew(false, false);
  its.solved({.all = 1, .velocities = 1, .accelerations = 1});
  EXPECT_EQ(its.left(), 0);
}

TEST(CorrectionContraction, takes_no_rounding_errors_for_an_error_of_the_matrix) {
  CorrectionContraction its = kept(1);
  const Change noise{
      .all = 1e-9, .velocities = 1e-9, .accelerations = 1e-9, .is_noise = true, .is_noise_of_forces = true};
  its.solved(noise);
  EXPECT_FALSE(its.stalls()) << "nothing is known of this matrix yet";
  EXPECT_TRUE(its.is_hidden());
  its.solved(noise);
  EXPECT_TRUE(its.stalls());
  its.step();
  its.keep();
  its.solved(noise);
  EXPECT_TRUE(its.stalls()) << "a second solve would change as much";
  its.keep();
  its.solved({.all = 1e-9, .velocities = 1e-9, .accelerations = 1e-9, .is_noise = true});
  EXPECT_FALSE(its.stalls()) << "in a short step, rounding errors of positions are large velocities";
}

TEST(CorrectionContraction, does_not_take_a_poor_matrix_for_rounding_errors) {
  CorrectionContraction its = kept(1);
  its.solved({.all = 1, .velocities = 1, .accelerations = 1});
  its.solved({.all = 0.6, .velocities = 0.6, .accelerations = 0.6});
  its.step();
  its.keep();
  its.solved({.all = 1e-9, .velocities = 1e-9, .accelerations = 1e-9, .is_noise = true});
  EXPECT_FALSE(its.stalls());
}

TEST(CorrectionContraction, is_forgotten) {
  CorrectionContraction its = kept(1);
  Errors errors;
  for (int k = 0; k < 3; ++k) its.solved(errors.solve(0.01));
  its.step();
  its.keep();
  EXPECT_TRUE(its.is_known());
  its.forget();
  EXPECT_FALSE(its.is_known());
}

}  // namespace
}  // namespace trammel
