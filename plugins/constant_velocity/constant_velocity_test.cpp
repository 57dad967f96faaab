#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "joint_case.hpp"
#include "velocity_rows.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::JointCase;

TEST(ConstantVelocity, is_sound) {
  testing::expect_sound_joint("constant_velocity", ", axis: [1, 2, 3]", 2);
  testing::expect_sound_joint("constant_velocity", ", axis: [1, 2, 3], axis_B: [0, 2, 3]", 2);
}

TEST(ConstantVelocity, measures_the_bend) {
  for (const Vec3& bend : {Vec3(0, 0, 0), Vec3(1e-3, 2e-3, 0), Vec3(0.1, -0.1, 0), Vec3(-1, 2.5, 0)}) {
    JointCase c;
    const Vec3 e3(0, 0, 1), b = so3::exp(bend) * e3;
    const std::string axis_B =
        "[" + std::to_string(b[0]) + ", " + std::to_string(b[1]) + ", " + std::to_string(b[2]) + "]";
    TestState s = c.joint("constant_velocity",
                          "{between: [bodies.a, bodies.b], axis: [0, 0, 1], axis_B: " + axis_B + "}");
    RecordedOutputs out;
    c.range().outputs(0, s.local(), {}, out);
    EXPECT_NEAR(out.scalars.at("bend_1"), bend[0], 2e-5);
    EXPECT_NEAR(out.scalars.at("bend_2"), bend[1], 2e-5);
    EXPECT_NEAR(out.scalars.at("bend"), bend.norm(), 2e-5);
    if (bend.norm() > 0.01) {
      EXPECT_NEAR(out.scalars.at("bend_direction"), std::atan2(b[1], b[0]), 1e-4);
    }
    // Both shafts turn by one angle: the joint stays closed, for any bend.
    const int rows = s.offset(testing::block_named(s, "J.multipliers"));
    double* coordinates =
        s.state().value.data() +
        s.state_offsets()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))].value;
    const Vec3 now(coordinates[0], coordinates[1], 0), n_B = so3::exp(now) * e3;
    for (const double turn : {0.4, 2.0, 3.1, -2.5}) {
      s.set_rotation(testing::block_named(s, "bodies.A rotation"), so3::exp(Vec3(turn * e3)));
      s.set_rotation(testing::block_named(s, "bodies.B rotation"), so3::exp(Vec3(turn * n_B)));
      // Seen from A, the bend turns back.
      const Vec3 seen = so3::exp(Vec3(-turn * e3)) * now;
      coordinates[0] = seen[0];
      coordinates[1] = seen[1];
      EXPECT_LT(evaluate(c.range(), 0, s, {}).residual.tail(s.dofs() - rows).norm(), 1e-13) << turn;
      EXPECT_EQ(c.range().review(0, s.local(), {0, 1}).verdict, Review::Verdict::keep);
    }
    // Half a turn of twist closes g_12 - g_21 too, but not the joint.
    coordinates[0] = now[0];
    coordinates[1] = now[1];
    s.set_rotation(testing::block_named(s, "bodies.A rotation"), Mat3::Identity());
    s.set_rotation(testing::block_named(s, "bodies.B rotation"), so3::exp(Vec3(std::numbers::pi * n_B)));
    EXPECT_GT(evaluate(c.range(), 0, s, {}).residual.tail(s.dofs() - rows).norm(), 1.9);
  }
}

/// With the shafts folded onto each other g_12 - g_21 has no gradient. The joint bends on, and its equations stay independent.
TEST(ConstantVelocity, bends_beyond_half_a_turn) {
  JointCase c;
  TestState s = c.joint("constant_velocity", "{between: [bodies.a, bodies.b], axis: [0, 0, 1]}");
  const int coordinates = s.offset(testing::block_named(s, "J.coordinates")),
            rows = s.offset(testing::block_named(s, "J.multipliers"));
  double* b = s.state().value.data() +
              s.state_offsets()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))].value;
  for (const double angle : {0.0, 0.9, 2.0, 3.1, std::numbers::pi, 3.2, 4.5, 6.0})
    for (const double direction : {0.3, 2.1, -1.4}) {
      b[0] = angle * std::cos(direction), b[1] = angle * std::sin(direction);
      s.set_rotation(testing::block_named(s, "bodies.B rotation"), so3::exp(Vec3(b[0], b[1], 0)));
      const Evaluation e = evaluate(c.range(), 0, s, {true, false, false});
      EXPECT_LT(e.residual.tail(s.dofs() - rows).norm(), 1e-14) << angle;
      // Six equations, and of the rotation and both coordinates together two degrees of freedom at every bend.
      const Eigen::MatrixXd B = e.K.bottomRows(s.dofs() - rows).leftCols(rows);
      const Eigen::VectorXd all = B.jacobiSvd().singularValues();
      EXPECT_GT(all[5], 0.5) << angle;
      // Given the bodies' motion, the coordinates are determined below a whole turn.
      const Eigen::VectorXd own = B.middleCols(coordinates, 2).jacobiSvd().singularValues();
      EXPECT_NEAR(own[0], 1, 1e-12) << angle;
      EXPECT_NEAR(own[1], angle > 0 ? 2 * std::sin(angle / 2) / angle : 1, 1e-12) << angle;
    }
}

