// A mechanism a thousand kilometres from the origin, where places are known to 1e-10 m, moves as one at the origin:
// what is stiff, or holds two markers together, reads the compensations of places.

#include <string>

#include <gtest/gtest.h>

#include "sliding_scene.hpp"

namespace trammel {
namespace {

using testing::SceneRun;
using Form = DynamicStage::Form;

/// A cantilever with a bead that slides on it and a pendulum at its tip. All places are sums of powers of two.
std::string cantilever_at(const std::string& x) {
  return "trammel: 1\nparameters: {P: " + x + R"(}
sections:
  rod: {stiffness: {EA: 2e6, GA: [1e6, 1e6], GJ: 20, EI: [20, 20]}, mass: {rhoA: 0.5, J: [2e-3, 1e-3, 1e-3]}}
bodies:
  rod: {type: beam, section: rod, from: [P, 0, 0], to: [P + 2, 0, 0], elements: 16, bending: linear}
  bob: {type: rigid_body, mass: 0.25, inertia: [0.01, 0.01, 0.01], position: [P + 2, -0.5, 0], markers: {top: {at: [0, 0.5, 0]}}}
  bead: {type: point_mass, mass: 0.3, position: [P + 0.25, 0, 0], velocity: [1, 0, 0]}
joints:
  clamp: {type: fixed, between: [ground, rod.start]}
  pin: {type: revolute, between: [rod.end, bob.top], axis: [0, 0, 1]}
  slide: {type: beam_sliding, beam: rod, slider: bead}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 2]}
sensors:
  tip: {type: motion, of: rod.end}
  bob: {type: motion, of: bob}
  root: {type: reaction, of: clamp}
  slide: {type: outputs, of: slide}
  total: {type: energy}
stages: []
)";
}

/// What does not depend on where the origin is.
SceneRun::Histories histories_at(const std::string& x) {
  SceneRun::Histories all =
      SceneRun(cantilever_at(x), Form::index3, PETSC_COMM_SELF, SceneRun::whole).run(0.3);
  for (auto& [file, table] : all)
    for (std::size_t i = table.names.size(); i-- > 0;) {
      const std::string what = testing::quantity(table.names[i]);
      if (what != "position" && what != "displacement" && what != "gap") continue;
      const auto column = static_cast<std::ptrdiff_t>(i);
      table.names.erase(table.names.begin() + column);
      for (std::vector<double>& row : table.rows) row.erase(row.begin() + column);
    }
  return all;
}

TEST(FarFromOrigin, moves_as_at_the_origin) {
  const SceneRun::Histories near = histories_at("0"), far = histories_at("1048576");
  EXPECT_GE(near.size(), 5U);
  testing::expect_same(near, far, 1e-8);
}

}  // namespace
}  // namespace trammel
