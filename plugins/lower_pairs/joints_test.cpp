#include <gtest/gtest.h>

#include <numbers>

#include "joint_case.hpp"
#include "trammel/lie.hpp"

namespace trammel {
namespace {

using testing::expect_sound_joint;
using testing::JointCase;

TEST(LowerPairs, with_coinciding_markers_are_sound) {
  // Their displacement is written in the world: objective where it holds.
  expect_sound_joint("spherical", ", share: no", 3, false);
  expect_sound_joint("fixed", ", share: no", 0, false);
  expect_sound_joint("revolute", ", share: no, axis: [1, 2, 3]", 1, false);
  expect_sound_joint("revolute", ", share: no, axis: [1, 2, 3], coordinate: no", 1, false);
}
TEST(LowerPairs, that_slide_are_sound) {
  expect_sound_joint("prismatic", ", share: no, axis: [1, 2, 3]", 1);
  expect_sound_joint("prismatic", ", share: no, axis: [1, 2, 3], coordinate: no", 1);
  expect_sound_joint("cylindrical", ", axis: [1, 2, 3]", 2);
  expect_sound_joint("cylindrical", ", axis: [1, 2, 3], coordinate: no", 2);
}
TEST(LowerPairs, include_sound_screw_and_planar_joints) {
  expect_sound_joint("screw", ", axis: [1, 2, 3], pitch: 0.4", 1);
  expect_sound_joint("planar", ", axis: [1, 2, 3]", 3);
  expect_sound_joint("planar", ", axis: [1, 2, 3], coordinate: no", 3);
}

double& number(TestState& s, const std::string& block, int i) {
  return s.state().value[static_cast<std::size_t>(
      s.state_offsets()[static_cast<std::size_t>(testing::block_named(s, block))].value + i)];
}

/// A joint about z between frames with arms, closed at random poses: the slide along the axis and the angle given.
struct ClosedJoint {
  JointCase c;
  TestState s;

