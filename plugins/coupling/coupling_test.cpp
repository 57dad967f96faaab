#include "coupling.hpp"

#include <gtest/gtest.h>

#include "joint_samples.hpp"

namespace trammel::coupling {
namespace {

/// 2 q_0[1] - 3 q_1[0] + 0.5 q_1[2].
LinearForm form() {
  return {{{0, 1, 2, "a.angle", "N m"}, {1, 0, -3, "b.slide", "N"}, {1, 2, 0.5, "b.angle", "N m"}}, {2, 3}};
}

std::vector<Block> blocks(bool multiplier) {
  std::vector<Block> all{sample_block(BlockKind::coordinate, 2, "a"),
                         sample_block(BlockKind::coordinate, 3, "b")};
  if (multiplier) all.push_back(sample_block(BlockKind::multiplier, 1, "force"));
  return all;
}

TEST(Coupling, without_compliance_has_exact_derivatives_and_no_power) {
  const Sample<RigidCoupling> sample(RigidCoupling(form(), 0.4), blocks(true));
  const CheckedTerm worst = worst_derivative(sample.range, 0, sample.test_state, 10);
  EXPECT_LT(worst.relative(), 1e-9) << worst.what;
  TestState s = sample.test_state;
  s.disturb(1);
  EXPECT_NEAR(power_error(sample.range, 0, s), 0, 1e-14);
  const auto q = s.local();
  EXPECT_NEAR(evaluate(sample.range, 0, s, {}).residual[5],
              2 * q.value(0)[1] - 3 * q.value(1)[0] + 0.5 * q.value(1)[2] - 0.4, 1e-15);
  RecordedOutputs outputs;
  sample.range.outputs(0, s.local(), {}, outputs);
  const double lambda = *s.local().value(2);
  EXPECT_EQ(outputs.scalars.at("on_b.slide"), 3 * lambda);
  EXPECT_EQ(outputs.scalars.at("on_a.angle"), -2 * lambda);
}

TEST(Coupling, with_compliance_has_exact_derivatives_and_balanced_power) {
  int open = 0, pressed = 0;
  for (const double play : {0.0, 3.0}) {
    const Sample<CompliantCoupling> sample(CompliantCoupling(form(), {0.1, 40, 3, play}), blocks(false));
    const CheckedTerm worst = worst_derivative(sample.range, 0, sample.test_state, 10);
    EXPECT_LT(worst.relative(), 1e-9) << worst.what;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      TestState s = sample.test_state;
      s.disturb(seed);
      const double power = evaluate(sample.range, 0, s, {}).residual.dot(s.velocities());
      const double tau = 1e-5;
      const auto stored = [&](double by) { return sample.range.energy(0, s.after(by).local()).strain; };
      const double rate =
          (8 * (stored(tau / 2) - stored(-tau / 2)) - (stored(tau) - stored(-tau))) / (6 * tau);
      const double lost = sample.range.energy(0, s.local()).dissipated_power;
      EXPECT_NEAR(power, rate + lost, 1e-6 * (1 + std::abs(rate)));
      EXPECT_GE(lost, 0);
      (power == 0 ? open : pressed)++;
    }
  }
  EXPECT_GT(open, 2);
  EXPECT_GT(pressed, 20);
}

}  // namespace
}  // namespace trammel::coupling
