#include "rotation_equations.hpp"

#include <gtest/gtest.h>

#include "sample.hpp"

namespace trammel::generic_joint {
namespace {

Vec3 direction(int k) { return Vec3(std::sin(k), std::cos(2.3 * k), std::sin(3.1 * k + 1)).normalized(); }

/// Gradient and Hessian against differences in the exponential chart.
void expect_exact(const RotationEquations& equations, const Mat3& R, const std::string& what) {
  RotationTerms terms;
  equations.evaluate(R, true, terms);
  constexpr double h = 1e-3;
  const auto at = [&](const Vec3& x) {
    RotationTerms moved;
    equations.evaluate(R * so3::exp(x), false, moved);
    return Vec3(moved.C);
  };
  for (int i = 0; i < 3; ++i) {
    const Vec3 e = h * Vec3::Unit(i);
    const Vec3 slope =
        (45 * (at(e) - at(-e)) - 9 * (at(2 * e) - at(-2 * e)) + (at(3 * e) - at(-3 * e))) / (60 * h);
    for (int k = 0; k < equations.count(); ++k) EXPECT_NEAR(terms.G(k, i), slope[k], 1e-9) << what;
    for (int j = 0; j < 3; ++j) {
      // d2C(e_i, e_j) from second differences along e_i + e_j and e_i - e_j.
      const auto second = [&](const Vec3& d) {
        const Vec3 near = at(d) - 2 * at(Vec3::Zero()) + at(-d);
        const Vec3 far = at(2 * d) - 2 * at(Vec3::Zero()) + at(-2 * d);
        return Vec3((16 * near - far) / (12 * h * h));
      };
      const Vec3 u = h * (Vec3::Unit(i) + Vec3::Unit(j)), v = h * (Vec3::Unit(i) - Vec3::Unit(j));
      const Vec3 mixed = 0.25 * (second(u) - second(v));
      for (int k = 0; k < equations.count(); ++k)
        EXPECT_NEAR(terms.H[static_cast<std::size_t>(k)](i, j), mixed[k], 2e-7) << what;
    }
  }
}

TEST(RotationEquations, have_exact_derivatives) {
  for (unsigned bits = 0; bits < 8; ++bits) {
    const LockedAxes axes = axes_of(bits << 3U);
    for (int k = 0; k < 12; ++k) {
      const Mat3 R = so3::exp(Vec3((0.05 + 0.22 * k) * direction(k)));
      expect_exact(RotationEquations(axes, false), R, text(axes));
      if (axes.rotations() >= 2) expect_exact(RotationEquations(axes, true), R, text(axes) + " alternative");
    }
  }
}

TEST(RotationEquations, are_those_that_the_page_names) {
  const Mat3 R = so3::exp(Vec3(0.3, -0.4, 0.5));
  const auto C = [&](unsigned bits) {
    RotationTerms terms;
    RotationEquations(axes_of(bits << 3U), false).evaluate(R, false, terms);
    return Vec3(terms.C);
  };
  EXPECT_EQ(C(7), Vec3(R(2, 1), R(2, 0), R(0, 1)));
  EXPECT_EQ(C(6).head<2>(), Eigen::Vector2d(R(0, 1), R(0, 2)));  // x free
  EXPECT_EQ(C(5).head<2>(), Eigen::Vector2d(R(1, 0), R(1, 2)));  // y free
  EXPECT_EQ(C(3).head<2>(), Eigen::Vector2d(R(2, 0), R(2, 1)));  // z free
  EXPECT_EQ(C(1)[0], R(1, 2));                                   // x locked: y on A, z on B
  EXPECT_EQ(C(2)[0], R(0, 2));
  EXPECT_EQ(C(4)[0], R(0, 1));
}

TEST(RotationEquations, by_cosines_vanish_at_half_turns_and_the_alternative_does_not) {
  for (const unsigned bits : {7U, 6U, 5U, 3U}) {
    const LockedAxes axes = axes_of(bits << 3U);
    const RotationEquations cosines(axes, false), alternative(axes, true);
    const int free = axes.rotation_that_is(false, 0);
    for (int k = 0; k < 3; ++k) {
      const Mat3 half = so3::exp(Vec3(std::numbers::pi * Vec3::Unit(k)));
      RotationTerms terms;
      cosines.evaluate(half, false, terms);
      EXPECT_LT(terms.C.norm(), 1e-15);
      EXPECT_EQ(cosines.on_branch(half), k == free);
      if (k == free) continue;
      const Mat3 nearly = so3::exp(Vec3((std::numbers::pi - 1e-3) * Vec3::Unit(k)));
      alternative.evaluate(nearly, false, terms);
      EXPECT_NEAR(terms.C.norm(), std::numbers::pi - 1e-3, 1e-8);
      EXPECT_TRUE(alternative.on_branch(nearly));
    }
    EXPECT_TRUE(cosines.on_branch(Mat3::Identity()));
  }
}

TEST(RotationEquations, of_the_alternative_are_the_scaled_vector_part_of_the_quaternion) {
  for (int k = 0; k < 20; ++k) {
    const double angle = 0.155 * k + 0.01;
    const Quaternion q = so3::exp_quaternion(Vec3(angle * direction(k)));
    RotationTerms terms;
    RotationEquations(axes_of(7U << 3U), true).evaluate(q.toRotationMatrix(), false, terms);
    EXPECT_LT((terms.C - angle / std::sin(angle / 2) * q.vec()).norm(),
              1e-13 * (1 + angle / std::cos(angle / 2)));
    // The way back from a swing is one step of Newton's method.
    const Mat3 swung = so3::exp(Vec3(angle * Vec3(0, 0.6, -0.8)));
    const RotationEquations swing(axes_of(6U << 3U), true);
    terms = {};
    swing.evaluate(swung, false, terms);
    const Vec3 step =
        terms.G.topRows<2>().jacobiSvd(Eigen::ComputeFullU | Eigen::ComputeFullV).solve(-terms.C.head<2>());
    swing.evaluate(swung * so3::exp(step), false, terms);
    EXPECT_LT(terms.C.norm(), 1e-12) << angle;
  }
}

}  // namespace
}  // namespace trammel::generic_joint
