
#include <gtest/gtest.h>

#include "joint_samples.hpp"
#include "motion.hpp"
#include "springs.hpp"
#include "stop.hpp"
#include "time_functions.hpp"

namespace trammel::coordinates {
namespace {

const CoordinateTarget second_of_two{1, 2, Measure::angle(), "rad", "N m"};

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
  const CheckedTerm worst = worst_derivative(sample.range, 0, sample.test_state, 10);
  EXPECT_LT(worst.relative(), 1e-9) << worst.what;
}

TEST(ElementsOnCoordinates, have_exact_derivatives) {
  const FunctionPtr swing = time_function([](Jet t) { return 0.3 * t * t + sin(2.0 * t); });
  expect_exact(Sample<Motion>(Motion(second_of_two, swing, "J.angle"), coordinate_blocks(true)));
  expect_exact(Sample<LinearSpring>(LinearSpring(second_of_two, 7, 0.2, 1.5), coordinate_blocks(false)));
  expect_exact(
      Sample<LawSpring>(LawSpring(second_of_two, std::make_shared<Cubic>(), 0.1), coordinate_blocks(false)));
  expect_exact(
      Sample<LawSpring>(LawSpring(second_of_two, constant_function(4), 0), coordinate_blocks(false)));
  expect_exact(Sample<Damper>(Damper(second_of_two, 0.7), coordinate_blocks(false)));
}

TEST(ElementsOnCoordinates, have_forces_that_match_their_energies) {
  const Sample<LawSpring> sample(LawSpring(second_of_two, std::make_shared<Cubic>(), 0.5),
                                 coordinate_blocks(false));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestState s = sample.test_state;
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
  EXPECT_EQ(at_rest.range.energy(0, at_rest.test_state.local()).strain, 0);

  const Sample<Damper> damper(Damper(second_of_two, 0.7), coordinate_blocks(false));
  TestState s = damper.test_state;
  s.disturb(1);
  EXPECT_NEAR(damper.range.energy(0, s.local()).dissipated_power,
              evaluate(damper.range, 0, s, {}).residual.dot(s.velocities()), 1e-15);
}

/// f(q, q', t) = 2 sin(t) q'^2 - 3 q q'.
class OfTheRate final : public Function {
 public:
  OfTheRate() : Function("2*sin(t)*w^2 - 3*q*w", {"J.angle", "J.angle_rate"}) {}

 private:
  Jet do_at(double) const override { return {}; }
  void do_evaluate(double t, std::span<const double> s, FunctionValue& out) const override {
    out.reset(2);
    out.value = 2 * std::sin(t) * s[1] * s[1] - 3 * s[0] * s[1];
    out.dt = 2 * std::cos(t) * s[1] * s[1];
    out.gradient[0] = -3 * s[1];
    out.gradient[1] = 4 * std::sin(t) * s[1] - 3 * s[0];
  }
};

TEST(ElementsOnCoordinates, have_exact_derivatives_with_functions_of_rates) {
  // The function reads another block than the one that it acts on.
  const auto angle = component_signal(1, BlockKind::coordinate, 3, 2, "rad");
  const BoundFunction f(std::make_shared<OfTheRate>(), {{angle, false}, {angle, true}}, {3, 3});
  const std::vector<Block> blocks{sample_block(BlockKind::coordinate, 2, "q"),
                                  sample_block(BlockKind::coordinate, 3, "other"),
                                  sample_block(BlockKind::coordinate, 3, "other again")};
  for (const double sign : {1.0, -1.0}) {
    const Sample<FunctionForce> sample(FunctionForce(second_of_two, f, sign), blocks);
    expect_exact(sample);
    TestState s = sample.test_state;
    s.disturb(3);
    EXPECT_NEAR(sample.range.energy(0, s.local()).dissipated_power,
                evaluate(sample.range, 0, s, {}).residual.dot(s.velocities()), 1e-14);
  }
}

TEST(ElementsOnCoordinates, include_stops_with_exact_derivatives_and_balanced_power) {
  Stop::Law law;
  law.range.from = -0.02;
  law.range.to = 0.03;
  law.stiffness = 50;
  law.exponent = 1.5;
  law.damping = 0.4;
  const Sample<Stop> stop(Stop(second_of_two, law), coordinate_blocks(false));
  expect_exact(stop);
  int touching = 0, losing = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TestState s = stop.test_state;
    s.disturb(seed);
    const double force = evaluate(stop.range, 0, s, {}).residual[1];
    const double depth =
        std::max(s.local().value(0)[1] - law.range.to, law.range.from - s.local().value(0)[1]);
    EXPECT_EQ(force != 0, depth > 0 && std::abs(force) > 0) << "seed " << seed;
    if (!(depth > 0)) continue;
    ++touching;
    EXPECT_GE(force * (s.local().value(0)[1] - 0.005), 0) << "a stop never pulls";
    // Balance: power of the force = rate of the stored energy + what is lost.
    const double tau = 1e-4;
    const auto stored = [&](double by) { return stop.range.energy(0, s.after(by).local()).strain; };
    const double rate = (8 * (stored(tau / 2) - stored(-tau / 2)) - (stored(tau) - stored(-tau))) / (6 * tau);
    const double lost = stop.range.energy(0, s.local()).dissipated_power;
    EXPECT_NEAR(force * s.velocities()[1], rate + lost, 1e-7 * (1 + std::abs(rate)));
    EXPECT_GE(lost, 0);
    losing += lost > 0 ? 1 : 0;
  }
  EXPECT_GT(touching, 10);
  EXPECT_GT(losing, 5);
}

