#include "trammel/signal.hpp"

#include <gtest/gtest.h>

#include "trammel/element_check.hpp"
#include "trammel/lie.hpp"

namespace trammel {
namespace {

std::vector<Block> two_frames() {
  std::vector<Block> blocks(4);
  for (const std::size_t k : {1U, 3U}) {
    blocks[k].kind = BlockKind::rotation;
    blocks[k].initial[0] = 1;
  }
  return blocks;
}

double difference(const std::function<double(double)>& f) {
  const double h = 1e-3;
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

TEST(Signal, of_a_distance_agrees_with_differences) {
  const Mat3 R = so3::exp(Vec3(0.4, -1.2, 0.7));
  const auto signal = distance_signal(Marker::on_frame({0, 1}, R, Vec3(0.3, -0.2, 0.5)),
                                      Marker::on_frame({2, 3}, R, Vec3(2, 3, 1)));
  EXPECT_EQ(signal->unit(), "m");
  EXPECT_EQ(signal->blocks(), (std::vector<BlockId>{0, 1, 2, 3}));
  const auto at = [&signal](const TestState& s) {
    SignalValue v;
    signal->evaluate(s.local(), 0, true, v);
    return v;
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    TestState s(two_frames());
    s.disturb(seed);
    const SignalValue v = at(s);
    EXPECT_NEAR(v.rate, difference([&](double h) { return at(s.after(h)).value; }), 1e-9);
    EXPECT_NEAR(v.second_rate, difference([&](double h) { return at(s.after(h)).rate; }), 1e-8);
    for (int i = 0; i < 12; ++i) {
      const auto moved = [&](double h) { return at(s.moved(h * Eigen::VectorXd::Unit(12, i))); };
      EXPECT_NEAR(v.gradient[i], difference([&](double h) { return moved(h).value; }), 1e-9);
      for (int j = 0; j < 12; ++j)
        EXPECT_NEAR(v.second(j, i), difference([&](double h) { return moved(h).gradient[j]; }), 1e-9);
    }
  }
}

TEST(Signal, of_a_component_reads_its_block) {
  Block b;
  b.kind = BlockKind::coordinate;
  b.size = 2;
  b.initial = {3, 4};
  b.initial_rate = {5, 6};
  TestState s({b});
  s.state().acceleration = {7, 8};
  SignalValue v;
  component_signal(0, BlockKind::coordinate, 2, 1, "rad")->evaluate(s.local(), 0, true, v);
  EXPECT_EQ(v.value, 4);
  EXPECT_EQ(v.rate, 6);
  EXPECT_EQ(v.second_rate, 8);
  EXPECT_EQ(v.gradient, Eigen::Vector2d(0, 1));
  EXPECT_THROW(component_signal(0, BlockKind::coordinate, 2, 2, "rad"), Error);
  EXPECT_THROW(component_signal(0, BlockKind::rotation, 3, 0, "rad"), Error);
}

TEST(Signal, of_time_has_unit_rate) {
  TestState s(std::vector<Block>{});
  s.state().time = 2.5;
  SignalValue v;
  time_signal()->evaluate(s.local(), 0, true, v);
  EXPECT_EQ(v.value, 2.5);
  EXPECT_EQ(v.rate, 1);
  EXPECT_EQ(v.gradient.size(), 0);
}

}  // namespace
}  // namespace trammel