  ClosedJoint(const std::string& type, const std::string& own, const Vec3& slide, double angle)
      : c(so3::exp(Vec3(0.3, -0.7, 1.9)), Vec3(1, 2, 3)), s(std::vector<Block>{}) {
    // The joint's axes on B are those of frame B after the joint's own offset: close it by the markers' motion.
    const InitialMotion a = c.builder.initial(c.builder.model().markers.at("bodies.a_arm"));
    Block& position = c.model.blocks.put(c.b.position);
    Block& rotation = c.model.blocks.put(c.b.rotation);
    const Mat3 axes = axes_of(Vec3(1, 2, 3));
    const Vec3 p = a.p_WM + axes * slide;
    std::copy_n(p.data(), 3, position.initial.begin());
    rotation.initial = {1, 0, 0, 0};
    s = c.joint(type, "{between: [bodies.a_arm, bodies.b], axis: [1, 2, 3]" + own + "}");
    // Turn B about the axis.
    const int k = testing::block_named(s, "bodies.B rotation");
    s.set_rotation(k, axes * so3::exp(Vec3(0, 0, angle)) * axes.transpose());
    if (type != "prismatic" && own.find("coordinate: no") == std::string::npos)
      number(s, "J.angle", 0) = angle;
  }
  static Mat3 axes_of(const Vec3& axis) {
    return Quaternion::FromTwoVectors(Vec3::UnitZ(), axis.normalized()).toRotationMatrix();
  }
  double residual_of_constraints() const {
    const int rows = testing::first_row(s, BlockKind::multiplier);
    return evaluate(c.range(), 0, s, {}).residual.tail(s.dofs() - rows).norm();
  }
  RecordedOutputs outputs() {
    RecordedOutputs out;
    c.range().outputs(0, s.local(), {}, out);
    return out;
  }
  Review review() { return c.range().review(0, s.local(), {0, 1}); }
};

TEST(LowerPairs, follow_their_angle_over_many_turns) {
  for (const double angle : {0.0, 0.3, 3.1, -3.1, 40.0}) {
    ClosedJoint joint("revolute", ", share: no", Vec3::Zero(), angle);
    EXPECT_LT(joint.residual_of_constraints(), 1e-13) << angle;
    EXPECT_EQ(joint.review().verdict, Review::Verdict::keep);
    EXPECT_LT(resultant(joint.s, evaluate(joint.c.range(), 0, joint.s, {}).residual).norm(), 1e-12);
    number(joint.s, "J.angle", 0) +=
        std::numbers::pi;  // the other branch: same residual, found by the review
    EXPECT_LT(joint.residual_of_constraints(), 1e-13);
    EXPECT_EQ(joint.review().verdict, Review::Verdict::cut);
    EXPECT_EQ(joint.review().cut_time, 0.5);
  }
}

TEST(LowerPairs, refuse_a_start_on_the_wrong_branch) {
  ClosedJoint joint("cylindrical", "", Vec3(0, 0, 0.2), 0.5);
  number(joint.s, "J.angle", 0) += std::numbers::pi;
  EXPECT_EQ(joint.review().verdict, Review::Verdict::cut);  // of a step that began on the right one
  joint.c.range().begin(0, joint.s.local(), {});
  std::string message;
  try {
    (void)joint.review();
  } catch (const Error& e) {
    message = e.what();
  }
  EXPECT_NE(message.find("starts on the wrong branch"), std::string::npos) << message;
}

TEST(LowerPairs, transmit_a_motor_torque_on_a_revolute_joint) {
  // The row of the angle is lambda_3 - Q = 0: Q turns B by +Q about e3 and A by -Q (eq. 27; opposite sign of lambda).
  ClosedJoint joint("revolute", ", share: no", Vec3::Zero(), 0.6);
  const double Q = 2.5;
  number(joint.s, "J.moment", 2) = Q;
  const Evaluation e = evaluate(joint.c.range(), 0, joint.s, {});
  EXPECT_NEAR(e.residual[joint.s.offset(testing::block_named(joint.s, "J.angle"))], Q, 1e-13);
  const RecordedOutputs out = joint.outputs();
  EXPECT_LT((out.vectors.at("moment") + Vec3(0, 0, -Q)).norm(), 1e-13);
  EXPECT_LT((out.vectors.at("moment_on_A") + Vec3(0, 0, Q)).norm(), 1e-13);
  EXPECT_LT(out.vectors.at("force").norm(), 1e-15);
  EXPECT_NEAR(out.scalars.at("angle"), 0.6, 1e-15);
}

TEST(LowerPairs, transmit_a_force_on_a_prismatic_joint) {
  // The row of the slide is -lambda_3 - F = 0: +F on B along e3, -F on A, no couple (eq. 29: e3~ u = 0). Transverse
  // multipliers come with the couple of the offset on A, -Delta e2 lambda_1 and Delta e1 lambda_2 in the manual's sign.
  const double F = 3, slide = -0.7;
  ClosedJoint joint("prismatic", ", share: no", Vec3(0, 0, slide), 0);
  EXPECT_LT(joint.residual_of_constraints(), 1e-13);
  number(joint.s, "J.force", 2) = -F;
  const Evaluation e = evaluate(joint.c.range(), 0, joint.s, {});
  EXPECT_NEAR(e.residual[joint.s.offset(testing::block_named(joint.s, "J.slide"))], F, 1e-13);
  RecordedOutputs out = joint.outputs();
  EXPECT_NEAR(out.scalars.at("slide"), slide, 1e-14);
  EXPECT_LT((out.vectors.at("force") - Vec3(0, 0, F)).norm(), 1e-13);
  EXPECT_LT((out.vectors.at("force_on_A") + Vec3(0, 0, F)).norm(), 1e-13);
  EXPECT_LT(out.vectors.at("moment_on_A").norm() + out.vectors.at("moment").norm(), 1e-13);

  number(joint.s, "J.force", 2) = 0;
  number(joint.s, "J.force", 0) = -2;  // the manual's lambda_1 = 2
  number(joint.s, "J.force", 1) = -5;  // the manual's lambda_2 = 5
  out = joint.outputs();
  EXPECT_LT((out.vectors.at("force") - Vec3(2, 5, 0)).norm(), 1e-13);
  EXPECT_LT((out.vectors.at("moment_on_A") - Vec3(5 * slide, -2 * slide, 0)).norm(), 1e-13);
  EXPECT_LT(resultant(joint.s, evaluate(joint.c.range(), 0, joint.s, {}).residual).norm(), 1e-12);
}

TEST(LowerPairs, include_a_screw_that_turns_force_into_moment) {
  const double pitch = 0.3, lead = pitch / (2 * std::numbers::pi), angle = 7;
  ClosedJoint joint("screw", ", pitch: 0.3", Vec3::Zero(), angle);
  EXPECT_GT(joint.residual_of_constraints(), 0.1);
  // Move B along the axis by the lead.
  const Vec3 way = lead * angle * Vec3(1, 2, 3).normalized();
  for (int i = 0; i < 3; ++i) number(joint.s, "bodies.B position", i) += way[i];
  number(joint.s, "J.slide", 0) = lead * angle;
  EXPECT_LT(joint.residual_of_constraints(), 1e-13);
  // Rows of the coordinates: -lambda_F + lambda_T = 0, lambda_M - lead lambda_T = 0.
  number(joint.s, "J.thread", 0) = -10;
  number(joint.s, "J.force", 2) = -10;
  number(joint.s, "J.moment", 2) = -10 * lead;
  const Evaluation e = evaluate(joint.c.range(), 0, joint.s, {});
  EXPECT_NEAR(e.residual[joint.s.offset(testing::block_named(joint.s, "J.slide"))], 0, 1e-13);
  EXPECT_NEAR(e.residual[joint.s.offset(testing::block_named(joint.s, "J.angle"))], 0, 1e-13);
  const RecordedOutputs out = joint.outputs();
  EXPECT_NEAR(out.scalars.at("thread_force"), 10, 1e-13);
  EXPECT_LT((out.vectors.at("force") - Vec3(0, 0, 10)).norm(), 1e-13);
  EXPECT_LT((out.vectors.at("moment") + Vec3(0, 0, 10 * lead)).norm(), 1e-13);
}

TEST(LowerPairs, split_the_rotation_of_a_spherical_joint) {
  JointCase c(Mat3::Identity(), Vec3::Zero(), Mat3::Identity(), Vec3::Zero());
  TestState s = c.joint("spherical", "{between: [bodies.a, bodies.b], share: no}");
  for (const auto& [swing, twist] : {std::pair(Vec3(0.4, -0.9, 0), 0.7), std::pair(Vec3(0, 2.9, 0), -3.1),
                                     std::pair(Vec3(0, 0, 0), 2.0)}) {
    s.set_rotation(testing::block_named(s, "bodies.B rotation"),
                   so3::exp(swing) * so3::exp(Vec3(0, 0, twist)));
    RecordedOutputs out;
    c.range().outputs(0, s.local(), {}, out);
    EXPECT_LT((out.vectors.at("swing") - swing).norm(), 1e-13);
    EXPECT_NEAR(out.scalars.at("twist"), twist, 1e-13);
    EXPECT_LT(
        (out.vectors.at("rotation") - so3::log(Mat3(so3::exp(swing) * so3::exp(Vec3(0, 0, twist))))).norm(),
        1e-12);
  }
}

TEST(LowerPairs, give_the_reaction_with_identified_blocks) {
  JointCase c;
  const TestState s = c.joint("spherical", "{between: [bodies.a, bodies.b]}");
  // What the layout tells it where it takes the offer: nothing is left to evaluate.
  EXPECT_FALSE(c.range().identified(0, testing::block_named(s, "J.force"), true));
  ReactionContributions contributions;
  contributions.has_force = true;
  contributions.force_on_A = Vec3(1, 2, 3);
  RecordedOutputs outputs;
  c.range().outputs(0, s.local(), contributions, outputs);
  EXPECT_EQ(outputs.vectors.at("force_on_A_world"), Vec3(1, 2, 3));
  EXPECT_EQ(outputs.vectors.at("force_world"), Vec3(-1, -2, -3));
}

}  // namespace
}  // namespace trammel
