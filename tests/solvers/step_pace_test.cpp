#include "solvers/accuracy/step_pace.hpp"

#include <gtest/gtest.h>

namespace trammel {
namespace {

TEST(StepPace, notices_once_that_steps_creep) {
  StepPace pace;
  pace.begin(1);
  double time = 1;
  for (int n = 0; n < 4 * StepPace::looked_at; ++n) EXPECT_FALSE(pace.creeps(time += 1e-5, 2)) << n;
  int noticed = 0;
  for (int n = 0; n < 3 * StepPace::looked_at; ++n)
    if (pace.creeps(time += 1e-9, 2)) {
      ++noticed;
      EXPECT_NEAR(pace.began(), 1.2, 1e-9);
      EXPECT_NEAR(pace.to_come(), 0.8 / 1e-9, 1e5);
    }
  EXPECT_EQ(noticed, 1);
}

TEST(StepPace, of_the_last_steps_of_a_stage_is_no_matter) {
  StepPace pace;
  pace.begin(0);
  double time = 0;
  for (int n = 0; n < StepPace::looked_at; ++n) EXPECT_FALSE(pace.creeps(time += 1e-3, 10));
  for (int n = 0; n < StepPace::looked_at; ++n) EXPECT_FALSE(pace.creeps(time += 1e-9, 5 + 1e-4));
}

}  // namespace
}  // namespace trammel
