#include "prescribed_frame.hpp"

#include <gtest/gtest.h>

#include "joint_samples.hpp"
#include "time_functions.hpp"
#include "trammel/moving_marker.hpp"

namespace trammel::prescribed_frame {
namespace {

Marker on_a_path(const Marker& base) {
  RotationLaw law;
  law.vector = {time_function([](Jet t) { return 0.8 * sin(2.0 * t); }),
                time_function([](Jet t) { return t * t; }),
                time_function([](Jet t) { return 0.3 + cos(t); })};
  return moving_marker(base,
                       {time_function([](Jet t) { return 0.4 * t * t; }), nullptr,
                        time_function([](Jet t) { return sin(3.0 * t); })},
                       law);
}

TEST(PrescribedFrame, has_exact_derivatives) {
  for (const auto& [a, b] : {std::pair(on_a_path(Marker::ground(tilted(), arm())), tilted_marker(0)),
                             std::pair(on_a_path(tilted_marker(0)), tilted_marker(1))}) {
    const JointSample<PrescribedFrame> sample(PrescribedFrame(), a, b);
    const CheckedTerm worst = worst_derivative(sample.range, 0, sample.test_state, 10);
    EXPECT_LT(worst.relative(), 1e-8) << worst.what;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      TestState s = sample.test_state;
      s.disturb(seed);
      EXPECT_NEAR(power_error(sample.range, 0, s), 0, 1e-8);
      EXPECT_NEAR(sample.range.energy(0, s.local()).dissipated_power, power_of_time(sample.range, 0, s),
                  1e-12);
    }
  }
}

TEST(PrescribedFrame, is_satisfied_on_the_path_only) {
  const Marker a = on_a_path(Marker::ground());
  const JointSample<PrescribedFrame> sample(PrescribedFrame(), a, Marker::on_frame({0, 1}));
  TestState s = sample.test_state;
  s.state().time = 0.7;
  MarkerMotion motion;
  a.evaluate(s.local(), 0, MotionLevel::velocity, motion);
  s.set_rotation(1, motion.R_WM);
  std::copy_n(motion.p_WM.data(), 3, s.state().value.begin());
  std::copy_n(motion.twist.data(), 6, s.state().rate.begin());
  const Evaluation e = evaluate(sample.range, 0, s, {true, true, false});
  EXPECT_LT(e.residual.norm(), 1e-14);
  EXPECT_LT(e.rate.norm(), 1e-14);
  EXPECT_GT(evaluate(sample.range, 0, s.after(0.1), {}).residual.norm(), 1e-4);
}

}  // namespace
}  // namespace trammel::prescribed_frame
