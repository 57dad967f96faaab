#include "trammel/marker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "modal_point.hpp"
#include "time_functions.hpp"
#include "trammel/element_check.hpp"
#include "trammel/lie.hpp"
#include "trammel/moving_marker.hpp"

namespace trammel {
namespace {

using Difference = Eigen::VectorXd;

Difference difference(const std::function<Eigen::VectorXd(double)>& f) {
  const double h = 1e-3;
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

Block block(BlockKind kind, int size, const char* name) {
  Block b;
  b.kind = kind;
  b.size = size;
  b.name = name;
  if (kind == BlockKind::rotation) b.initial[0] = 1;
  return b;
}

std::vector<Block> frame_blocks() {
  return {block(BlockKind::position, 3, "position"), block(BlockKind::rotation, 3, "rotation")};
}

MarkerMotion motion_of(const Marker& marker, const TestState& s, MotionLevel level = MotionLevel::full) {
  MarkerMotion m;
  marker.evaluate(s.local(), 0, level, m);
  return m;
}

/// (p_WM - p_WM0; log(R_WM0^T R_WM)): the variation from `from`, exact to first order.
Vec6 variation(const MarkerMotion& from, const MarkerMotion& to) {
  Vec6 z;
  z << to.p_WM - from.p_WM, so3::log(Mat3(from.R_WM.transpose() * to.R_WM));
  return z;
}

void check(const Marker& marker, const std::vector<Block>& blocks) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TestState s(blocks);
    s.disturb(seed);
    const int n = s.dofs();
    const MarkerMotion m = motion_of(marker, s);
    ASSERT_EQ(m.dofs, n);
    EXPECT_NEAR((m.R_WM * m.R_WM.transpose() - Mat3::Identity()).norm(), 0, 1e-13);

    Vec6 w;
    w << 0.3, -1.1, 0.7, 0.9, 0.4, -0.8;
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
    marker.add_second_order(s.local(), 0, m, w, K);
    for (int i = 0; i < n; ++i) {
      const auto moved = [&](double h) { return s.moved(h * Eigen::VectorXd::Unit(n, i)); };
      EXPECT_LT((difference([&](double h) { return variation(m, motion_of(marker, moved(h))); }) - m.J.col(i))
                    .norm(),
                1e-9);
      EXPECT_LT(
          (difference([&](double h) { return motion_of(marker, moved(h)).twist; }) - m.twist_gradient.col(i))
              .norm(),
          1e-9);
      EXPECT_LT((difference([&](double h) {
                   return Eigen::VectorXd(motion_of(marker, moved(h)).J.transpose() * w);
                 }) -
                 K.col(i))
                    .norm(),
                1e-9);
    }
    EXPECT_LT(
        (difference([&](double h) { return variation(m, motion_of(marker, s.after(h))); }) - m.twist).norm(),
        1e-8);
    EXPECT_LT((difference([&](double h) { return motion_of(marker, s.after(h)).twist; }) -
               marker.acceleration(s.local(), 0, m))
                  .norm(),
              1e-8);
  }
}

const Mat3 tilted = so3::exp(Vec3(0.4, -1.2, 0.7));
const Vec3 arm(0.3, -0.2, 0.5);

TEST(Marker, on_frame_agrees_with_differences) {
  check(Marker::on_frame({0, 1}), frame_blocks());
  check(Marker::on_frame({0, 1}, tilted, arm), frame_blocks());
}

TEST(Marker, on_point_agrees_with_differences) {
  check(Marker::on_point(0), {block(BlockKind::position, 3, "position")});
}

TEST(Marker, on_ground_does_not_move) {
  const Marker ground = Marker::ground(tilted, arm);
  check(ground, {});
  EXPECT_TRUE(ground.blocks().empty());
  EXPECT_EQ(motion_of(ground, TestState(std::vector<Block>{})).p_WM, arm);
}

RotationLaw tumbling() {
  RotationLaw law;
  law.vector = {time_function([](Jet t) { return 0.8 * sin(2.0 * t); }),
                time_function([](Jet t) { return 1.1 * t * t; }),
                time_function([](Jet t) { return 0.3 + cos(t); })};
  return law;
}

std::array<FunctionPtr, 3> wandering() {
  return {time_function([](Jet t) { return 0.4 * t * t; }), time_function([](Jet t) { return sin(3.0 * t); }),
          nullptr};
}

TEST(MovingMarker, by_rotation_vector_agrees_with_differences) {
  check(moving_marker(Marker::on_frame({0, 1}, tilted, arm), wandering(), tumbling()), frame_blocks());
}

TEST(MovingMarker, by_angle_agrees_with_differences) {
  RotationLaw law;
  law.axis = Vec3(1, 2, -1);
  law.angle = time_function([](Jet t) { return 4.0 * t + sin(t); });
  check(moving_marker(Marker::on_frame({0, 1}), wandering(), law), frame_blocks());
}

TEST(MovingMarker, carries_an_offset_and_another_moving_marker) {
  const Marker base = moving_marker(Marker::on_frame({0, 1}, tilted, arm), wandering(), tumbling());
  check(base.offset(tilted, Vec3(0.1, 0.7, -0.4)), frame_blocks());
  check(moving_marker(base.offset(tilted, arm), wandering(), tumbling()), frame_blocks());
}

TEST(MovingMarker, on_ground_follows_its_functions) {
  check(moving_marker(Marker::ground(tilted, arm), wandering(), tumbling()), {});
}

TEST(MovingMarker, refuses_a_point) { EXPECT_THROW(moving_marker(Marker::on_point(0), {}, {}), Error); }

TEST(Marker, keeps_the_rounding_error_of_positions_far_from_the_origin) {
  TestState s(frame_blocks());
  s.disturb(3);
  const Marker base = Marker::on_frame({0, 1}, tilted, arm);
  const std::vector<Marker> markers{base, moving_marker(base, wandering(), tumbling()).offset(tilted, arm)};
  for (const Marker& marker : markers) {
    const Vec3 arm_W = p_AB_W(motion_of(Marker::on_frame({0, 1}), s), motion_of(marker, s));
    TestState far = s;
    // The frame's place is 1e9 m off, and its compensation what a double cannot hold there.
    Eigen::Map<Vec3>(far.state().value.data()) = Vec3(1e9, -3e9, 2e9);
    Eigen::Map<Vec3>(far.state().compensation.data()) = Vec3(3e-8, -1e-8, 2e-8);
    const Vec3 found = p_AB_W(motion_of(Marker::on_frame({0, 1}), far), motion_of(marker, far));
    EXPECT_LT((found - arm_W).norm(), 1e-14);
    EXPECT_GT((motion_of(marker, far).p_WM - Vec3(1e9, -3e9, 2e9) - arm_W).norm(), 1e-9);
  }
}

TEST(State, keeps_the_rounding_error_of_its_sums) {
  double value = 1e6, compensation = 0;
  for (int i = 0; i < 1000; ++i) set_sum(value, compensation, value, compensation, 1e-13);
  EXPECT_NEAR((value - 1e6) + compensation, 1e-10, 1e-23);
  EXPECT_LE(std::abs(compensation), 0.5 * std::numeric_limits<double>::epsilon() * 1e6);
  set_sum(value, compensation, 1e-3, 1e-20, 1e6);  // the increment may be the larger one
  EXPECT_EQ(value, 1e6 + 1e-3);
  EXPECT_NEAR((value - 1e6) + compensation, 1e-3, 1e-18);
}

TEST(Marker, applies_offsets_one_after_another) {
  const Marker a = Marker::on_frame({0, 1}, tilted, arm).offset(tilted, arm);
  EXPECT_LT((a.R_FM() - tilted * tilted).norm(), 1e-15);
  EXPECT_LT((a.p_FM_F() - (arm + tilted * arm)).norm(), 1e-15);
  EXPECT_FALSE(a.at_frame_origin());
  EXPECT_TRUE(Marker::on_frame({0, 1}, tilted).at_frame_origin());
  EXPECT_THROW(Marker::on_point(0).offset(tilted, arm), Error);
}

TEST(Marker, is_turned_where_its_axes_are_not_those_of_its_frame) {
  Mat3 quarter;
  quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const Marker straight = Marker::on_frame({0, 1}, Mat3::Identity(), arm);
  EXPECT_FALSE(straight.is_turned());
  EXPECT_EQ(straight.R_FM(), Mat3::Identity());
  const Marker turned = straight.offset(quarter);
  EXPECT_TRUE(turned.is_turned());
  EXPECT_EQ(turned.R_FM(), quarter);
  EXPECT_EQ(Marker(turned).R_FM(), quarter);
  EXPECT_FALSE(turned.offset(quarter.transpose()).is_turned());
  EXPECT_TRUE(Marker::ground(quarter).is_turned());
  EXPECT_FALSE(Marker::ground().is_turned());
}

template <int modes>
void check_modal_point() {
  std::vector<Block> blocks = frame_blocks();
  blocks.push_back(block(BlockKind::coordinate, modes, "modes"));
  blocks.back().initial.resize(modes);
  blocks.back().initial_rate.resize(modes);
  const Marker marker = Marker::on_shape(std::make_shared<testing::ModalPoint<modes>>());
  check(marker, blocks);
  check(marker.offset(so3::exp(Vec3(0.3, 0.2, -0.5)), Vec3(0.1, 0.2, 0.3)), blocks);
}

TEST(Marker, of_many_columns_agrees_with_differences) {
  check_modal_point<8>();
  check_modal_point<14>();
  check_modal_point<40>();  // beyond what lies in place
}

}  // namespace
}  // namespace trammel
