#include "solvers/accuracy/step_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trammel {
namespace {

using ::testing::ElementsAre;

TEST(StepTimes, are_merged_up_to_events_and_halved) {
  StepTimes steps(1);
  for (const double end : {2.0, 3.0, 4.0, 5.0, 6.0, 6.5, 7.0, 8.0}) steps.add(end, end == 5);
  EXPECT_THAT(steps.merged(3), ElementsAre(4, 5, 7, 8));
  EXPECT_THAT(steps.halved(),
              ElementsAre(1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.25, 6.5, 6.75, 7, 7.5, 8));
}

}  // namespace
}  // namespace trammel
