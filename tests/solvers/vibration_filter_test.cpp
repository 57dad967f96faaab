// What errors leave in fast vibrations, in a mass on a stiff spring and a free one beside it.

#include "solvers/errors/vibration_filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "test_models.hpp"

namespace trammel::testing {
namespace {

constexpr double mass = 0.5, W = 2000, tau = 0.01, h = 1e-4;

class VibrationFilters : public ::testing::Test {
 protected:
  VibrationFilters() {
    system.entity("pair", "spring");
    const BlockId hooked = system.builder.add_position("hooked", Vec3(0.1, 0, 0)),
                  free = system.builder.add_position("free", Vec3(5, 0, 0));
    system.builder.add(Particle{mass}, {hooked});
    system.builder.add(Particle{mass}, {free});
    system.builder.add(HookedSpring{{mass * W * W, 0.1}, 0}, {hooked});
    system.finish(PETSC_COMM_SELF);
    base = Simulation(*system.assembler).state();
    of_hooked = static_cast<std::size_t>(system.layout->offset(hooked).dof);
    filter = std::make_unique<ErrorFilter>(*system.assembler);
    equations = std::make_unique<StepEquations>(*system.assembler, ModelScales());
    vibrations = std::make_unique<VibrationFilter>(*equations, alpha, timings);
    x = OwnedVec(equations->create_vector());
    TRAMMEL_PETSC(VecZeroEntries(x.get()));
  }

  /// The error of a step, which is `e` in both masses, without vibrations faster than `time`.
  LocalError left(double e, double size, double time, double start = 0) {
    const StepCoefficients step = alpha.of_step(size);
    equations->begin(base, start + size, step, step.acceleration);
    equations->acceleration_offset()[of_hooked] = acceleration;
    EXPECT_TRUE(equations->move_to(x.get()));
    AlphaError errors(*system.layout, alpha, 0.9);
    errors.add(start, base.acceleration);
    filter->change(equations->trial(), errors, start + size, equations->trial().acceleration);
    LocalError error;
    error.displacement = error.velocity = {e, 0, 0, e, 0, 0};
    vibrations->begin(size, time);
    vibrations->apply(*filter, x.get(), start, error);
    return error;
  }

  TestSystem system;
  State base;
  std::size_t of_hooked = 0;
  double acceleration = 0;
  AlphaCoefficients alpha = AlphaCoefficients::from_radius(0.9);
  Timings timings;
  std::unique_ptr<ErrorFilter> filter;
  std::unique_ptr<StepEquations> equations;
  std::unique_ptr<VibrationFilter> vibrations;
  OwnedVec x;
  const double remains = 1 / (1 + W * W * tau * tau / alpha.acceleration());
};

TEST_F(VibrationFilters, leave_of_an_error_what_moves_a_free_body) {
  const LocalError error = left(1e-6, h, tau);
  ASSERT_TRUE(error.without_vibrations);
  for (const std::vector<double>& each : {error.displacement, error.velocity}) {
    EXPECT_NEAR(each[0], 1e-6 * remains, 1e-15);
    EXPECT_NEAR(each[3], 1e-6, 1e-15);
  }
  EXPECT_NEAR(error.vibrating[0], (1 + tau) * 1e-6 * (1 - remains), 1e-14);
  EXPECT_NEAR(error.vibrating[3], 0, 1e-14);
}

TEST_F(VibrationFilters, find_the_displacement_of_a_vibration) {
  acceleration = W * W * 1e-5;
  const LocalError error = left(1e-6, h, tau);
  ASSERT_EQ(error.vibration.size(), 6U);
  EXPECT_NEAR(error.vibration[0], 1e-5 * std::pow(1 - remains, 2), 1e-10);
  EXPECT_NEAR(error.vibration[3], 0, 1e-14);
}

// A form of the constraints may have corrected the velocities of the solution.
TEST_F(VibrationFilters, leave_the_solution) {
  left(0, h, 0);
  equations->solution().rate[of_hooked] = 7;
  LocalError error;
  error.displacement = error.velocity = {1, 0, 0, 1, 0, 0};
  vibrations->begin(h, tau);
  vibrations->apply(*filter, x.get(), 0, error);
  EXPECT_TRUE(error.without_vibrations);
  EXPECT_EQ(equations->trial().rate[of_hooked], 7);
}

TEST_F(VibrationFilters, leave_the_errors_of_long_steps) {
  const LocalError error = left(1e-6, 0.3 * tau, tau);
  EXPECT_FALSE(error.without_vibrations);
  EXPECT_EQ(error.velocity[0], 1e-6);
}

TEST_F(VibrationFilters, wait_after_an_event_until_stiffness_has_lasted) {
  left(1e-6, h, tau);
  vibrations->accepted(h, true);
  EXPECT_FALSE(left(1e-6, h, tau, h).without_vibrations);
  vibrations->accepted(2 * h, false);
  EXPECT_FALSE(left(1e-6, h, tau, 2 * tau).without_vibrations);
  vibrations->accepted(3.1 * tau, false);
  EXPECT_TRUE(left(1e-6, h, tau, 3.1 * tau).without_vibrations);
}

}  // namespace
}  // namespace trammel::testing
