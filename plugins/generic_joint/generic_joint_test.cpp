#include "generic_joint.hpp"

#include <gtest/gtest.h>

#include "sample.hpp"

namespace trammel::generic_joint {
namespace {

Request full_request() {
  Request request;
  request.tangent = request.rates = request.bias = true;
  return request;
}

void expect_exact(const Sample<GenericJoint>& sample, const std::string& what, bool moves = false,
                  int states = 3) {
  const CheckedTerm worst = worst_derivative(sample.range, 0, sample.test_state, states);
  EXPECT_LT(worst.relative(), 1e-8) << what << ", " << worst.what;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    TestState s = sample.test_state;
    s.disturb(seed);
    EXPECT_NEAR(power_error(sample.range, 0, s), 0, 1e-8) << what;
    const double lost = sample.range.energy(0, s.local()).dissipated_power;
    if (moves)
      EXPECT_NEAR(lost, power_of_time(sample.range, 0, s), 1e-11) << what;
    else
      EXPECT_EQ(lost, 0) << what;
  }
}

TEST(GenericJoint, has_exact_derivatives_for_all_flags) {
  for (unsigned bits = 0; bits < 64; ++bits) {
    const LockedAxes axes = axes_of(bits);
    expect_exact(sample_of(definition_of(axes, tilted_marker(0), tilted_marker(1))), text(axes));
  }
}

TEST(GenericJoint, has_exact_derivatives_for_all_flags_with_offsets) {
  for (unsigned bits = 0; bits < 64; ++bits) {
    const LockedAxes axes = axes_of(bits);
    Definition d = definition_of(axes, tilted_marker(0), tilted_marker(1));
    d.offsets = lively_offsets(axes);
    expect_exact(sample_of(std::move(d)), text(axes) + " with offsets", true, 2);
  }
}

TEST(GenericJoint, has_exact_derivatives_with_the_alternative) {
  for (const unsigned bits : {63U, 56U, 48U, 40U, 24U, 55U, 47U, 31U}) {
    Definition d = definition_of(axes_of(bits), tilted_marker(0), tilted_marker(1));
    d.alternative = true;
    expect_exact(sample_of(d), text(d.axes) + " alternative");
    d.offsets = lively_offsets(d.axes);
    expect_exact(sample_of(d), text(d.axes) + " alternative with offsets", true, 2);
  }
}

TEST(GenericJoint, has_exact_derivatives_at_ground_and_on_points) {
  const Marker ground = Marker::ground(tilted(), arm());
  for (const unsigned bits : {63U, 7U, 31U, 62U, 19U}) {
    for (const bool moves : {false, true}) {
      Definition d = definition_of(axes_of(bits), ground, tilted_marker(0));
      if (moves) d.offsets = lively_offsets(d.axes);
      expect_exact(sample_of(d), text(d.axes) + " on the ground", moves);
      std::swap(d.J0, d.J1);
      expect_exact(sample_of(d), text(d.axes) + " at the ground", moves);
    }
  }
  expect_exact(sample_of(definition_of(axes_of(7), Marker::on_point(0), ground)), "a point");
  expect_exact(sample_of(definition_of(axes_of(3), ground, Marker::on_point(0))), "a point on a line");
}

/// B in the kinematic columns, where the joint is closed at a pose that its free axes allow.
Eigen::MatrixXd gradient(const Sample<GenericJoint>& sample, const TestState& s) {
  const Evaluation e = evaluate(sample.range, 0, s, full_request());
  return e.K.bottomLeftCorner(s.dofs() - 12, 12);
}

TEST(GenericJoint, has_as_many_independent_equations_as_locked_axes) {
  for (unsigned bits = 1; bits < 64; ++bits)
    for (const bool moves : {false, true})
      for (const bool alternative : {false, true}) {
        Definition d = definition_of(axes_of(bits), tilted_marker(0), tilted_marker(1));
        if (alternative && d.axes.rotations() < 2) continue;
        d.alternative = alternative;
        if (moves) d.offsets = lively_offsets(d.axes);
        const GenericJoint joint(d);
        const Sample<GenericJoint> sample = sample_of(d);
        const int locked = d.axes.translations() + d.axes.rotations();
        ASSERT_EQ(sample.test_state.dofs(), 12 + locked);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          TestState s = sample.test_state;
          s.disturb(seed);
          const auto at = static_cast<double>(seed);
          close(s, joint, FreePose(d.axes, Vec3(0.3, at, -0.7), Vec3(0.9 * at, 0.4, -0.3 * at)));
          const Eigen::VectorXd values = gradient(sample, s).jacobiSvd().singularValues();
          EXPECT_GT(values[locked - 1], 0.1) << text(d.axes);
        }
      }
}

