#pragma once

#include <string>

namespace trammel::testing {

/// A case: a particle on a rod that turns by 0.17 rad a step at most. Index 3 at radius 0.9 gains energy without bound from
/// 0.072 rad on. `stage`: what the dynamic stage says besides its step.
inline std::string growing_pendulum(const std::string& stage) {
  return R"(trammel: 1
bodies:
  bob: {type: point_mass, mass: 1, position: [1.2*sin(70*pi/180), 0, -1.2*cos(70*pi/180)], velocity: [0, 1.8, 0]}
joints:
  rod: {type: distance, between: [ground, bob]}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
sensors:
  all: {type: energy}
stages:
  - {type: dynamic, step: 0.05, )" +
         stage + "}\n";
}

}  // namespace trammel::testing
