#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "joint_case.hpp"
#include "universal.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::JointCase;

TEST(Universal, is_sound) { testing::expect_sound_joint("universal", ", bars: [[1, 2, 2], [2, 1, -2]]", 2); }

TEST(Universal, measures_the_angles_about_the_bars) {
  JointCase c;
  TestState s = c.joint("universal", "{between: [bodies.a, bodies.b], bars: [[0, 0, 1], [0, 1, 0]]}");
  const int block = testing::block_named(s, "J.coordinates"),
            turned = testing::block_named(s, "bodies.B rotation");
  double* angles = s.state().value.data() + s.state_offsets()[static_cast<std::size_t>(block)].value;
  const int rows = s.offset(testing::block_named(s, "J.multipliers"));
  for (const auto& [first, second] : {std::pair(0.4, -0.9), std::pair(3.0, 0.2), std::pair(-30.0, 9.0)}) {
    s.set_rotation(turned, so3::exp(Vec3(0, 0, first)) * so3::exp(Vec3(0, second, 0)));
    angles[0] = first;
    angles[1] = second;
    EXPECT_LT(evaluate(c.range(), 0, s, {}).residual.tail(s.dofs() - rows).norm(), 1e-13) << first;
    EXPECT_EQ(c.range().review(0, s.local(), {0, 1}).verdict, Review::Verdict::keep);
    angles[0] += std::numbers::pi;
    EXPECT_LT(evaluate(c.range(), 0, s, {}).residual.tail(s.dofs() - rows).norm(), 1e-13) << first;
    EXPECT_EQ(c.range().review(0, s.local(), {0, 1}).verdict, Review::Verdict::cut);
  }
}

TEST(Universal, has_the_derivatives_of_its_formula) {
  universal::Universal joint;
  RelativeState<2> x;
  x.R_AB = so3::exp(Vec3(0.4, -1.1, 0.8));
  x.p_AB_A = Vec3(0.1, -0.2, 0.3);
  x.c << 0.7, -2.1;
  universal::Universal::Terms by_hand, automatic;
  joint.terms(x, true, by_hand);
  static_cast<const Constraint<universal::Universal, 6, 2>&>(joint).terms(x, true, automatic);
  by_hand.G.topLeftCorner<3, 3>().setIdentity();  // known to the assembly
  EXPECT_LT((by_hand.C - automatic.C).norm(), 1e-15);
  EXPECT_LT((by_hand.G - automatic.G).norm(), 1e-15);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_LT((by_hand.H[i] - automatic.H[i]).norm(), 1e-15) << i;
}

TEST(Universal, starts_with_its_rates) {
  JointCase c;
  c.model.blocks.put(c.b.rotation).initial_rate = {0, 3, 2};
  const TestState s = c.joint("universal", "{between: [bodies.a, bodies.b], bars: [[0, 0, 1], [0, 1, 0]]}");
  const Block& block = s.blocks()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))];
  EXPECT_NEAR(block.initial_rate[0], 2, 1e-14);
  EXPECT_NEAR(block.initial_rate[1], 3, 1e-14);
}

TEST(Universal, refuses_a_broken_cross) {
  JointCase c;
  const auto message = [&](const char* bars) {
    return c.message("universal", std::string("{between: [bodies.a, bodies.b], bars: ") + bars + "}");
  };
  EXPECT_THAT(message("[[0, 0, 1], [0, 1, 1]]"), HasSubstr("must be perpendicular"));
  EXPECT_THAT(message("[[0, 0, 1], [0, 0, 0]]"), HasSubstr("must not be zero"));
  EXPECT_THAT(message("[[0, 0, 1]]"), HasSubstr("bars"));
  EXPECT_THAT(c.message("universal", "{between: [bodies.a, bodies.b]}"), HasSubstr("bars"));
  EXPECT_THAT(c.message("universal", "{between: [bodies.a, bodies.b_arm], bars: [[0, 0, 1], [0, 1, 0]]}"),
              HasSubstr("do not meet at the start"));
}

}  // namespace
}  // namespace trammel
