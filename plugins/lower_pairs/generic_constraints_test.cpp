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

TEST(GenericConstraints, AreTheFormulas) {
  for (int k = 0; k < 20; ++k) {
    const Sample s(k);
    JointTerms<6, 1> formula;
    Formula().terms(s.x, true, formula);
    RotationTerms<3, 1> terms;
    vanishing_rotation(s.x.R_AB, 2, 0, true, 0, terms);
    relative_rotation(s.x.R_AB, 2, s.x.c[0], true, 1, 0, terms);
    relative_rotation(s.x.R_AB, 0, s.x.c[0], true, 2, 0, terms);
    EXPECT_LT((terms.C - formula.C.head<3>()).norm(), 1e-13);
    EXPECT_LT((terms.G - formula.G.topRightCorner<3, 4>()).norm(), 1e-13);
    SameRotation::Terms same;
    SameRotation::rotation(s.x.R_AB, nullptr, true, same);
    EXPECT_LT((same.C - formula.C.tail<3>()).norm(), 1e-13);
    EXPECT_LT((same.G - formula.G.block<3, 3>(3, 3)).norm(), 1e-12);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT((terms.H[i] - formula.H[i].bottomRightCorner<4, 4>()).norm(), 1e-13);
      EXPECT_LT((same.H[i] - formula.H[i + 3].block<3, 3>(3, 3)).norm(), 1e-11);
    }
  }
}

/// Rates and accelerations against differences along a motion, the stiffness against differences of the forces.
TEST(GenericConstraints, HaveAllLevels) {
  using Law = AboutAxis<true>;
  const double h = 1e-4;
  for (int k = 0; k < 20; ++k) {
    const Sample s(k);
    const Eigen::Vector4d rate(0.7, -1.1, 0.4, 0.9), acceleration(-0.3, 0.8, 1.2, -0.5);
    const auto at = [&](double t) {
      // w(t) = w + alpha t gives R exp((w t + alpha t^2 / 2)~ + O(t^3)).
      const Eigen::Vector4d z = t * rate + 0.5 * t * t * acceleration;
      Law::Terms terms;
      const double angle = s.x.c[0] + z[3];
      Law::rotation(s.x.R_AB * so3::exp(Vec3(z.head<3>())), &angle, true, terms);
      return terms;
    };
    const Law::Terms now = at(0);
    const Eigen::Vector3d first = (at(h).C - at(-h).C) / (2 * h);
    const Eigen::Vector3d second = (at(h).C - 2 * now.C + at(-h).C) / (h * h);
    EXPECT_LT((now.rate(rate) - first).norm(), 1e-7);
    EXPECT_LT((now.second_rate(rate, acceleration) - second).norm(), 1e-6);

    const Eigen::Vector3d lambda(0.4, -2, 1.3);
    for (int j = 0; j < 4; ++j) {
      const auto forces = [&](double d) -> Eigen::Vector4d {
        Law::Terms terms;
        const double angle = s.x.c[0] + (j == 3 ? d : 0);
        const Vec3 turn = j < 3 ? Vec3(d * Vec3::Unit(j)) : Vec3(Vec3::Zero());
        Law::rotation(s.x.R_AB * so3::exp(turn), &angle, false, terms);
        return terms.G.transpose() * lambda;
      };
      const Eigen::Vector4d column = (forces(h) - forces(-h)) / (2 * h);
      EXPECT_LT((now.stiffness(lambda).col(j) - column).norm(), 1e-7);
    }
    // A potential gives a symmetric stiffness but for the turning of its moment.
    const Vec3 m = now.G.leftCols<3>().transpose() * lambda;
    const Eigen::Matrix4d K = now.stiffness(lambda);
    EXPECT_LT(((K - K.transpose()).topLeftCorner<3, 3>() - skew(m)).norm(), 1e-13);
  }
}

TEST(GenericConstraints, OnlyTheSecondBranchIsOnTheWrongSide) {
  for (const double angle : {0.0, 0.3, 3.1, -3.1, 40.0}) {
    const Mat3 R_AB = so3::exp(Vec3(0, 0, angle));
    EXPECT_TRUE(AboutAxis<true>::on_branch(R_AB, &angle)) << angle;
    const double other = angle + std::numbers::pi;
    AboutAxis<true>::Terms terms;
    AboutAxis<true>::rotation(R_AB, &other, false, terms);
    EXPECT_LT(terms.C.norm(), 1e-13);
    EXPECT_FALSE(AboutAxis<true>::on_branch(R_AB, &other)) << angle;
    EXPECT_NEAR(turn_side(R_AB, 2, other), -1, 1e-13);
    const Mat3 opposed = R_AB * Vec3(1, -1, -1).asDiagonal();
    AboutAxis<false>::Terms flipped;
    AboutAxis<false>::rotation(opposed, nullptr, false, flipped);
    EXPECT_LT(flipped.C.norm(), 1e-13);
    EXPECT_FALSE(AboutAxis<false>::on_branch(opposed, nullptr));
  }
}

}  // namespace
}  // namespace trammel::lower_pairs
