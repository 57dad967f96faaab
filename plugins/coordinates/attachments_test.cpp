#include "attachments.hpp"

#include <gtest/gtest.h>

#include "joint_samples.hpp"
#include "time_functions.hpp"

namespace trammel::coordinates {
namespace {

const Target second_of_two{1, 2, "rad", "N m"};

std::vector<Block> coordinate_blocks(bool multiplier) {
  std::vector<Block> blocks{sample_block(BlockKind::coordinate, 2, "coordinates")};
  if (multiplier) blocks.push_back(sample_block(BlockKind::multiplier, 1, "force"));
  return blocks;
}

/// f(q, t) = 3 q^3 + t q of one signal.
class Cubic final : public Function {
 public:
  Cubic() : Function("3*q^3 + t*q", {"J.angle"}) {}

 private:
  Jet do_at(double) const override { return {}; }
  void do_evaluate(double t, std::span<const double> s, FunctionValue& out) const override {
    const double q = s[0];
    out.reset(1);
    out.value = 3 * q * q * q + t * q;
    out.dt = q;
    out.gradient[0] = 9 * q * q + t;
    out.gradient_dt[0] = 1;
    out.hessian(0, 0) = 18 * q;
  }
};

template <class E>
void expect_exact(const Sample<E>& sample) {
  const CheckedTerm worst = worst_derivative(sample.range, 0, sample.specimen, 10);
  EXPECT_LT(worst.relative(), 1e-9) << worst.what;
}

TEST(Attachments, HaveExactDerivatives) {
  const FunctionPtr swing = time_function([](Jet t) { return 0.3 * t * t + sin(2.0 * t); });
  expect_exact(Sample<Motion>(Motion(second_of_two, swing), coordinate_blocks(true)));
  expect_exact(Sample<LinearSpring>(LinearSpring(second_of_two, 7, 0.2), coordinate_blocks(false)));
  expect_exact(
      Sample<LawSpring>(LawSpring(second_of_two, std::make_shared<Cubic>(), 0.1), coordinate_blocks(false)));
  expect_exact(
      Sample<LawSpring>(LawSpring(second_of_two, constant_function(4), 0), coordinate_blocks(false)));
  expect_exact(Sample<Damper>(Damper(second_of_two, 0.7), coordinate_blocks(false)));
}

TEST(Attachments, EnergiesMatchTheForces) {
  const Sample<LawSpring> sample(LawSpring(second_of_two, std::make_shared<Cubic>(), 0.5),
                                 coordinate_blocks(false));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Specimen s = sample.specimen;
    s.disturb(seed);
    const double h = 1e-4;
    const auto energy = [&](double by) {
      return sample.range.energy(0, s.moved(by * Eigen::Vector2d::UnitY()).local()).strain;
    };
    const double force = evaluate(sample.range, 0, s, {}).residual[1];
    EXPECT_NEAR((energy(h) - energy(-h)) / (2 * h), force, 1e-6);
  }
  const Sample<LawSpring> at_rest(LawSpring(second_of_two, std::make_shared<Cubic>(), 0),
                                  coordinate_blocks(false));
  EXPECT_EQ(at_rest.range.energy(0, at_rest.specimen.local()).strain, 0);

  const Sample<Damper> damper(Damper(second_of_two, 0.7), coordinate_blocks(false));
  Specimen s = damper.specimen;
  s.disturb(1);
  EXPECT_NEAR(damper.range.energy(0, s.local()).lost_power,
              evaluate(damper.range, 0, s, {}).residual.dot(s.velocities()), 1e-15);
}

TEST(Attachments, MotionReportsTheActuatorsForce) {
  Sample<Motion> sample(Motion(second_of_two, constant_function(0.5)), coordinate_blocks(true));
  sample.specimen.disturb(2);
  const Specimen& s = sample.specimen;
  const double lambda = *s.local().value(1);
  RecordedOutputs outputs;
  sample.range.outputs(0, s.local(), {}, outputs);
  EXPECT_EQ(outputs.scalars.at("force"), -lambda);
  EXPECT_EQ(outputs.scalars.at("power"), -lambda * s.local().rate(0)[1]);
  EXPECT_EQ(outputs.scalars.at("power"), -sample.range.energy(0, s.local()).lost_power);
}

}  // namespace
}  // namespace trammel::coordinates
