#include "rotation_laws.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "trammel/constraint.hpp"

namespace trammel::lower_pairs {
namespace {

/// Constraints I, III (about e3 and about e1) and the equality of orientations as formulas.
class Formula : public Constraint<Formula, 6, 1> {
 public:
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Mat3T<S>& R = x.R_AB;
    C[0] = R(2, 0);
    C[1] = R(0, 0) * sin(x.c[0]) + R(0, 1) * cos(x.c[0]);
    C[2] = R(1, 1) * sin(x.c[0]) + R(1, 2) * cos(x.c[0]);
    // 2 q_v = axial(R) / q_0 with 4 q_0^2 = 1 + tr R.
    C.template tail<3>() = axial(R) * (2.0 / sqrt(1.0 + R(0, 0) + R(1, 1) + R(2, 2)));
  }
};

struct Sample {
  RelativeState<1> x;
  explicit Sample(int k) {
    x.R_AB = so3::exp((0.1 + 0.14 * k) * Vec3(std::sin(k), std::cos(k), std::sin(3 * k)).normalized());
    x.p_AB_A.setZero();
    x.c[0] = 0.5 * k;
  }
};

/// Of equations of the rotation and one coordinate, by z = (dtheta; c): along group increments.
struct Levels {
  JointTerms<3, 1> terms;

  explicit Levels(const Sample& s) { AboutAxis<true>::terms(s.x.R_AB, s.x.c.data(), true, 0, terms); }
  Eigen::Matrix<double, 3, 4> gradient() const { return terms.G.rightCols<4>(); }
  Eigen::Matrix4d second(int i) const {
    return terms.H[static_cast<std::size_t>(i)].bottomRightCorner<4, 4>();
  }
};

TEST(GenericConstraints, are_those_of_the_formulas) {
  for (int k = 0; k < 20; ++k) {
    const Sample s(k);
    JointTerms<6, 1> formula;
    Formula().terms(s.x, true, formula);
    JointTerms<3, 1> terms;
    vanishing_rotation(s.x.R_AB, 2, 0, true, 0, terms);
    relative_rotation(s.x.R_AB, 2, s.x.c[0], true, 1, 0, terms);
    relative_rotation(s.x.R_AB, 0, s.x.c[0], true, 2, 0, terms);
    EXPECT_LT((terms.C - formula.C.head<3>()).norm(), 1e-13);
    EXPECT_LT((terms.G - formula.G.topRows<3>()).norm(), 1e-13);
    JointTerms<3, 0> same;
    SameRotation::terms(s.x.R_AB, nullptr, true, 0, same);
    EXPECT_LT((same.C - formula.C.tail<3>()).norm(), 1e-13);
    EXPECT_LT((same.G - formula.G.block<3, 6>(3, 0)).norm(), 1e-12);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT((terms.H[i] - formula.H[i]).norm(), 1e-13);
      EXPECT_LT((same.H[i] - formula.H[i + 3].block<6, 6>(0, 0)).norm(), 1e-11);
    }
  }
}

/// Rates and accelerations against differences along a motion, second derivatives against differences of the gradient.
TEST(GenericConstraints, have_all_levels) {
  const double h = 1e-4;
  for (int k = 0; k < 20; ++k) {
    const Sample s(k);
    const Eigen::Vector4d rate(0.7, -1.1, 0.4, 0.9), acceleration(-0.3, 0.8, 1.2, -0.5);
    const auto moved = [&](const Eigen::Vector4d& z) {
      Sample to = s;
      to.x.R_AB = s.x.R_AB * so3::exp(Vec3(z.head<3>()));
      to.x.c[0] += z[3];
      return Levels(to);
    };
    // w(t) = w + alpha t gives R exp((w t + alpha t^2 / 2)~ + O(t^3)).
    const auto at = [&](double t) { return moved(t * rate + 0.5 * t * t * acceleration); };
    const Levels now = at(0);
    const Eigen::Vector3d first = (at(h).terms.C - at(-h).terms.C) / (2 * h);
    const Eigen::Vector3d second = (at(h).terms.C - 2 * now.terms.C + at(-h).terms.C) / (h * h);
    EXPECT_LT((now.gradient() * rate - first).norm(), 1e-7);
    Eigen::Vector3d second_rate = now.gradient() * acceleration;
    for (int i = 0; i < 3; ++i) second_rate[i] += rate.dot(now.second(i) * rate);
    EXPECT_LT((second_rate - second).norm(), 1e-6);

    // Along group increments the forces G^T lambda change by the Hessian and m~/2.
    const Eigen::Vector3d lambda(0.4, -2, 1.3);
    Eigen::Matrix4d K = Eigen::Matrix4d::Zero();
    for (int i = 0; i < 3; ++i) K += lambda[i] * now.second(i);
    const Eigen::Vector4d force = now.gradient().transpose() * lambda;
    K.topLeftCorner<3, 3>() += 0.5 * skew(Vec3(force.head<3>()));
    for (int j = 0; j < 4; ++j) {
      const Eigen::Vector4d d = h * Eigen::Vector4d::Unit(j);
      const Eigen::Vector4d column =
          (moved(d).gradient() - moved(-d).gradient()).transpose() * lambda / (2 * h);
      EXPECT_LT((K.col(j) - column).norm(), 1e-7);
    }
    // A potential gives a symmetric stiffness but for the turning of its moment.
    EXPECT_LT(((K - K.transpose()).topLeftCorner<3, 3>() - skew(Vec3(force.head<3>()))).norm(), 1e-13);
  }
}

TEST(GenericConstraints, have_only_the_second_branch_on_the_wrong_side) {
  for (const double angle : {0.0, 0.3, 3.1, -3.1, 40.0}) {
    const Mat3 R_AB = so3::exp(Vec3(0, 0, angle));
    EXPECT_TRUE(AboutAxis<true>::on_branch(R_AB, &angle)) << angle;
    const double other = angle + std::numbers::pi;
    JointTerms<3, 1> terms;
    AboutAxis<true>::terms(R_AB, &other, false, 0, terms);
    EXPECT_LT(terms.C.norm(), 1e-13);
    EXPECT_FALSE(AboutAxis<true>::on_branch(R_AB, &other)) << angle;
    EXPECT_NEAR(turn_side(R_AB, 2, other), -1, 1e-13);
    const Mat3 opposed = R_AB * Vec3(1, -1, -1).asDiagonal();
    JointTerms<2, 0> flipped;
    AboutAxis<false>::terms(opposed, nullptr, false, 0, flipped);
    EXPECT_LT(flipped.C.norm(), 1e-13);
    EXPECT_FALSE(AboutAxis<false>::on_branch(opposed, nullptr));
  }
}

}  // namespace
}  // namespace trammel::lower_pairs
