#include "drives.hpp"

#include <gtest/gtest.h>

#include "joint_samples.hpp"

namespace trammel::drives {
namespace {

const CoordinateTarget second_of_two{1, 2, Measure::angle(), "rad", "N m"};

/// a sin(t) - b s0 - c s1.
class Feedback final : public Function {
 public:
  explicit Feedback(double size) : Function("feedback", {"J.angle", "J.angle_rate"}), size_(size) {}

 private:
  Jet do_at(double) const override { return {}; }
  void do_evaluate(double t, std::span<const double> s, FunctionValue& out) const override {
    out.reset(2);
    out.value = size_ * (std::sin(t) - 2 * s[0] * s[0] - 3 * s[1]);
    out.dt = size_ * std::cos(t);
    out.gradient << -4 * size_ * s[0], -3 * size_;
  }
  double size_;
};

BoundFunction feedback(double size) {
  const auto angle = component_signal(2, BlockKind::coordinate, 2, 0, "rad");
  return {std::make_shared<Feedback>(size), {{angle, false}, {angle, true}}, {2, 2}};
}

std::vector<Block> blocks() {
  return {sample_block(BlockKind::coordinate, 2, "q"), sample_block(BlockKind::state, 1, "y"),
          sample_block(BlockKind::coordinate, 2, "other"), sample_block(BlockKind::coordinate, 2, "again")};
}

DcMotor::Data motor_data() { return {0.3, 2, 0.7, 4, 0.05, 0.01}; }

TEST(Drives, include_a_motor_with_exact_derivatives_and_balanced_power) {
  const Sample<DcMotor> motor(DcMotor(second_of_two, motor_data(), feedback(1)), blocks());
  const CheckedTerm worst = worst_derivative(motor.range, 0, motor.test_state, 10);
  EXPECT_LT(worst.relative(), 1e-9) << worst.what;

  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestState s = motor.test_state;
    s.disturb(seed);
    // The current's rate that satisfies its equation.
    s.state().rate[2] -= evaluate(motor.range, 0, s, {}).residual[2];
    const double force = -evaluate(motor.range, 0, s, {}).residual[1];
    const double tau = 1e-4;
    const auto energy = [&](double by) {
      TestState later = s.after(by);
      later.state().value[2] += by * s.state().rate[2];
      const Energy e = motor.range.energy(0, later.local());
      return e.kinetic + e.strain;
    };
    const double rate = (8 * (energy(tau / 2) - energy(-tau / 2)) - (energy(tau) - energy(-tau))) / (6 * tau);
    const double lost = motor.range.energy(0, s.local()).dissipated_power;
    EXPECT_NEAR(-force * s.velocities()[1], rate + lost, 1e-7 * (1 + std::abs(rate)));
    RecordedOutputs outputs;
    motor.range.outputs(0, s.local(), {}, outputs);
    EXPECT_NEAR(outputs.scalars.at("force"), force, 1e-12);
  }
}

TEST(Drives, include_a_servo_with_exact_derivatives_saturated_or_not) {
  const auto command = feedback(1);
  int saturated = 0, free = 0;
  for (const double limit : {0.5, 100.0}) {
    const Sample<Servo> servo(Servo(second_of_two, {0.2, limit}, command), blocks());
    const CheckedTerm worst = worst_derivative(servo.range, 0, servo.test_state, 10);
    EXPECT_LT(worst.relative(), 1e-9) << worst.what;
    TestState s = servo.test_state;
    s.disturb(4);
    const double asked = command.at(s.local(), 2), y = *s.local().value(1);
    const double expected = std::clamp(asked, -limit, limit);
    (expected == asked ? free : saturated)++;
    EXPECT_NEAR(evaluate(servo.range, 0, s, {}).residual[2], *s.local().rate(1) - (expected - y) / 0.2,
                1e-12);
    EXPECT_EQ(evaluate(servo.range, 0, s, {}).residual[1], -y);
    EXPECT_EQ(servo.range.energy(0, s.local()).dissipated_power, -y * s.velocities()[1]);
  }
  EXPECT_EQ(saturated, 1);
  EXPECT_EQ(free, 1);
}

}  // namespace
}  // namespace trammel::drives
