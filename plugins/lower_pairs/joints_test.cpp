#include "joints.hpp"

#include <gtest/gtest.h>

#include "joint_samples.hpp"
#include "time_functions.hpp"
#include "trammel/constraint.hpp"
#include "trammel/moving_marker.hpp"

namespace trammel::lower_pairs {
namespace {

template <class J>
Sample<J> sample_of(const Marker& a, const Marker& b, bool shares_position = false,
                    bool shares_rotation = false) {
  JointSite site;
  site.A = a;
  site.B = b;
  site.shares_position = shares_position;
  site.shares_rotation = shares_rotation;
  std::vector<Block> blocks = frame_samples(a, b);
  J joint(site);
  if (J::coordinate_count > 0)
    blocks.push_back(sample_block(BlockKind::coordinate, J::coordinate_count, "angle"));
  if (joint.has_force_multiplier()) blocks.push_back(sample_block(BlockKind::multiplier, 3, "force"));
  if (joint.has_moment_multiplier())
    blocks.push_back(sample_block(BlockKind::multiplier, J::equation_count, "moment"));
  return Sample<J>(std::move(joint), std::move(blocks));
}

template <class J>
void expect_exact(const Sample<J>& sample) {
  const CheckedTerm worst = worst_derivative(sample.range, 0, sample.specimen, 20);
  EXPECT_LT(worst.relative(), 1e-8) << worst.what;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Specimen s = sample.specimen;
    s.disturb(seed);
    EXPECT_NEAR(power_error(sample.range, 0, s), 0, 1e-9);
  }
}

Marker moving(const Marker& base) {
  RotationLaw law;
  law.vector = {time_function([](Jet t) { return 0.8 * sin(2.0 * t); }), nullptr,
                time_function([](Jet t) { return 0.3 + cos(t); })};
  return moving_marker(base, {time_function([](Jet t) { return 0.4 * t * t; }), nullptr, nullptr}, law);
}

template <class J>
void expect_exact_on_all_markers() {
  const Marker a = tilted_marker(0), b = tilted_marker(1);
  expect_exact(sample_of<J>(a, b));
  expect_exact(sample_of<J>(Marker::on_frame({0, 1}), Marker::on_frame({2, 3})));
  expect_exact(sample_of<J>(Marker::on_frame({0, 1}, tilted()), b, true));
  expect_exact(sample_of<J>(Marker::ground(tilted(), arm()), tilted_marker(0)));
  expect_exact(sample_of<J>(tilted_marker(0), Marker::ground(tilted(), arm())));
  expect_exact(sample_of<J>(moving(a), b));
  expect_exact(sample_of<J>(moving(Marker::ground()), moving(tilted_marker(0)).offset(tilted(), arm())));
}

TEST(LowerPairs, SphericalHasExactDerivatives) {
  expect_exact_on_all_markers<Spherical>();
  expect_exact(sample_of<Spherical>(Marker::on_point(0), Marker::ground()));
}
TEST(LowerPairs, FixedHasExactDerivatives) {
  expect_exact_on_all_markers<Fixed>();
  expect_exact(sample_of<Fixed>(tilted_marker(0), tilted_marker(1), false, true));
}
TEST(LowerPairs, RevoluteHasExactDerivatives) {
  expect_exact_on_all_markers<Revolute<true>>();
  expect_exact_on_all_markers<Revolute<false>>();
}

/// Puts B where the joint is closed: its marker at A's, turned about e3 by `angle`.
template <class J>
void close(Specimen& s, const J& joint, double angle) {
  MarkerMotion a;
  joint.site().A.evaluate(s.local(), 0, MotionLevel::pose, a);
  const Marker& b = joint.site().B;
  const Mat3 R_WB = a.R_WM * so3::exp(Vec3(0, 0, angle));
  const Mat3 R_WF = R_WB * b.R_FM().transpose();
  s.set_rotation(3, R_WF);
  const Vec3 p = a.p_WM - R_WF * b.p_FM_F();
  std::copy_n(p.data(), 3, s.state().value.data() + s.places()[2].value);
}

template <class J>
void expect_balance_where_closed(double angle) {
  JointSite site;
  site.A = tilted_marker(0);
  site.B = tilted_marker(1);
  const J joint(site);
  const Sample<J> sample = sample_of<J>(site.A, site.B);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Specimen s = sample.specimen;
    s.disturb(seed);
    close(s, joint, angle);
    EXPECT_LT(resultant(s, evaluate(sample.range, 0, s, {}).residual).norm(), 1e-12);
  }
}

TEST(LowerPairs, ForcesBalanceWhereClosed) {
  expect_balance_where_closed<Spherical>(0.7);
  expect_balance_where_closed<Fixed>(0);
  expect_balance_where_closed<Revolute<true>>(2.9);
  expect_balance_where_closed<Revolute<false>>(-1.2);
}

/// The rotation equations of the revolute and of the fixed joint as formulas.
class Formula : public Constraint<Formula, 6, 1> {
 public:
  static constexpr std::array<CoordinateName, 1> coordinate_names{{{"angle", "rad"}}};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Mat3T<S>& R = x.R_AB;
    C[0] = R(2, 0);
    C[1] = R(2, 1);
    C[2] = R(0, 0) * sin(x.c[0]) + R(0, 1) * cos(x.c[0]);
    // 2 q_v = axial(R) / q_0 with 4 q_0^2 = 1 + tr R.
    C.template tail<3>() = axial(R) * (2.0 / sqrt(1.0 + R(0, 0) + R(1, 1) + R(2, 2)));
  }
};