/// A step that swings the bend by more than 1 rad is cut, also the first one after a restart.
TEST(ConstantVelocity, keeps_the_bend_of_the_last_step_in_a_snapshot) {
  const std::string entry = "{between: [bodies.a, bodies.b], axis: [0, 0, 1]}";
  JointCase c, other;
  TestState s = c.joint("constant_velocity", entry);
  other.joint("constant_velocity", entry);
  double* b = s.state().value.data() +
              s.state_offsets()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))].value;
  b[0] = 0.2;
  c.range().commit(0, s.local(), {0, 1});
  Archive saved;
  c.range().serialize(0, saved);
  Archive reader(saved.bytes());
  other.range().serialize(0, reader);
  EXPECT_EQ(reader.left(), 0U);
  b[0] = 1.1;
  EXPECT_EQ(other.range().review(0, s.local(), {1, 2}).verdict, Review::Verdict::keep);
  b[0] = 1.3;
  for (JointCase* each : {&c, &other}) {
    const Review review = each->range().review(0, s.local(), {1, 2});
    EXPECT_EQ(review.verdict, Review::Verdict::cut);
    EXPECT_EQ(review.cut_time, 1.5);
  }
}

TEST(ConstantVelocityRates, is_exact) {
  for (const char* carrier : {"", ", carrier: bodies.still", ", carrier: bodies.moving"})
    for (const std::string& markers : testing::marker_pairs()) {
      JointCase c;
      const TestState s = c.joint(
          "constant_velocity_rates",
          "{between: " + markers + ", axis: [1, 2, 3], axis_B: [0, 2, 3], assemble: yes" + carrier + "}");
      testing::expect_exact_velocity_rows(c.range(), s);
    }
}

/// Two shafts on a third body.
struct ThreeBodies : JointCase {
  Frame third;
  ThreeBodies() {
    Type body;
    body.name = "frames";
    builder.begin({"more", {}, {}, {}, {}}, body);
    third = builder.add_frame("C", tilted(), arm());
    builder.offer_marker("c", Marker::on_frame(third, tilted(), arm()));
  }
};

TEST(ConstantVelocityRates, is_objective_on_a_carrier) {
  ThreeBodies c;
  const TestState start =
      c.joint("constant_velocity_rates",
              "{between: [bodies.a, bodies.b], axis: [1, 2, 3], axis_B: [0, 2, 3], carrier: more.c}");
  testing::expect_exact_velocity_rows(c.range(), start);
  JointCase plain;
  const TestState grounded = plain.joint(
      "constant_velocity_rates", "{between: [bodies.a, bodies.b], axis: [1, 2, 3], axis_B: [0, 2, 3]}");
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    TestState s = start, g = grounded;
    s.disturb(seed);
    g.disturb(seed);
    const Vec3 spin(1, 2, -0.7);
    const auto shift = [&](const ElementRange& range, const TestState& at) {
      const TestState moved =
          testing::carried(at, so3::exp(Vec3(2, -1, 0.5)), Vec3(3, 1, -2), Vec3(0, 0, 0), spin);
      return evaluate(range, 0, moved, {}).residual.tail<1>()[0] -
             evaluate(range, 0, at, {}).residual.tail<1>()[0];
    };
    EXPECT_NEAR(shift(c.range(), s), 0, 1e-12);
    // The moments on the three bodies balance; those on two alone don't.
    TestState closed = s;
    for (int i = 0; i < 3; ++i)
      closed.state().value[static_cast<std::size_t>(
          closed.state_offsets()[static_cast<std::size_t>(testing::block_named(s, "J.force"))].value + i)] =
          0;
    EXPECT_LT(resultant(closed, evaluate(c.range(), 0, closed, {}).residual).norm(), 1e-12);
    EXPECT_GT(std::abs(shift(plain.range(), g)), 1e-3);
  }
}

TEST(ConstantVelocity, refuses_impossible_input) {
  JointCase c;
  const std::string start = "{between: [bodies.a, bodies.b], axis: [0, 0, 1]";
  EXPECT_THAT(c.message("constant_velocity", start + ", axis_B: [0, 0, -1]}"), HasSubstr("half a turn"));
  EXPECT_THAT(c.message("constant_velocity", start + ", axis_B: [0, 0, 0]}"),
              HasSubstr("axis_B must not be zero"));
  EXPECT_THAT(c.message("constant_velocity_rates", start + ", carrier: bodies.a_arm}"),
              HasSubstr("third body"));
  EXPECT_THAT(c.message("constant_velocity_rates", "{between: [bodies.a, bodies.b]}"),
              HasSubstr("'axis' is missing"));
}

}  // namespace
}  // namespace trammel