TEST(ElementsOnCoordinates, end_the_step_where_a_stop_is_touched) {
  Stop::Law law;
  law.range.to = 0.5;
  law.stiffness = 100;
  Sample<Stop> sample(Stop(second_of_two, law), coordinate_blocks(false));
  // q = 0.3 + t + t^2 from t = 0 to 0.25: meets 0.5 at t = (sqrt(1.8) - 1)/2.
  const auto at = [&](double t) {
    TestState s = sample.test_state;
    s.state().time = t;
    s.state().value[1] = 0.3 + t + t * t;
    s.state().rate[1] = 1 + 2 * t;
    return s;
  };
  sample.range.commit(0, at(0).local(), {0, 0});
  const Review review = sample.range.review(0, at(0.25).local(), {0, 0.25});
  ASSERT_EQ(review.verdict, Review::Verdict::cut);
  EXPECT_NEAR(review.cut_time, (std::sqrt(1.8) - 1) / 2, 1e-12);
  EXPECT_EQ(sample.range.review(0, at(review.cut_time).local(), {0, review.cut_time}).verdict,
            Review::Verdict::keep);
  EXPECT_EQ(sample.range.review(0, at(0.1).local(), {0, 0.1}).verdict, Review::Verdict::keep);
}

/// f(t) = 0.5 + 0.7 t.
class Ramp final : public Function {
 public:
  Ramp() : Function("0.5 + 0.7*t", {}) {}

 private:
  Jet do_at(double t) const override { return {0.5 + 0.7 * t, 0.7, 0}; }
};

TEST(ElementsOnCoordinates, report_the_force_of_a_motion) {
  Sample<Motion> sample(Motion(second_of_two, std::make_shared<Ramp>(), "J.angle"), coordinate_blocks(true));
  sample.test_state.disturb(2);
  sample.test_state.state().rate[1] = 0.7;
  const TestState& s = sample.test_state;
  const double lambda = *s.local().value(1);
  RecordedOutputs outputs;
  sample.range.outputs(0, s.local(), {}, outputs);
  EXPECT_EQ(outputs.scalars.at("force"), -lambda);
  EXPECT_EQ(outputs.scalars.at("power"), -lambda * s.local().rate(0)[1]);
  EXPECT_EQ(outputs.scalars.at("power"), -sample.range.energy(0, s.local()).dissipated_power);
}

}  // namespace
}  // namespace trammel::coordinates
