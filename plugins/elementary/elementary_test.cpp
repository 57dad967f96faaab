#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "joint_case.hpp"

namespace trammel {
namespace {

using testing::expect_sound_joint;
using ::testing::HasSubstr;
using testing::JointCase;

TEST(Elementary, joints_are_sound) {
  expect_sound_joint("point_on_plane", ", axis: [1, 2, 3]", 5);
  expect_sound_joint("point_on_line", ", axis: [1, 2, 3]", 4);
  expect_sound_joint("parallel_axes", ", axis: [1, 2, 3]", 4);
  expect_sound_joint("perpendicular_axes", ", axis: [1, 2, 3], axis_B: [3, 0, -1]", 5);
}

/// B away from A, so that distances have a direction.
struct Apart : JointCase {
  Apart() : JointCase(tilted(), Vec3(0, 0, 0), Mat3::Identity(), Vec3(2, -1, 2)) {
    model.blocks.put(b.position).initial_rate = {0.2, 0, 0.1};
    point = builder.add_position("P", Vec3(0, 4, 3));
    builder.offer_marker("p", Marker::on_point(point));
    context.functions["growing"] = time_function([](Jet t) { return 3.0 + 0.3 * sin(2.0 * t); });
    context.functions["negative"] = time_function([](Jet t) { return t - 1.0; });
  }
  BlockId point = no_block;
};

TEST(Elementary, distance_is_sound) {
  for (const char* own : {"", ", distance: growing"})
    for (const char* markers : {"[bodies.a_arm, bodies.b_arm]", "[ground, bodies.b]",
                                "[bodies.p, bodies.b_arm]", "[bodies.p, ground]"}) {
      Apart c;
      const TestState start =
          c.joint("distance", std::string("{between: ") + markers + own + ", assemble: yes}");
      // Small displacements, any rotation: the points stay apart.
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        TestState s = start;
        s.disturb(seed, 0.3);
        const CheckedTerm worst = check_derivatives(c.range(), 0, s, 3e-4).front();
        EXPECT_LT(worst.relative(), 1e-8) << markers << own << " " << worst.what;
        EXPECT_NEAR(power_error(c.range(), 0, s), 0, 1e-9);
      }
    }
}

TEST(Elementary, distance_reports_its_tension) {
  Apart c;
  TestState s = c.joint("distance", "{between: [bodies.a, bodies.b]}");
  s.state().value[static_cast<std::size_t>(s.state_offsets().back().value)] = 6;
  RecordedOutputs out;
  c.range().outputs(0, s.local(), {}, out);
  EXPECT_NEAR(out.scalars.at("tension"), 6, 1e-14);
  EXPECT_NEAR(out.scalars.at("distance"), 3, 1e-14);
  EXPECT_LT((out.vectors.at("force_world") - Vec3(-4, 2, -4)).norm(), 1e-13);  // B is pulled towards A
}

// Off the constraint too: velocities there are a method's, and no work.
TEST(Elementary, distance_counts_only_the_work_of_its_time_dependence) {
  for (const bool moves : {false, true}) {
    Apart c;
    TestState s = c.joint("distance", moves ? "{between: [bodies.a, bodies.b], distance: growing}"
                                            : "{between: [bodies.a, bodies.b]}");
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      s.disturb(seed, 0.3);
      const Evaluation e = evaluate(c.range(), 0, s, {});
      EXPECT_GT(std::abs(e.residual.dot(s.velocities())), 1e-3);
      const double lost = c.range().energy(0, s.local()).dissipated_power;
      if (moves)
        EXPECT_NEAR(lost, power_of_time(c.range(), 0, s), 1e-12);
      else
        EXPECT_EQ(lost, 0);
      EXPECT_EQ(lost != 0, moves);
    }
  }
}

TEST(Elementary, joints_refuse_impossible_input) {
  Apart c;
  EXPECT_THAT(c.message("distance", "{between: [ground, bodies.a]}"), HasSubstr("meet at the start"));
  EXPECT_THAT(c.message("distance", "{between: [bodies.a, bodies.b], distance: negative}"),
              HasSubstr("must be positive, found -1 m"));
  EXPECT_THAT(c.message("distance", "{between: [bodies.a, bodies.b], distance: 2}"),
              HasSubstr("open at the start: equation 1 is off by 1 m"));
  EXPECT_THAT(
      c.message("perpendicular_axes", "{between: [bodies.a, bodies.b], axis: [1, 0, 0], axis_B: [1, 1, 0]}"),
      HasSubstr("not perpendicular at the start"));
  EXPECT_THAT(
      c.message("perpendicular_axes", "{between: [bodies.a, bodies.b], axis: [1, 0, 0], axis_B: [0, 0, 0]}"),
      HasSubstr("axis_B must not be zero"));
  EXPECT_THAT(c.message("point_on_line", "{between: [bodies.p, bodies.b], axis: [1, 0, 0]}"),
              HasSubstr("point without orientation"));
  EXPECT_THAT(c.message("point_on_line", "{between: [bodies.a, bodies.b], axis: [1, 0, 0]}"),
              HasSubstr("open at the start"));
  EXPECT_THAT(c.message("parallel_axes", "{between: [bodies.a, bodies.b]}"), HasSubstr("'axis' is missing"));
  EXPECT_EQ(c.message("point_on_line", "{between: [bodies.a, bodies.p], axis: [0, 4, 3]}"), "");
  EXPECT_EQ(c.message("point_on_plane", "{between: [ground, bodies.p], axis: [0, 4, 3]}"), "");
}

}  // namespace
}  // namespace trammel
