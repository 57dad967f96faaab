// Steps of the form index1 that end where a second derivative of the curve jumps, through the command.

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::at;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::table_of;
using testing::Workplace;

/// A body driven along a closed curve, a quarter of it each second.
std::string driven(const std::string& curve, const std::string& own, double quarter, double step) {
  std::ostringstream text;
  text.precision(17);
  text << "trammel: 1\n"
          "bodies: {cart: {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}}\n"
          "curves: {ring: {"
       << curve << "}}\njoints: {slide: {type: curve_sliding, between: [ring, cart]" << own
       << ", motion: {s: " << quarter << R"(*t}}}
sensors: {cart: {type: motion, of: cart}}
stages:
  - {type: dynamic, until: 2.5, step: )"
       << step << ", form: index1}\n";
  return text.str();
}

constexpr const char* circle = "type: circle, normal: [0, 0, 1], radius: [2, 0, 0]";
constexpr const char* ellipse = "type: ellipse, major: [2, 0, 0], minor: [0, 1, 0]";
// 2 E(3/4): an elliptic integral of the second kind.
constexpr double quarter_of_ellipse = 2.4221120551369586;

void expect_quarters(const Outcome& run, const Workplace& workplace, double minor, double within) {
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("of them cut 0"));
  const auto cart = table_of(workplace.read("out/cart.csv"));
  EXPECT_NEAR(at(cart, 1, "position.x"), 0, within);
  EXPECT_NEAR(at(cart, 1, "position.y"), minor, within);
  EXPECT_NEAR(at(cart, 2, "position.x"), -2, within);
  EXPECT_NEAR(at(cart, 2, "position.y"), 0, within);
}

TEST(CurveBreaks, are_crossed_by_steps_that_end_on_them) {
  const Workplace workplace;
  for (const double step : {0.1, 0.01})
    expect_quarters(workplace.run(driven(circle, "", std::numbers::pi, step)), workplace, 2, 1e-9);
  // The motion is the same in between, and the force that of a uniform circle.
  const auto cart = table_of(workplace.read("out/cart.csv"));
  const double turn = 0.5 * std::numbers::pi * 1.5;
  EXPECT_NEAR(at(cart, 1.5, "position.x"), 2 * std::cos(turn), 1e-6);
  EXPECT_NEAR(at(cart, 1.5, "acceleration.y"), -0.5 * std::numbers::pi * std::numbers::pi * std::sin(turn),
              1e-3);
}

TEST(CurveBreaks, are_crossed_with_an_orientation_and_with_arc_length_at_velocity_level) {
  const Workplace workplace;
  for (const char* own : {"", ", orientation: locked", ", orientation: about_tangent, frame: frenet"})
    expect_quarters(workplace.run(driven(ellipse, own, quarter_of_ellipse, 0.01)), workplace, 1, 1e-9);
  // s is tied to the parameter by its rate here, with an error of second order.
  expect_quarters(workplace.run(driven(ellipse, ", arc_length: velocity", quarter_of_ellipse, 0.01)),
                  workplace, 1, 1e-3);
}

}  // namespace
}  // namespace trammel
