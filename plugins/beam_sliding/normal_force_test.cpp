#include "normal_force.hpp"

#include <gtest/gtest.h>

#include "trammel/element_check.hpp"
#include "trammel/lie.hpp"

namespace trammel::beam_sliding {
namespace {

/// A frame and a force.
std::vector<Block> blocks() {
  std::vector<Block> all(3);
  all[1].kind = BlockKind::rotation;
  all[1].initial[0] = 1;
  all[2].kind = BlockKind::multiplier;
  all[2].size = 3;
  return all;
}

double difference(const std::function<double(double)>& f) {
  const double h = 1e-3;
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

TEST(NormalForce, is_the_force_across_the_first_axis_of_the_slider) {
  const Mat3 R = so3::exp(Vec3(0.4, -1.2, 0.7));
  const NormalForce normal(Marker::on_frame({0, 1}, R, Vec3(0.3, -0.2, 0.5)), 2);
  const auto at = [&normal](const TestState& s) {
    SignalValue v;
    normal.evaluate(s.local(), 0, true, v);
    return v;
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    TestState s(blocks());
    s.disturb(seed);
    double* force = s.state().value.data() + s.state_offsets()[2].value;
    for (int i = 0; i < 3; ++i) force[i] = std::sin(static_cast<double>(seed) + 2 * i) + 0.3;
    const SignalValue v = at(s);
    const Vec3 t1 = s.local().rotation(1) * R.col(0), F(force[0], force[1], force[2]);
    EXPECT_NEAR(v.value, (F - F.dot(t1) * t1).norm(), 1e-14);
    for (int i = 0; i < 9; ++i) {
      const auto moved = [&](double h) { return at(s.moved(h * Eigen::VectorXd::Unit(9, i))); };
      EXPECT_NEAR(v.gradient[i], difference([&](double h) { return moved(h).value; }), 1e-9);
      for (int j = 0; j < 9; ++j)
        EXPECT_NEAR(v.second(j, i), difference([&](double h) { return moved(h).gradient[j]; }), 1e-8)
            << j << i;
    }
  }
}

TEST(ContactForce, is_the_whole_force) {
  Block force;
  force.kind = BlockKind::multiplier;
  force.size = 3;
  const ContactForce contact(0);
  const auto at = [&contact](const TestState& s) {
    SignalValue v;
    contact.evaluate(s.local(), 0, true, v);
    return v;
  };
  TestState s({force});
  std::ranges::copy(std::array{2.0, -3.0, 6.0}, s.state().value.data() + s.state_offsets()[0].value);
  const SignalValue v = at(s);
  EXPECT_EQ(v.value, 7);
  for (int i = 0; i < 3; ++i) {
    const auto moved = [&](double h) { return at(s.moved(h * Eigen::VectorXd::Unit(3, i))); };
    EXPECT_NEAR(v.gradient[i], difference([&](double h) { return moved(h).value; }), 1e-11);
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(v.second(j, i), difference([&](double h) { return moved(h).gradient[j]; }), 1e-11);
  }
}

}  // namespace
}  // namespace trammel::beam_sliding
