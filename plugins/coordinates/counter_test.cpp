#include "counter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "joint_samples.hpp"

namespace trammel::coordinates {
namespace {

const CoordinateTarget angle{0, 1, Measure::angle(), "rad", "N m"};

/// 1 - 2 cos(q).
class Cosine final : public Function {
 public:
  Cosine() : Function("1 - 2*cos(J.angle)", {"J.angle"}) {}

 private:
  Jet do_at(double) const override { return {}; }
  void do_evaluate(double, std::span<const double> s, FunctionValue& out) const override {
    out.reset(1);
    out.value = 1 - 2 * std::cos(s[0]);
    out.gradient[0] = 2 * std::sin(s[0]);
  }
};

std::vector<Block> blocks(int count) {
  return {static_cast<std::size_t>(count), sample_block(BlockKind::coordinate, 1, "angle")};
}

/// Goes with q = 9 t + t^2 through steps of `h`, cut where the counter asks for it; the coordinate at resets.
std::vector<double> resets_of(Sample<Counter>& sample, double until, double h) {
  std::vector<double> resets;
  TestState s = sample.test_state;
  const auto at = [&](double t) {
    s.state().time = t;
    for (double& q : s.state().value) q = 9 * t + t * t;
    for (double& rate : s.state().rate) rate = 9 + 2 * t;
    return s.local();
  };
  double count = 0, t = 0;
  int cuts = 0;
  sample.range.commit(0, at(0), {-h, 0});
  for (double end = h; t < until - 1e-9;) {
    const LocalState x = at(end);
    const Review review = sample.range.review(0, x, {t, end});
    if (review.verdict == Review::Verdict::cut) {
      EXPECT_GT(review.cut_time, t);
      EXPECT_LT(review.cut_time, end);
      end = review.cut_time;
      ++cuts;
      continue;
    }
    sample.range.commit(0, x, {t, end});
    RecordedOutputs out;
    sample.range.outputs(0, x, {}, out);
    if (out.scalars.at("resets") > count) {
      count = out.scalars.at("resets");
      resets.push_back(s.state().value[0] - out.scalars.at("counted"));
    }
    t = end;
    end = h * (std::floor(t / h * (1 + 1e-9)) + 1);
  }
  EXPECT_LE(cuts, 2 * count);
  return resets;
}

TEST(Counters, count_turns_from_the_last_reset) {
  Sample<Counter> sample(Counter(angle, {0.1, 0.35}, {}), blocks(1));
  const std::vector<double> resets = resets_of(sample, 2, 0.1);
  ASSERT_EQ(resets.size(), 2U);
  EXPECT_NEAR(resets[0], 0.91, 1e-12);
  EXPECT_NEAR(resets[1], 9 * 0.35 + 0.35 * 0.35, 1e-12);
  TestState s = sample.test_state;
  s.state().value[0] = 18;
  RecordedOutputs out;
  sample.range.outputs(0, s.local(), {}, out);
  const double counted = 18 - 9 * 0.35 - 0.35 * 0.35, turn = 2 * std::numbers::pi;
  EXPECT_NEAR(out.scalars.at("counted"), counted, 1e-12);
  EXPECT_NEAR(out.scalars.at("turns"), counted / turn, 1e-12);
  EXPECT_NEAR(out.scalars.at("angle"), counted - 2 * turn, 1e-12);

  Sample<Counter> again(Counter(angle, {0.1, 0.35}, {}), blocks(1));
  restore(again.range, saved(sample.range));
  RecordedOutputs same;
  again.range.outputs(0, s.local(), {}, same);
  EXPECT_EQ(same.scalars, out.scalars);
}

TEST(Counters, are_reset_when_a_function_becomes_positive) {
  const auto q = component_signal(0, BlockKind::coordinate, 1, 0, "rad");
  const BoundFunction when(std::make_shared<Cosine>(), {{q, false}}, {1});
  Sample<Counter> sample(Counter(angle, {}, when), blocks(2));
  const std::vector<double> resets = resets_of(sample, 1.5, 0.01);
  // q = pi/3 + 2 pi k; the secant over a step of which 1/20 or less is left: 3e-6 rad.
  ASSERT_EQ(resets.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(resets[k], std::numbers::pi * (1.0 / 3 + 2 * static_cast<double>(k)), 5e-5);
}

}  // namespace
}  // namespace trammel::coordinates
