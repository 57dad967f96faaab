#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinate_case.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel {
namespace {

using ::testing::HasSubstr;

TEST(DrivesInACase, refuse_impossible_input) {
  testing::CoordinateCase c;
  c.registry.set_source("drives", "");
  trammel_register(c.registry);
  c.joint("A", {{"angle", "rad"}});
  const std::string motor = "voltage: 12, inductance: 1e-3, constant: 0.05";
  EXPECT_EQ(c.on("motor", "A", "angle", "{" + motor + ", resistance: 1}"), "");
  EXPECT_EQ(c.model.blocks.back().kind, BlockKind::state);
  EXPECT_EQ(c.model.blocks.back().measure(0).size, 1);
  EXPECT_EQ(c.on("motor", "A", "angle", "{" + motor + ", resistance: 1, rated_current: 40}"), "");
  EXPECT_EQ(c.model.blocks.back().measure(0).size, 40);
  EXPECT_THAT(c.on("motor", "A", "angle", "{" + motor + ", resistance: -1}"), HasSubstr("'resistance'"));
  EXPECT_THAT(c.on("motor", "A", "angle", "{" + motor + ", resistance: 1, gear: 0}"),
              HasSubstr("must not be zero"));
  EXPECT_THAT(c.on("motor", "A", "slide", "{" + motor + ", resistance: 1}"),
              HasSubstr("no coordinate 'slide'; it has: angle"));
  EXPECT_EQ(c.on("servo", "A", "angle", "{command: 3, limit: 2, lag: 0.1}"), "");
  EXPECT_EQ(c.model.blocks.back().measure(0).size, 2);
  EXPECT_THAT(c.on("servo", "A", "angle", "{command: 3, limit: 0, lag: 0.1}"), HasSubstr("'limit'"));
  EXPECT_THAT(c.on("servo", "A", "angle", "{command: 3, limit: 1, lag: 0}"), HasSubstr("'lag'"));
}

}  // namespace
}  // namespace trammel