TEST(GenericJoint, is_closed_along_the_motions_of_its_free_axes) {
  for (unsigned bits = 0; bits < 64; ++bits)
    for (const bool moves : {false, true}) {
      Definition d = definition_of(axes_of(bits), tilted_marker(0), tilted_marker(1));
      if (moves) d.offsets = lively_offsets(d.axes);
      const GenericJoint joint(d);
      const Sample<GenericJoint> sample = sample_of(d);
      const int rows = d.axes.translations() + d.axes.rotations();
      for (int k = 0; k < 8; ++k) {
        TestState s = sample.test_state;
        s.disturb(7);
        s.state().time = 0.3 * k;
        close(s, joint, FreePose(d.axes, Vec3(0.3, -0.2, 0.8) * k, Vec3(0.8, -0.35, 2.1) * k));
        EXPECT_LT(evaluate(sample.range, 0, s, {}).residual.tail(rows).norm(), 1e-12) << text(d.axes);
      }
    }
}

TEST(GenericJoint, is_objective_unless_its_offset_is_in_world_axes) {
  for (unsigned bits = 0; bits < 64; ++bits)
    for (const bool moves : {false, true}) {
      Definition d = definition_of(axes_of(bits), tilted_marker(0), tilted_marker(1));
      if (moves) d.offsets = lively_offsets(d.axes);
      if (d.axes.all_translations()) d.offsets.translation = {};
      const Sample<GenericJoint> sample = sample_of(d);
      const int rows = d.axes.translations() + d.axes.rotations();
      TestState s = sample.test_state;
      s.disturb(bits + 1);
      const Eigen::VectorXd r = evaluate(sample.range, 0, s, {}).residual;
      EXPECT_LT(resultant(s, r).norm(), 1e-12) << text(d.axes);
      // The same pose seen from elsewhere.
      const Mat3 Q = so3::exp(Vec3(1.1, -0.4, 2.0));
      for (const int k : {1, 3}) s.set_rotation(k, Q * s.local().rotation(k));
      for (const int k : {0, 2}) {
        const Vec3 p = Q * s.local().position(k) + Vec3(3, -2, 5);
        std::copy_n(p.data(), 3,
                    s.state().value.data() + s.state_offsets()[static_cast<std::size_t>(k)].value);
      }
      EXPECT_LT((evaluate(sample.range, 0, s, {}).residual.tail(rows) - r.tail(rows)).norm(), 1e-12);
    }
}

/// Poses and twists of both joint frames, for formulas written out.
struct Ends {
  MarkerMotion A, B;
  Ends(const Definition& d, const TestState& s) {
    d.J0.evaluate(s.local(), 0, MotionLevel::velocity, A);
    d.J1.evaluate(s.local(), 2, MotionLevel::velocity, B);
  }
  Vec3 gap() const { return B.p_WM - A.p_WM; }
  Vec3 gap_rate() const { return B.twist.head<3>() - A.twist.head<3>(); }
  Vec3 w_A() const { return A.R_WM * A.twist.tail<3>(); }
};

Mat3 turn_of(const Vec3& angles) {
  return so3::exp(Vec3(angles[0], 0, 0)) * so3::exp(Vec3(0, angles[1], 0)) * so3::exp(Vec3(0, 0, angles[2]));
}

TEST(GenericJoint, takes_its_offsets_where_the_page_says) {
  for (const unsigned bits : {63U, 62U, 59U, 27U}) {
    Definition d = definition_of(axes_of(bits), tilted_marker(0), tilted_marker(1));
    d.offsets = lively_offsets(d.axes);
    const Sample<GenericJoint> sample = sample_of(d);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      TestState s = sample.test_state;
      s.disturb(seed);
      const double t = s.state().time = 0.31 * static_cast<double>(seed);
      const Vec3 u(0.4 * t * t, std::sin(3 * t), 0.2 - 0.5 * t);
      const Mat3 R_U = turn_of(Vec3(0.8 * std::sin(2 * t), t * t, 0.3 + std::cos(t)));
      const Ends ends(d, s);
      const Mat3 R_WU = ends.A.R_WM * R_U;
      const Vec3 expected = d.axes.all_translations() ? Vec3(R_WU.transpose() * (ends.gap() - u))
                                                      : Vec3(R_WU.transpose() * ends.gap() - u);
      const Eigen::VectorXd C = evaluate(sample.range, 0, s, {}).residual.tail(s.dofs() - 12);
      int row = 0;
      for (int k = 0; k < 3; ++k)
        if (d.axes.translation(k)) {
          EXPECT_NEAR(C[row++], expected[k], 1e-13) << text(d.axes);
        }
      const Mat3 R = R_WU.transpose() * ends.B.R_WM;
      RotationTerms terms;
      RotationEquations(d.axes, false).evaluate(R, false, terms);
      EXPECT_LT((C.tail(d.axes.rotations()) - terms.C.head(d.axes.rotations())).norm(), 1e-13);
    }
  }
}