TEST(LowerPairs, DerivativesByHandAreThoseOfTheFormulas) {
  for (int k = 0; k < 20; ++k) {
    RelativeState<1> x;
    x.R_AB = so3::exp((0.1 + 0.14 * k) * Vec3(std::sin(k), std::cos(k), std::sin(3 * k)).normalized());
    x.p_AB_A.setZero();
    x.c[0] = 0.5 * k;
    JointTerms<6, 1> formula;
    Formula().terms(x, true, formula);

    Revolute<true>::Terms revolute;
    Revolute<true>::rotation(x.R_AB, x.c.data(), true, revolute);
    EXPECT_LT((revolute.C - formula.C.head<3>()).norm(), 1e-13);
    EXPECT_LT((revolute.G - formula.G.topRightCorner<3, 4>()).norm(), 1e-13);
    Fixed::Terms fixed;
    Fixed::rotation(x.R_AB, nullptr, true, fixed);
    EXPECT_LT((fixed.C - formula.C.tail<3>()).norm(), 1e-13);
    EXPECT_LT((fixed.G - formula.G.block<3, 3>(3, 3)).norm(), 1e-12);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT((revolute.H[i] - formula.H[i].bottomRightCorner<4, 4>()).norm(), 1e-13);
      EXPECT_LT((fixed.H[i] - formula.H[i + 3].block<3, 3>(3, 3)).norm(), 1e-11);
    }
  }
}

TEST(LowerPairs, RevoluteFollowsItsAngleOverManyTurns) {
  Sample<Revolute<true>> sample = sample_of<Revolute<true>>(tilted_marker(0), tilted_marker(1));
  JointSite site;
  site.A = tilted_marker(0);
  site.B = tilted_marker(1);
  const Revolute<true> joint(site);
  for (const double angle : {0.0, 0.3, 3.1, -3.1, 40.0}) {
    Specimen s = sample.specimen;
    s.disturb(5);
    close(s, joint, angle);
    double& phi = s.state().value[static_cast<std::size_t>(s.places()[4].value)];
    phi = angle;
    const Evaluation e = evaluate(sample.range, 0, s, {});
    EXPECT_LT(e.residual.tail<6>().norm(), 1e-13) << angle;
    EXPECT_EQ(sample.range.review(0, s.local(), {0, 1}).verdict, Review::Verdict::keep);
    phi = angle + std::numbers::pi;  // the other branch: same residual, found by the review
    EXPECT_LT(evaluate(sample.range, 0, s, {}).residual.tail<6>().norm(), 1e-13);
    const Review review = sample.range.review(0, s.local(), {0, 1});
    EXPECT_EQ(review.verdict, Review::Verdict::cut);
    EXPECT_EQ(review.cut_time, 0.5);
  }
}

TEST(LowerPairs, RevoluteTransmitsTheTorqueOnItsAngle) {
  // The row of the angle is lambda_3 - Q = 0 (eq. 27 with r = ... + B^T lambda - f): a torque Q on the angle turns B
  // by +Q about e3 and A by -Q.
  JointSite site;
  site.A = Marker::on_frame({0, 1});
  site.B = Marker::on_frame({2, 3});
  const Revolute<true> joint(site);
  Sample<Revolute<true>> sample = sample_of<Revolute<true>>(site.A, site.B);
  Specimen s = sample.specimen;
  s.disturb(7);
  close(s, joint, 0.6);
  s.state().value[static_cast<std::size_t>(s.places()[4].value)] = 0.6;
  for (const int k : {5, 6})
    std::fill_n(s.state().value.data() + s.places()[static_cast<std::size_t>(k)].value, 3, 0.0);
  const double Q = 2.5;
  s.state().value[static_cast<std::size_t>(s.places()[6].value) + 2] = Q;
  const Evaluation e = evaluate(sample.range, 0, s, {});
  EXPECT_NEAR(e.residual[12], Q, 1e-13);
  RecordedOutputs outputs;
  sample.range.outputs(0, s.local(), {}, outputs);
  EXPECT_LT((outputs.vectors.at("moment") - Vec3(0, 0, Q)).norm(), 1e-13);
  EXPECT_LT((outputs.vectors.at("moment_on_A") + Vec3(0, 0, Q)).norm(), 1e-13);
  EXPECT_NEAR(outputs.scalars.at("angle"), 0.6, 1e-15);
  EXPECT_LT((outputs.vectors.at("rotation") - Vec3(0, 0, 0.6)).norm(), 1e-13);
}

TEST(LowerPairs, SharedBlocksGiveTheReaction) {
  const Sample<Spherical> sample =
      sample_of<Spherical>(Marker::on_frame({0, 1}), Marker::on_frame({2, 3}), true);
  ReactionShares shares;
  shares.has_force = true;
  shares.force_on_A = Vec3(1, 2, 3);
  RecordedOutputs outputs;
  sample.range.outputs(0, sample.specimen.local(), shares, outputs);
  EXPECT_EQ(outputs.vectors.at("force_on_A_world"), Vec3(1, 2, 3));
  EXPECT_EQ(outputs.vectors.at("force_world"), Vec3(-1, -2, -3));
}

}  // namespace
}  // namespace trammel::lower_pairs
