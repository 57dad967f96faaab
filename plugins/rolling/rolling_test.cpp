#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "joint_case.hpp"
#include "velocity_rows.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::JointCase;

TEST(RollingDisc, is_exact) {
  for (const std::string& markers : testing::marker_pairs()) {
    JointCase c;
    const TestState s =
        c.joint("rolling_disc", "{between: " + markers +
                                    ", radius: 0.4, axis: [1, 2, 0.3], normal: [0.1, 0, 1], assemble: yes}");
    testing::expect_exact_velocity_rows(c.range(), s);
  }
}

TEST(RollingDisc, is_objective) {
  JointCase c;
  const TestState start = c.joint(
      "rolling_disc", "{between: [bodies.a, bodies.b], radius: 0.4, axis: [1, 0, 0.3], assemble: yes}");
  testing::expect_objective_rows(c.range(), start, 3);
}

/// A disc of radius 0.5 that leans, rolls in a circle and does not slip: the point of the rim at the contact is at rest.
TEST(RollingDisc, has_a_contact_point_at_rest) {
  JointCase c(Mat3::Identity(), Vec3::Zero(), Mat3::Identity(), Vec3(2, 0, 0.4));
  // The axis leans: cosine 0.6 with the normal, sine 0.8, height 0.5 * 0.8.
  TestState s = c.joint("rolling_disc", "{between: [ground, bodies.b], radius: 0.5, axis: [0.8, 0, 0.6]}");
  EXPECT_NEAR(evaluate(c.range(), 0, s, {}).residual[6], 0, 1e-14);
  RecordedOutputs out;
  c.range().outputs(0, s.local(), {}, out);
  const Vec3 contact = out.vectors.at("contact_point");
  EXPECT_NEAR(contact[2], 0, 1e-14);
  EXPECT_NEAR((contact - Vec3(2, 0, 0.4)).norm(), 0.5, 1e-14);
  const Vec3 spin(0.3, -1.2, 2), velocity = -spin.cross(contact - Vec3(2, 0, 0.4));
  std::copy_n(velocity.data(), 3, s.state().rate.data());
  std::copy_n(spin.data(), 3, s.state().rate.data() + 3);
  const Evaluation e = evaluate(c.range(), 0, s, {false, true, false});
  EXPECT_LT(e.residual.tail<2>().norm(), 1e-14);
  EXPECT_NEAR(e.rate[6], 0, 1e-14);
  // What the plane presses and rubs with acts at the contact.
  s.state().value[static_cast<std::size_t>(s.state_offsets()[2].value)] = -10;
  s.state().value[static_cast<std::size_t>(s.state_offsets()[3].value)] = 2;
  c.range().outputs(0, s.local(), {}, out);
  EXPECT_NEAR(out.scalars.at("normal_force"), 10, 1e-14);
  EXPECT_LT((out.vectors.at("force_world") - Vec3(-2, 0, 10)).norm(), 1e-13);
  EXPECT_LT((out.vectors.at("moment_world") - (contact - Vec3(2, 0, 0.4)).cross(Vec3(-2, 0, 10))).norm(),
            1e-13);
}

TEST(RollingDisc, refuses_impossible_input) {
  JointCase c(Mat3::Identity(), Vec3::Zero(), Mat3::Identity(), Vec3(0, 0, 0.5));
  const auto message = [&c](const std::string& own) {
    return c.message("rolling_disc", "{between: [ground, bodies.b]" + own + "}");
  };
  EXPECT_THAT(message(", radius: 0.4, axis: [1, 0, 0]"),
              HasSubstr("centre is 0.5 m above it, and should be 0.4 m"));
  EXPECT_THAT(message(", radius: 0.4, axis: [0, 0, 1]"), HasSubstr("lies flat"));
  EXPECT_THAT(message(", radius: 0.4, axis: [0, 0, 0]"), HasSubstr("axis must not be zero"));
  EXPECT_THAT(message(", radius: 0.5, axis: [1, 0, 0], normal: [0, 0, 0]"),
              HasSubstr("normal must not be zero"));
  EXPECT_THAT(message(", radius: -1, axis: [1, 0, 0]"), HasSubstr("radius"));
  EXPECT_EQ(message(", radius: 0.5, axis: [1, 0, 0]"), "");
}

}  // namespace
}  // namespace trammel
