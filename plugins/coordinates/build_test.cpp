#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinate_case.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel {
namespace {

using ::testing::HasSubstr;

class OfSignal final : public Function {
 public:
  explicit OfSignal(std::string signal) : Function(signal, {signal}) {}

 private:
  Jet do_at(double) const override { return {}; }
  void do_evaluate(double, std::span<const double> s, FunctionValue& out) const override {
    out.reset(1);
    out.value = s[0];
    out.gradient[0] = 1;
  }
};

struct Hinges : testing::CoordinateCase {
  Hinges() {
    registry.set_source("coordinates", "");
    trammel_register(registry);
    joint("A", {{"angle", "rad"}, {"slide", "m"}});
    joint("B", {{"angle", "rad"}});
    for (const char* signal : {"A.angle", "A.angle_rate", "B.angle_rate", "B.angel_rate"})
      context.functions[signal] = std::make_shared<OfSignal>(signal);
  }
};

TEST(ElementsOnCoordinatesInACase, refuse_impossible_input) {
  Hinges c;
  EXPECT_THAT(c.on("damper", "A", "angle", "-1"), HasSubstr("the damping must not be negative, found -1"));
  EXPECT_THAT(c.on("spring", "A", "angel", "1"),
              HasSubstr("joint 'A' has no coordinate 'angel'; it has: angle, slide"));
  EXPECT_THAT(c.on("spring", "A", "angle", "{rest: 1}"), HasSubstr("either 'stiffness' or 'law'"));
  EXPECT_THAT(c.on("spring", "A", "angle", "{law: A.angle, preload: 1}"), HasSubstr("its own preload"));
  EXPECT_THAT(c.on("spring", "B", "angle", "{law: A.angle}"), HasSubstr("may read 'B.angle' and time only"));
  EXPECT_THAT(c.on("stop", "A", "angle", "{from: 1, to: -1, stiffness: 10}"),
              HasSubstr("the stops of 'A.angle' are in the wrong order: from 1 to -1"));
  EXPECT_THAT(c.on("stop", "A", "angle", "{stiffness: 10}"), HasSubstr("a stop needs a bound"));
  EXPECT_THAT(c.on("stop", "A", "angle", "{to: 1, stiffness: 0}"), HasSubstr("'stiffness'"));
  EXPECT_THAT(c.on("stop", "A", "angle", "{to: 1, stiffness: 1, damping: -1}"), HasSubstr("'damping'"));
  EXPECT_THAT(c.on("stop", "A", "angle", "{to: 1, stiffness: 1, exponent: 0.5}"), HasSubstr("at least 1"));
  EXPECT_THAT(c.on("actuator", "A", "angle", "B.angel_rate"),
              HasSubstr("joint 'B' has no coordinate 'angel'; it has: angle"));
  EXPECT_THAT(c.on("motion", "A", "angle", "A.angle"), HasSubstr("only a function of time is allowed"));
  EXPECT_THAT(c.on("initial", "A", "angel", "1"),
              HasSubstr("joint 'A' has no coordinate 'angel'; it has: angle, slide"));
  EXPECT_THAT(c.on("counter", "A", "angle", "{at: [2, 1]}"),
              HasSubstr("the times of resets must increase, found 1 s after 2 s"));
  EXPECT_THAT(c.on("counter", "A", "angle", "{when: B.angel_rate}"), HasSubstr("has no coordinate 'angel'"));
}

TEST(ElementsOnCoordinatesInACase, prescribe_a_coordinate_once) {
  Hinges c;
  EXPECT_EQ(c.on("motion", "A", "angle", "1"), "");
  EXPECT_EQ(c.on("motion", "B", "angle", "1"), "");
  EXPECT_THAT(c.on("motion", "A", "angle", "2"),
              HasSubstr("the coordinate 'A.angle' is prescribed already, by 'A.angle.motion'"));
}

TEST(ElementsOnCoordinatesInACase, refuse_initial_values_beside_a_motion) {
  Hinges c;
  EXPECT_EQ(c.on("initial", "A", "angle", "1"), "");
  EXPECT_TRUE(c.model.blocks.back().measure(0).is_angle());
  EXPECT_TRUE(c.model.blocks.back().rows[0].switches);
  EXPECT_EQ(c.on("initial_rate", "A", "slide", "1"), "");
  EXPECT_TRUE(c.model.blocks.back().measure(0).is_length());
  EXPECT_EQ(c.on("motion", "B", "angle", "1"), "");
  for (const char* coordinate : {"angle", "slide"})
    EXPECT_THAT(c.on("motion", "A", coordinate, "1"),
                HasSubstr("has a `motion`, which gives it its initial value"));
  for (const char* start : {"initial", "initial_rate"})
    EXPECT_THAT(c.on(start, "B", "angle", "1"), HasSubstr("the coordinate 'B.angle' has a `motion`"));
}

TEST(ElementsOnCoordinatesInACase, may_read_rates_of_other_joints) {
  Hinges c;
  EXPECT_EQ(c.on("actuator", "A", "angle", "B.angle_rate"), "");
  EXPECT_EQ(c.on("damper", "A", "angle", "{law: A.angle_rate}"), "");
  const auto stencil = c.model.ranges.back().instances->stencil(0);
  ASSERT_EQ(stencil.size(), 2U);
  EXPECT_EQ(c.model.block_name(stencil[0]), "A.coordinates");
  EXPECT_EQ(c.model.block_name(stencil[1]), "B.coordinates");
}

TEST(ElementsOnCoordinatesInACase, accept_all_their_forms) {
  Hinges c;
  for (const char* value : {"10", "{stiffness: 10, rest: 1, preload: 2}", "{law: A.angle, rest: 1}"})
    EXPECT_EQ(c.on("spring", "A", "angle", value), "");
  EXPECT_EQ(c.on("damper", "A", "slide", "3"), "");
  EXPECT_EQ(
      c.on("stop", "A", "slide", "{from: -1, to: 1, stiffness: 1, damping: 1, exponent: 1.5, meet: no}"), "");
  EXPECT_EQ(c.on("stop", "A", "slide", "{from: 0, to: 0, stiffness: 1}"), "");
  for (const char* value : {"{}", "{at: [1, 2]}", "{when: A.angle_rate}"})
    EXPECT_EQ(c.on("counter", "A", "angle", value), "");
}

}  // namespace
}  // namespace trammel
