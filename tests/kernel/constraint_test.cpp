#include "trammel/constraint.hpp"

#include <gtest/gtest.h>

#include "joint_samples.hpp"
#include "time_functions.hpp"
#include "trammel/element_check.hpp"
#include "trammel/lie.hpp"
#include "trammel/moving_marker.hpp"

namespace trammel {
namespace {

/// Point B on an ellipsoid about A, and one angle between the two: all of R_AB, p_AB_A enter.
class Ellipsoid : public Constraint<Ellipsoid, 2> {
 public:
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Vec3T<S> q = x.p_AB_A.cwiseQuotient(Vec3T<S>(S(1.0), S(2.0), S(1.5)));
    C[0] = dot(q, q) - 1.0;
    C[1] = atan2(x.R_AB(1, 0), x.R_AB(0, 0)) + 0.3 * x.R_AB(2, 1) * x.p_AB_A[2];
  }
};

/// A screw by formula: coordinates angle and slide, and a pitch that changes with time.
class Screw : public Constraint<Screw, 3, 2, true> {
 public:
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"angle", "rad", Measure::angle()}, {"slide", "m", Measure::length()}}};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = x.R_AB(0, 0) * sin(x.c[0]) + x.R_AB(0, 1) * cos(x.c[0]);
    C[1] = x.p_AB_A[2] - x.c[1];
    C[2] = x.c[1] - 0.1 * (1.0 + x.t * x.t) * x.c[0];
  }
};

/// The ellipsoid's first equation by hand.
class EllipsoidByHand : public Joint<EllipsoidByHand, 1> {
 public:
  void terms(const RelativeState<0>& x, bool second, JointTerms<1, 0>& out) const {
    const Vec3 q(1.0, 1 / 4.0, 1 / 2.25);
    out.C[0] = x.p_AB_A.cwiseProduct(q).dot(x.p_AB_A) - 1;
    out.G.leftCols<3>() = 2 * x.p_AB_A.cwiseProduct(q).transpose();
    if (second) out.H[0].topLeftCorner<3, 3>() = (2 * q).asDiagonal();
  }
};

template <class J>
void expect_exact(J joint, const Marker& a, const Marker& b) {
  const JointSample<J> sample(std::move(joint), a, b);
  const CheckedTerm worst = worst_derivative(sample.range, 0, sample.test_state, 20);
  EXPECT_LT(worst.relative(), 1e-8) << worst.what;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TestState s = sample.test_state;
    s.disturb(seed);
    EXPECT_NEAR(power_error(sample.range, 0, s), 0, 1e-8);
  }
}

template <class J>
void expect_balance(J joint) {
  const JointSample<J> sample(std::move(joint), tilted_marker(0), tilted_marker(1));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TestState s = sample.test_state;
    s.disturb(seed);
    EXPECT_LT(resultant(s, evaluate(sample.range, 0, s, {}).residual).norm(), 1e-12);
  }
}

TEST(Constraint, has_exact_derivatives) {
  expect_exact(Ellipsoid(), tilted_marker(0), tilted_marker(1));
  expect_exact(Screw(), tilted_marker(0), tilted_marker(1));
}

TEST(Constraint, has_exact_derivatives_on_ground) {
  expect_exact(Ellipsoid(), Marker::ground(tilted(), arm()), tilted_marker(0));
  expect_exact(Screw(), tilted_marker(0), Marker::ground(tilted(), arm()));
}

TEST(Constraint, has_exact_derivatives_on_moving_markers) {
  RotationLaw law;
  law.vector = {time_function([](Jet t) { return 0.8 * sin(2.0 * t); }), nullptr,
                time_function([](Jet t) { return 0.3 + cos(t); })};
  const std::array<FunctionPtr, 3> path{time_function([](Jet t) { return 0.4 * t * t; }), nullptr, nullptr};
  expect_exact(Screw(), moving_marker(tilted_marker(0), path, law), tilted_marker(1));
  expect_exact(Ellipsoid(), moving_marker(Marker::ground(), path, law),
               moving_marker(tilted_marker(0), path, law));
}

TEST(Joint, written_by_hand_has_exact_derivatives) {
  expect_exact(EllipsoidByHand(), tilted_marker(0), tilted_marker(1));
}

TEST(Joint, has_forces_that_balance) {
  expect_balance(Ellipsoid());
  expect_balance(Screw());
  expect_balance(EllipsoidByHand());
}

TEST(Joint, with_a_wrong_sign_is_found_by_the_check) {
  class Wrong : public Joint<Wrong, 1> {
   public:
    void terms(const RelativeState<0>& x, bool second, JointTerms<1, 0>& out) const {
      EllipsoidByHand().terms(x, second, out);
      out.H[0] *= -1;
    }
  };
  const JointSample<Wrong> sample(Wrong(), tilted_marker(0), tilted_marker(1));
  const CheckedTerm worst = worst_derivative(sample.range, 0, sample.test_state, 1);
  EXPECT_GT(worst.relative(), 0.1);
}

TEST(Joint, reports_forces_of_its_multipliers) {
  JointSample<EllipsoidByHand> sample(EllipsoidByHand(), tilted_marker(0), tilted_marker(1));
  sample.test_state.disturb(3);
  RecordedOutputs outputs;
  sample.range.outputs(0, sample.test_state.local(), {}, outputs);
  const Evaluation e = evaluate(sample.range, 0, sample.test_state, {});
  // r = B^T lambda is minus the force on the body that owns the row.
  EXPECT_LT((outputs.vectors.at("force_world") + e.residual.segment<3>(6)).norm(), 1e-13);
  EXPECT_LT((outputs.vectors.at("force_on_A_world") + e.residual.head<3>()).norm(), 1e-13);
  const LocalState x = sample.test_state.local();
  const Vec3 arm_B = x.rotation(3) * arm();
  EXPECT_LT((outputs.vectors.at("moment_world") + arm_B.cross(outputs.vectors.at("force_world")) +
             x.rotation(3) * e.residual.segment<3>(9))
                .norm(),
            1e-13);
  EXPECT_TRUE(outputs.vectors.contains("rotation"));
  EXPECT_TRUE(outputs.vectors.contains("displacement"));
}

}  // namespace
}  // namespace trammel