TEST(GenericJoint, has_the_true_rate_of_a_partly_locked_translation) {
  // R_0^T (v_1 - v_0 - w_0 x gap), where the uncorrected row lacks the last term.
  const Definition d = definition_of(axes_of(6), tilted_marker(0), tilted_marker(1));
  const Sample<GenericJoint> sample = sample_of(d);
  TestState s = sample.test_state;
  s.disturb(4);
  const Ends ends(d, s);
  const Vec3 right = ends.A.R_WM.transpose() * (ends.gap_rate() - ends.w_A().cross(ends.gap()));
  Request request;
  request.rates = true;
  EXPECT_LT((evaluate(sample.range, 0, s, request).rate.tail<2>() - right.tail<2>()).norm(), 1e-13);
  EXPECT_GT((ends.A.R_WM.transpose() * ends.w_A().cross(ends.gap())).tail<2>().norm(), 0.1);
}

TEST(GenericJoint, keeps_the_pose_in_which_it_becomes_active) {
  const Definition d = definition_of(axes_of(31), tilted_marker(0), tilted_marker(1));
  Sample<GenericJoint> sample = sample_of(d);
  TestState s = sample.test_state;
  s.disturb(3);
  auto& joint = sample.range;
  const auto gaps = [](const RangeOf<GenericJoint>& range, const TestState& at) {
    return evaluate(range, 0, at, {}).residual.tail<5>().eval();
  };
  Begin how;
  joint.begin(0, s.local(), how);
  EXPECT_GT(gaps(joint, s).norm(), 0.1);
  how.why = Begin::Why::activated;
  joint.begin(0, s.local(), how);
  const Evaluation held = evaluate(joint, 0, s, full_request());
  EXPECT_LT(held.residual.tail<5>().norm(), 1e-13);
  const CheckedTerm worst = worst_derivative(joint, 0, s, 3);
  EXPECT_LT(worst.relative(), 1e-8) << worst.what;
  EXPECT_LT(resultant(s, held.residual).norm(), 1e-12);
  // A step that is given up does not change it.
  joint.reject(0);
  EXPECT_EQ(evaluate(joint, 0, s, full_request()).residual, held.residual);

  // What is read from an archive stands so too.
  Archive saved;
  joint.serialize(0, saved);
  Sample<GenericJoint> other = sample_of(d);
  EXPECT_GT(gaps(other.range, s).norm(), 0.1);
  Archive reader(saved.bytes());
  other.range.serialize(0, reader);
  EXPECT_EQ(evaluate(other.range, 0, s, {}).residual, held.residual);

  // Where it must be closed it takes no other place.
  Definition exact = d;
  exact.hold = false;
  Sample<GenericJoint> closed = sample_of(std::move(exact));
  closed.range.begin(0, s.local(), how);
  EXPECT_GT(gaps(closed.range, s).norm(), 0.1);
}

TEST(GenericJoint, halves_a_step_that_ends_half_a_turn_away) {
  Definition d = definition_of(axes_of(55), Marker::ground(), Marker::on_frame({0, 1}));  // x turns
  Sample<GenericJoint> sample = sample_of(d);
  TestState s = sample.test_state;
  s.set_rotation(1, so3::exp(Vec3(2.9, 0, 0)));
  EXPECT_EQ(sample.range.review(0, s.local(), {0, 1}).verdict, Review::Verdict::keep);
  s.set_rotation(1, so3::exp(Vec3(0, std::numbers::pi, 0)));
  EXPECT_LT(evaluate(sample.range, 0, s, {}).residual.tail<5>().norm(), 1e-14);
  const Review review = sample.range.review(0, s.local(), {0, 1});
  EXPECT_EQ(review.verdict, Review::Verdict::cut);
  EXPECT_EQ(review.cut_time, 0.5);
}

}  // namespace
}  // namespace trammel::generic_joint
