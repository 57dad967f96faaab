#include "motion.hpp"

#include <gtest/gtest.h>

#include "joint_samples.hpp"
#include "time_functions.hpp"

namespace trammel::coordinates {
namespace {

std::optional<Jump> jump_of(const FunctionPtr& f, double from, double to) {
  return find_jump(*f, from, f->at(from), to, f->at(to));
}

Jet kinked(Jet t, double at, double slope) { return t.value < at ? Jet{} : slope * (t - Jet{at}); }

TEST(Jumps, are_found_where_they_are) {
  const FunctionPtr step =
      time_function([](Jet t) { return (t.value < 0.123 ? Jet{1} : Jet{1.0001}) + 0.3 * sin(40.0 * t); });
  const auto jump = jump_of(step, 0.1, 0.14);
  ASSERT_TRUE(jump);
  EXPECT_FALSE(jump->of_rate);
  EXPECT_NEAR(jump->time, 0.123, 1e-9);
  EXPECT_NEAR(jump->size, 1e-4, 1e-8);

  const FunctionPtr kink = time_function([](Jet t) { return kinked(t, 0.123, 0.01) + t * t; });
  const auto bend = jump_of(kink, 0.1, 0.14);
  ASSERT_TRUE(bend);
  EXPECT_TRUE(bend->of_rate);
  EXPECT_NEAR(bend->time, 0.123, 1e-9);
  EXPECT_NEAR(bend->size, 0.01, 1e-8);
  EXPECT_FALSE(jump_of(kink, 0.05, 0.12));
  EXPECT_FALSE(jump_of(kink, 0.123, 0.2));
}

TEST(Jumps, are_not_found_where_the_function_is_steep_or_its_acceleration_jumps) {
  EXPECT_FALSE(jump_of(time_function([](Jet t) { return tanh(1e4 * (t - Jet{0.12})); }), 0.1, 0.14));
  // Half a cosine that begins inside the interval: its acceleration jumps.
  EXPECT_FALSE(
      jump_of(time_function([](Jet t) { return t.value < 0.12 ? Jet{} : 1.0 - cos(50.0 * (t - Jet{0.12})); }),
              0.1, 0.14));
  EXPECT_FALSE(jump_of(constant_function(3), 0, 1));
  // Small differences of large numbers: rounding is of the size of the function.
  const FunctionPtr spin_up =
      time_function([](Jet t) { return 0.4 * (0.5 * t * t + 5.7 * (cos(0.41887902 * t) - Jet{1})); });
  EXPECT_FALSE(jump_of(spin_up, 0, 1e-2));
  EXPECT_FALSE(jump_of(spin_up, 0, 1e-6));
  EXPECT_FALSE(jump_of(time_function([](Jet t) { return 1e6 + 1e-3 * t; }), 0, 1e-3));
}

TEST(Jumps, end_the_run_unless_nothing_moves) {
  const CoordinateTarget target{0, 1, Measure::angle(), "rad", "N m"};
  const FunctionPtr kink = time_function([](Jet t) { return kinked(t, 0.5, 2); });
  Sample<Motion> sample(
      Motion(target, kink, "hinge.angle"),
      {sample_block(BlockKind::coordinate, 1, "angle"), sample_block(BlockKind::multiplier, 1, "force")});
  TestState s = sample.test_state;
  s.state().time = 0.4;
  sample.range.commit(0, s.local(), {0.3, 0.4});
  s.state().time = 0.6;
  EXPECT_NO_THROW(evaluate(sample.range, 0, s, {})) << "in statics";
  s.state().rate[0] = 2;
  try {
    evaluate(sample.range, 0, s, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'hinge.angle' jumps: its rate changes by 2 rad/s at t = 0.5"),
              std::string::npos)
        << error.what();
  }
  // The history says the same after a restart.
  Sample<Motion> again(
      Motion(target, kink, "hinge.angle"),
      {sample_block(BlockKind::coordinate, 1, "angle"), sample_block(BlockKind::multiplier, 1, "force")});
  restore(again.range, saved(sample.range));
  EXPECT_THROW(evaluate(again.range, 0, s, {}), Error);
}

}  // namespace
}  // namespace trammel::coordinates
