#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinate_case.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel {
namespace {

using ::testing::HasSubstr;

struct Gears : testing::CoordinateCase {
  Gears() {
    registry.set_source("coupling", "");
    trammel_register(registry);
    for (const char* name : {"sun", "planet", "ring"}) joint(name, {{"angle", "rad"}});
    joint("rack", {{"slide", "m"}});
  }
  std::string couple(const std::string& text) { return message(Type::Category::joint, "coupling", text); }
};

TEST(CouplingsInACase, refuse_impossible_input) {
  Gears c;
  EXPECT_THAT(c.couple("{terms: {sun.angle: 1}}"), HasSubstr("two terms or more"));
  EXPECT_THAT(c.couple("{terms: {sun.angle: 1, planet.angle: 0}}"),
              HasSubstr("the factor of 'planet.angle' must be a number other than zero, found 0"));
  EXPECT_THAT(c.couple("{terms: {sun.angle: 1, planet.slide: 1}}"),
              HasSubstr("joint 'planet' has no coordinate 'slide'; it has: angle"));
  EXPECT_THAT(c.couple("{terms: {sun.angle: 1, planett.angle: 1}}"),
              HasSubstr("coordinate 'planett.angle' not found; did you mean 'planet.angle'?. Coordinates: "
                        "sun.angle, planet.angle, ring.angle, rack.slide"));
  EXPECT_THAT(c.couple("{terms: {sun.angle: 1, ring.angle: 1}, constant: 0.5}"),
              HasSubstr("the sum is 0 at the start, not 0.5"));
  EXPECT_EQ(c.couple("{terms: {sun.angle: 1, ring.angle: 1}, constant: 0.5, assemble: yes}"), "");
  EXPECT_THAT(c.couple("{terms: {sun.angle: 1, rack.slide: 1}, play: 0.1}"), HasSubstr("'stiffness'"));
  EXPECT_THAT(c.couple("{terms: {sun.angle: 1, rack.slide: 1}, play: -0.1, stiffness: 1}"),
              HasSubstr("'play'"));
}

TEST(CouplingsInACase, count_against_their_largest_term) {
  Gears c;
  EXPECT_EQ(c.couple("{terms: {sun.angle: 20, planet.angle: -30}}"), "");
  EXPECT_EQ(c.model.blocks.back().measure(0).size, 30);
}

TEST(CouplingsInACase, may_not_close_on_themselves) {
  Gears c;
  EXPECT_EQ(c.couple("{terms: {sun.angle: 1, planet.angle: 2}}"), "");
  EXPECT_EQ(c.couple("{terms: {planet.angle: 1, ring.angle: -3}}"), "");
  EXPECT_THAT(c.couple("{terms: {ring.angle: 6, sun.angle: 1}}"),
              HasSubstr("the coupling closes on itself: 'it0', 'it1' impose the same relation already"));
  EXPECT_THAT(c.couple("{terms: {sun.angle: -2, planet.angle: -4}}"),
              HasSubstr("closes on itself: 'it0' imposes"));
  // Another ratio makes another relation (all three then stand still).
  EXPECT_EQ(c.couple("{terms: {ring.angle: 5, sun.angle: 1}}"), "");
  EXPECT_THAT(c.couple("{terms: {ring.angle: 1, planet.angle: 1}}"), HasSubstr("closes on itself"));
  EXPECT_EQ(c.couple("{terms: {ring.angle: 1, rack.slide: 1}}"), "");
  EXPECT_EQ(c.couple("{terms: {ring.angle: 1, sun.angle: 1}, stiffness: 10}"), "")
      << "a spring closes nothing";
}

}  // namespace
}  // namespace trammel
