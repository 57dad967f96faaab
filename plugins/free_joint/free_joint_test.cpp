#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "joint_case.hpp"
#include "trammel/signal.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::JointCase;

TEST(Free, is_sound) { testing::expect_sound_joint("free", ", rotation: [0.6, 0.8, 0, 0]", 6); }

Mat3 turned(const Vec3& angles) {
  return so3::exp(Vec3(angles[0], 0, 0)) * so3::exp(Vec3(0, angles[1], 0)) * so3::exp(Vec3(0, 0, angles[2]));
}

TEST(Free, reports_the_position_of_B) {
  for (const char* coordinate : {"yes", "no"}) {
    JointCase c(tilted(), Vec3(1, 2, 3), Mat3::Identity(), Vec3(2, 2, 1));
    TestState s =
        c.joint("free", std::string("{between: [bodies.a, bodies.b], coordinate: ") + coordinate + "}");
    const Vec3 angles(2.8, -1.4, -3.0);
    s.set_rotation(testing::block_named(s, "bodies.B rotation"),
                   tilted() * turned(angles) * tilted().transpose());
    RecordedOutputs out;
    c.range().outputs(0, s.local(), {}, out);
    EXPECT_LT((out.vectors.at("angles") - angles).norm(), 1e-12);
    EXPECT_LT((out.vectors.at("displacement") - tilted().transpose() * Vec3(1, 0, -2)).norm(), 1e-13);
    EXPECT_LT((turned(angles) - so3::exp(out.vectors.at("rotation"))).norm(), 1e-12);
    EXPECT_EQ(out.scalars.contains("slide_2"), coordinate[0] == 'y');
    EXPECT_LT(evaluate(c.range(), 0, s, {}).residual.norm(), 1e-13);
  }
}

TEST(Free, signals_have_exact_derivatives) {
  for (const std::string& markers : testing::marker_pairs()) {
    JointCase c;
    c.joint("free", "{between: " + markers + ", coordinate: no}");
    for (const char* name : {"J.angle_1", "J.angle_2", "J.angle_3", "J.twist"}) {
      const auto signal = c.model.signals.at(name);
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        TestState s(c.model, signal->blocks());
        s.disturb(seed);
        SignalValue now;
        signal->evaluate(s.local(), 0, true, now);
        const auto value = [&](const TestState& at) {
          SignalValue v;
          signal->evaluate(at.local(), 0, true, v);
          return v;
        };
        const double h = 1e-4, scale = 1 + now.gradient.norm() + now.second.norm();
        const auto near = [&](double t) { return value(s.after(t)); };
        EXPECT_NEAR(
            (8 * (near(h).value - near(-h).value) - (near(2 * h).value - near(-2 * h).value)) / (12 * h),
            now.rate, 1e-8 * scale * scale)
            << name;
        EXPECT_NEAR((8 * (near(h).rate - near(-h).rate) - (near(2 * h).rate - near(-2 * h).rate)) / (12 * h),
                    now.second_rate, 1e-8 * scale * scale * scale)
            << name << markers;
        for (int i = 0; i < s.dofs(); ++i) {
          const auto moved = [&](double d) { return value(s.moved(d * Eigen::VectorXd::Unit(s.dofs(), i))); };
          const SignalValue p = moved(h), m = moved(-h), pp = moved(2 * h), mm = moved(-2 * h);
          EXPECT_NEAR((8 * (p.value - m.value) - (pp.value - mm.value)) / (12 * h), now.gradient[i],
                      1e-8 * scale * scale);
          const Eigen::VectorXd column =
              (8 * (p.gradient - m.gradient) - (pp.gradient - mm.gradient)) / (12 * h);
          EXPECT_LT((column - now.second.col(i)).norm(), 1e-7 * scale * scale) << name << markers;
        }
      }
    }
  }
}

TEST(Free, starts_with_its_rates) {
  JointCase c(Mat3::Identity(), Vec3::Zero(), Mat3::Identity(), Vec3(1, 0, 0));
  c.model.blocks.put(c.a.rotation).initial_rate = {0, 0, 2};
  const TestState s = c.joint("free", "{between: [bodies.a, bodies.b]}");
  const Block& block = s.blocks()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))];
  EXPECT_NEAR(block.initial[0], 1, 1e-15);
  EXPECT_NEAR(block.initial_rate[1], -2, 1e-14);
}

TEST(Free, needs_orientations) {
  JointCase c;
  c.builder.offer_marker("p", Marker::on_point(c.a.position));
  EXPECT_THAT(c.message("free", "{between: [bodies.p, bodies.b]}"), HasSubstr("without orientation"));
}

}  // namespace
}  // namespace trammel
