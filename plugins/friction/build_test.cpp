#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinate_case.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel {
namespace {

using ::testing::HasSubstr;

TEST(FrictionInACase, refuses_impossible_input) {
  testing::CoordinateCase c;
  c.registry.set_source("friction", "");
  trammel_register(c.registry);
  c.joint("A", {{"angle", "rad"}, {"slide", "m"}});
  const auto on = [&](const char* value) { return c.on("friction", "A", "angle", value); };
  EXPECT_EQ(on("{coefficient: 0.3, regularization: 0.01, normal: 5}"), "");
  EXPECT_EQ(on("{law: lugre, coefficient: 0.3, stiffness: 100, normal: 5}"), "");
  EXPECT_EQ(c.model.blocks.back().kind, BlockKind::state);
  EXPECT_DOUBLE_EQ(c.model.blocks.back().measure(0).size, 0.3 / 100);
  EXPECT_EQ(on("{law: lugre, coefficient: 0.3, stiffness: 100, normal: 5, deflection: 0.003}"), "");
  EXPECT_EQ(c.model.blocks.back().initial[0], 0.003);
  EXPECT_THAT(on("{coefficient: -0.3, regularization: 0.01, normal: 5}"), HasSubstr("'coefficient'"));
  EXPECT_THAT(on("{coefficient: 0.3, regularization: 0, normal: 5}"), HasSubstr("'regularization'"));
  EXPECT_THAT(on("{coefficient: 0.3, normal: 5}"), HasSubstr("the law coulomb needs 'regularization'"));
  EXPECT_THAT(on("{coefficient: 0.3, regularization: 1, normal: -5}"),
              HasSubstr("the level of friction must not be negative, found -5"));
  EXPECT_THAT(on("{coefficient: 0.3, static: 0.2, regularization: 1, normal: 5}"),
              HasSubstr("the coefficient at rest, 0.2, must not be less than that of sliding, 0.3"));
  EXPECT_THAT(on("{coefficient: 0.3, static: 0.4, regularization: 1, normal: 5}"), HasSubstr("'stribeck'"));
  EXPECT_THAT(on("{law: lugre, coefficient: 0.3, normal: 5}"), HasSubstr("the law lugre needs 'stiffness'"));
  EXPECT_THAT(on("{law: lugre, coefficient: 0, stiffness: 1, normal: 5}"), HasSubstr("positive coefficient"));
  EXPECT_THAT(on("{coefficient: 0.3, regularization: 1, damping: 1, normal: 5}"),
              HasSubstr("'damping' belongs to the law lugre"));
  EXPECT_THAT(on("{law: stiction, coefficient: 0.3, regularization: 1, normal: 5}"), HasSubstr("'law'"));
  EXPECT_THAT(on("{coefficient: 0.3, regularization: 1, normal: 5, radius: 1}"),
              HasSubstr("'radius' belongs to friction by the joint's reaction"));
  EXPECT_THAT(on("{coefficient: 0.3, regularization: 1}"), HasSubstr("needs the 'radius' of the bearing"));
  EXPECT_THAT(on("{coefficient: 0.3, regularization: 1, radius: 0.1}"),
              HasSubstr("joint 'A' gives no reaction to read"));
  EXPECT_THAT(c.on("friction", "A", "slide", "{coefficient: 0.3, regularization: 1, thrust_radius: 0.1}"),
              HasSubstr("'thrust_radius' belongs to an angle"));
  EXPECT_THAT(c.on("friction", "A", "bend", "{coefficient: 0.3, regularization: 1}"),
              HasSubstr("it has: angle, slide"));
}

TEST(FrictionInACase, uses_the_normal_force_of_the_joint) {
  testing::CoordinateCase c;
  c.registry.set_source("friction", "");
  trammel_register(c.registry);
  c.joint("A", {{"s", "m"}});
  c.model.signals["A.normal_force"] = time_signal();
  c.context.functions["A.normal_force"] = constant_function(3);
  EXPECT_EQ(c.on("friction", "A", "s", "{coefficient: 0.3, regularization: 0.01}"), "");
  EXPECT_THAT(c.on("friction", "A", "s", "{coefficient: 0.3, regularization: 0.01, preload: 5}"),
              HasSubstr("'preload' belongs to friction by the joint's reaction"));
  EXPECT_THAT(c.on("friction", "A", "s", "{coefficient: 0.3, regularization: 0.01, normal: radial}"),
              HasSubstr("gives no reaction to read"));
}

}  // namespace
}  // namespace trammel
