#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "joint_case.hpp"
#include "velocity_rows.hpp"

namespace trammel {
namespace {

using testing::expect_sound_joint;
using ::testing::HasSubstr;
using testing::JointCase;

TEST(PointContact, is_sound) { expect_sound_joint("point_contact", "", 5); }

TEST(PointContact, is_exact_with_friction) {
  for (const std::string& markers : testing::marker_pairs()) {
    JointCase c;
    const TestState s =
        c.joint("point_contact", "{between: " + markers + ", friction: [0.3, 0.5], assemble: yes}");
    testing::expect_exact_velocity_rows(c.range(), s);
  }
}

TEST(PointContact, is_objective_with_friction) {
  JointCase c;
  const TestState start =
      c.joint("point_contact", "{between: [bodies.a, bodies.b_arm], friction: 0.3, assemble: yes}");
  testing::expect_objective_rows(c.range(), start, 3);
}

/// A point at rest in the world above a table that turns with w slips backwards, -w x r, and by -v on one that moves.
TEST(PointContact, slips_against_the_point_below) {
  JointCase c(Mat3::Identity(), Vec3(0, 0, 0), Mat3::Identity(), Vec3(2, 1, 0));
  TestState s = c.joint("point_contact", "{between: [bodies.a, bodies.b], friction: 0.3}");
  const Vec3 spin(0, 0, 3), velocity(0.5, 0, 0.25);
  std::copy_n(velocity.data(), 3, s.state().rate.data());
  std::copy_n(spin.data(), 3, s.state().rate.data() + 3);
  const Evaluation e = evaluate(c.range(), 0, s, {false, true, false});
  const Vec3 relative = -velocity - spin.cross(Vec3(2, 1, 0));
  EXPECT_LT((e.residual.tail<2>() - relative.head<2>()).norm(), 1e-14);
  EXPECT_NEAR(e.rate[e.rate.size() - 3], -0.25, 1e-14);
  // What the plane presses and rubs with acts at B's origin; the slip dissipates lambda . s.
  s.state().value[static_cast<std::size_t>(s.state_offsets()[4].value)] = -10;
  double* rub = s.state().value.data() + s.state_offsets()[5].value;
  rub[0] = 2, rub[1] = 1;
  RecordedOutputs out;
  c.range().outputs(0, s.local(), {}, out);
  EXPECT_NEAR(out.scalars.at("normal_force"), 10, 1e-14);
  EXPECT_LT((out.vectors.at("force_world") - Vec3(-2, -1, 10)).norm(), 1e-13);
  EXPECT_LT(out.vectors.at("moment_world").norm(), 1e-13);
  EXPECT_NEAR(c.range().energy(0, s.local()).dissipated_power, 2 * relative[0] + relative[1], 1e-13);
}

TEST(PointContact, refuses_unsupported_input) {
  JointCase c(Mat3::Identity(), Vec3::Zero(), Mat3::Identity(), Vec3(0, 0, 0.5));
  const auto message = [&c](const std::string& own) {
    return c.message("point_contact", "{between: [ground, bodies.b]" + own + "}");
  };
  EXPECT_EQ(message(""), "");
  EXPECT_EQ(message(", friction: {static: [0.5, 0.4], kinetic: 0.3}"), "");
  EXPECT_EQ(message(", friction: 0"), "");
  EXPECT_THAT(message(", friction: -0.3"), HasSubstr("coefficient of friction is negative, -0.3"));
  EXPECT_THAT(message(", friction: [0.3, -0.1]"), HasSubstr("coefficient of friction is negative, -0.1"));
  EXPECT_THAT(message(", friction: [0.3, 0.1, 0.2]"), HasSubstr("one coefficient or two, found 3"));
  EXPECT_THAT(message(", friction: {kinetic: 0.5, static: 0.4}"),
              HasSubstr("at rest, 0.4, is less than that of sliding, 0.5"));
  EXPECT_THAT(message(", friction: {static: 0.4}"), HasSubstr("kinetic"));
  EXPECT_THAT(message(", friction: [0.3, 0]"), HasSubstr("along one axis alone is not available"));
  EXPECT_THAT(message(", restitution: 0.5"), HasSubstr("a restitution of 0.5 is not available yet"));
  EXPECT_THAT(c.message("point_contact", "{between: [bodies.b, ground]}"),
              HasSubstr("0.5 m below the plane"));
}

}  // namespace
}  // namespace trammel
