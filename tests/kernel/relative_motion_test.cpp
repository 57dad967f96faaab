#include "trammel/relative_motion.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "time_functions.hpp"
#include "trammel/element_check.hpp"
#include "trammel/lie.hpp"
#include "trammel/moving_marker.hpp"

namespace trammel {
namespace {

Eigen::VectorXd difference(const std::function<Eigen::VectorXd(double)>& f) {
  const double h = 1e-3;
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

std::vector<Block> frames(int count) {
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i) {
    Block p, R;
    R.kind = BlockKind::rotation;
    R.initial[0] = 1;
    blocks.push_back(p);
    blocks.push_back(R);
  }
  return blocks;
}

struct Pair {
  Marker a, b;
  RelativeMotion at(const TestState& s) const {
    RelativeMotion m;
    m.evaluate(s.local(), a, b, 0, MotionLevel::full);
    return m;
  }
};

Vec6 variation(const RelativeMotion& from, const RelativeMotion& to) {
  Vec6 z;
  z << to.p_AB_A - from.p_AB_A, so3::log(Mat3(from.R_AB.transpose() * to.R_AB));
  return z;
}

void check(const Pair& pair, int frame_count) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TestState s(frames(frame_count));
    s.disturb(seed);
    const int n = s.dofs();
    const RelativeMotion m = pair.at(s);
    ASSERT_EQ(m.dofs(), n);
    Vec6 w;
    w << 0.3, -1.1, 0.7, 0.9, 0.4, -0.8;
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
    m.add_second_order(s.local(), pair.a, pair.b, 0, w, K);
    for (int i = 0; i < n; ++i) {
      const auto moved = [&](double h) { return pair.at(s.moved(h * Eigen::VectorXd::Unit(n, i))); };
      EXPECT_LT((difference([&](double h) { return variation(m, moved(h)); }) - m.J.col(i)).norm(), 1e-9);
      EXPECT_LT((difference([&](double h) { return moved(h).twist; }) - m.twist_gradient.col(i)).norm(),
                1e-9);
      EXPECT_LT((difference([&](double h) { return Eigen::VectorXd(moved(h).J.transpose() * w); }) - K.col(i))
                    .norm(),
                1e-9);
    }
    EXPECT_LT((difference([&](double h) { return variation(m, pair.at(s.after(h))); }) - m.twist).norm(),
              1e-8);
    Eigen::VectorXd a = Eigen::Map<const Eigen::VectorXd>(s.state().acceleration.data(), n);
    EXPECT_LT((difference([&](double h) { return pair.at(s.after(h)).twist; }) - m.J * a - m.bias).norm(),
              1e-8);

    Eigen::VectorXd pulled(n);
    if (pair.a.block_count() > 0) pulled.head(m.A.dofs) = m.A.J.transpose() * m.wrench_on_A(w);
    if (pair.b.block_count() > 0) pulled.tail(m.B.dofs) = m.B.J.transpose() * m.wrench_on_B(w);
    EXPECT_LT((pulled - m.J.transpose() * w).norm(), 1e-13);
  }
}

const Mat3 tilted = so3::exp(Vec3(0.4, -1.2, 0.7));
const Vec3 arm(0.3, -0.2, 0.5);

Marker moving(const Marker& base) {
  RotationLaw law;
  law.vector = {time_function([](Jet t) { return 0.8 * sin(2.0 * t); }), nullptr,
                time_function([](Jet t) { return 0.3 + cos(t); })};
  return moving_marker(base, {time_function([](Jet t) { return 0.4 * t * t; }), nullptr, nullptr}, law);
}

TEST(RelativeMotion, of_two_frames_agrees_with_differences) {
  check({Marker::on_frame({0, 1}, tilted, arm), Marker::on_frame({2, 3}, tilted.transpose(), -2 * arm)}, 2);
}

TEST(RelativeMotion, to_the_ground_agrees_with_differences) {
  check({Marker::ground(tilted, arm), Marker::on_frame({0, 1}, tilted, arm)}, 1);
  check({Marker::on_frame({0, 1}, tilted, arm), Marker::ground(tilted, arm)}, 1);
}

TEST(RelativeMotion, of_moving_markers_agrees_with_differences) {
  check({moving(Marker::on_frame({0, 1}, tilted, arm)), Marker::on_frame({2, 3})}, 2);
  check({Marker::on_frame({0, 1}, tilted, arm), moving(Marker::on_frame({2, 3}, tilted))}, 2);
  check({moving(Marker::ground()), moving(Marker::on_frame({0, 1}, tilted))}, 1);
}

}  // namespace
}  // namespace trammel
