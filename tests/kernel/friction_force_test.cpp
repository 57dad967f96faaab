#include "trammel/friction_force.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace trammel {
namespace {

using Coefficients = std::array<double, 3>;
const Coefficients unequal{0.3, 0.5, 0.2};

FrictionVector random_slip(std::mt19937& random, int rows) {
  std::uniform_real_distribution<double> number(-1, 1);
  FrictionVector s = FrictionVector::Zero();
  for (int i = 0; i < rows; ++i) s[i] = number(random);
  return s;
}

/// lambda = D^2 s/|D s| N, written out.
FrictionVector coulomb(const Coefficients& D, const FrictionVector& s, double normal) {
  FrictionVector u = s, f = s;
  for (int i = 0; i < 3; ++i) {
    u[i] *= D[static_cast<std::size_t>(i)];
    f[i] *= std::pow(D[static_cast<std::size_t>(i)], 2);
  }
  return f * (normal / u.norm());
}

TEST(FrictionForce, is_that_of_Coulomb_along_the_slip) {
  std::mt19937 random(1);
  for (int rows = 1; rows <= 3; ++rows)
    for (int k = 0; k < 20; ++k) {
      const FrictionVector before = random_slip(random, rows), now = before + 0.3 * random_slip(random, rows);
      const SlipDirection course(unequal, rows, before, FrictionVector::Zero(), 1e-9);
      FrictionVector u = now;
      for (int i = 0; i < rows; ++i) u[i] *= unequal[static_cast<std::size_t>(i)];
      if (u.dot(course.direction) < course.near) continue;
      const FrictionForce f(unequal, rows, now, 7, course);
      EXPECT_LT((f.force - coulomb(unequal, now, 7)).norm(), 1e-14);
      EXPECT_GT(f.force.dot(now), 0);
      EXPECT_NEAR(cone_excess(unequal, rows, f.force, 7), 0, 1e-14);
    }
}

TEST(FrictionForce, has_exact_derivatives) {
  std::mt19937 random(2);
  const double step = 1e-5;
  for (int rows = 1; rows <= 3; ++rows)
    for (int k = 0; k < 40; ++k) {
      // Along the direction of slip, across it and against it.
      const FrictionVector before = random_slip(random, rows), now = 0.5 * random_slip(random, rows);
      const SlipDirection course(unequal, rows, before, FrictionVector::Zero(), 0.01);
      const FrictionForce f(unequal, rows, now, 7, course);
      for (int i = 0; i < rows; ++i) {
        FrictionVector d = FrictionVector::Zero();
        d[i] = step;
        const auto at = [&](double x) { return FrictionForce(unequal, rows, now + x * d, 7, course).force; };
        const FrictionVector slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
        EXPECT_LT((f.by_slip.col(i) - slope).norm(), 1e-6 * (1 + f.by_slip.norm())) << rows << ' ' << k;
      }
      EXPECT_LT((f.force - 7 * f.by_normal).norm(), 1e-14);
    }
}

TEST(FrictionForce, keeps_its_sign_in_one_row) {
  const SlipDirection course({0.4, 0, 0}, 1, FrictionVector(-2, 0, 0), FrictionVector::Zero(), 1e-9);
  for (const double s : {-3.0, -1e-12, 0.0, 1e-12, 5.0}) {
    const FrictionForce f({0.4, 0, 0}, 1, FrictionVector(s, 0, 0), 10, course);
    EXPECT_DOUBLE_EQ(f.force[0], -4);
    EXPECT_EQ(f.by_slip(0, 0), 0);
  }
}

TEST(FrictionForce, begins_from_rest_in_the_direction_of_its_multipliers) {
  // The sticking force was (3, 4): the slip is along D^-2 lambda, and the force of sliding opposes it.
  const Coefficients D{0.5, 0.25, 0};
  const SlipDirection course(D, 2, FrictionVector::Zero(), FrictionVector(3, 4, 0), 1e-9);
  const FrictionVector s(3 / 0.25, 4 / 0.0625, 0);
  const FrictionForce at_rest(D, 2, FrictionVector::Zero(), 10, course), moving(D, 2, s, 10, course);
  EXPECT_LT((at_rest.force - coulomb(D, s, 10)).norm(), 1e-13);
  EXPECT_LT((moving.force - coulomb(D, s, 10)).norm(), 1e-13);
  EXPECT_TRUE(at_rest.by_slip.allFinite());
}

/// A particle that slides and is pushed aside, m s' = p - F(s), by implicit steps from rest: Newton's method converges from
/// s = 0 in the first one.
TEST(FrictionForce, lets_Newtons_method_converge_from_rest) {
  const Coefficients D{0.3, 0.3, 0};
  const FrictionVector push(4, 2, 0);
  const double h = 1e-3;
  const SlipDirection course(D, 2, FrictionVector::Zero(), FrictionVector(2, 1.4, 0), 1e-9);
  FrictionVector s = FrictionVector::Zero();
  int iterations = 0;
  for (double error = 1; error > 1e-12; ++iterations) {
    ASSERT_LT(iterations, 12);
    const FrictionForce f(D, 2, s, 10, course);
    const FrictionVector r = s - h * (push - f.force);
    const Mat3 K = Mat3::Identity() + h * f.by_slip;
    s -= K.lu().solve(r);
    error = r.norm();
  }
  EXPECT_LT((s - h * (1 - 3 / push.norm()) * push).norm(), 1e-9);
}

TEST(Cone, is_given_by_the_coefficients_at_rest) {
  EXPECT_DOUBLE_EQ(cone_excess({0.5, 0.25, 0}, 2, FrictionVector(3, 2, 0), 10), 0);
  EXPECT_LT(cone_excess({0.5, 0.25, 0}, 2, FrictionVector(4.9, 0, 0), 10), 0);
  EXPECT_GT(cone_excess({0.5, 0.25, 0}, 2, FrictionVector(0, 2.6, 0), 10), 0);
}

}  // namespace
}  // namespace trammel
