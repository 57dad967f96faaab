#pragma once

#include <string>

#include <fmt/format.h>

namespace trammel::testing {

/// A pendulum of 1 m from the horizontal; its motion is an elliptic function.
inline std::string pendulum(const std::string& steps, const std::string& more = "") {
  return fmt::format(R"(trammel: 1
bodies:
  bob: {{type: point_mass, mass: 1, position: [-1, 0, 0]}}
joints:
  rod: {{type: distance, between: [ground, bob]}}
loads:
  weight: {{type: gravity, acceleration: [0, -9.81, 0]}}
sensors:
  bob: {{type: motion, of: bob}}
  rod: {{type: outputs, of: rod, channels: [tension]}}
stages:
  - {{type: dynamic, until: 2, {}, form: projected, newton: {{tolerance: 1e-12}}}}
{})",
                     steps, more);
}

/// Where it is after 2 s [m].
constexpr double x_at_2 = -0.793566195343322, y_at_2 = -0.608483930443692;

}  // namespace trammel::testing
