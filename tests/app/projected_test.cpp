// Index 3 with projected velocities where more than bodies on joints is to be corrected: forces that depend on velocities, a
// first-order state, a constraint of velocities, redundant equations.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::Outcome;
using testing::Workplace;

struct Scene {
  const char* name;
  std::string text;
  std::vector<std::array<std::string, 2>> channels;  ///< history and column
  double step;                                       ///< [s]
  friend void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }
};
class Projected : public ::testing::TestWithParam<Scene> {};

struct Found {
  std::vector<double> values;
  double rate = 1;  ///< largest violation of a constraint's rate
};

Found motion(const Scene& scene, double h) {
  const Workplace here;
  const Outcome run =
      here.run(scene.text + fmt::format("stages: [{{type: dynamic, until: 0.8, step: {}, newton: "
                                        "{{tolerance: 1e-12}}}}]\noutput: {{csv: {{interval: 0.08}}}}\n",
                                        h));
  EXPECT_EQ(run.status, 0) << run.err;
  Found found;
  for (const auto& [file, channel] : scene.channels)
    found.values.push_back(testing::at(testing::table_of(here.read("out/" + file)), 0.8, channel));
  std::smatch said;
  if (std::regex_search(run.out, said, std::regex("of its rate ([-+.e0-9]+)")))
    found.rate = std::stod(said[1]);
  return found;
}

// From steps h and h/2 to h/2 and h/4 the differences of the results decrease to a quarter. The rates of all
// constraints vanish, also of those that are not solved. Speeds are a few metres and radians per second: the
// tolerance is 1e-12 of them, plus rounding of positions divided by a step.
TEST_P(Projected, form_has_order_two_and_satisfies_all_velocity_constraints) {
  const Scene& scene = GetParam();
  std::array<Found, 3> at;
  for (int i = 0; i < 3; ++i) at[static_cast<std::size_t>(i)] = motion(scene, scene.step / (1 << i));
  for (std::size_t k = 0; k < scene.channels.size(); ++k) {
    const double coarse = at[0].values[k] - at[1].values[k], fine = at[1].values[k] - at[2].values[k];
    EXPECT_GT(std::abs(fine), 1e-9) << scene.channels[k][1];
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.12) << scene.channels[k][1] << " " << coarse << " " << fine;
  }
  for (const Found& found : at) EXPECT_LT(found.rate, 1e-10);
}

/// A heavy arm on a post that a motor with an inductance turns; its hinge resists with the square of the rate.
const std::string driven = R"yaml(trammel: 1
bodies:
  post: {type: rigid_body, mass: 1, inertia: [0.02, 0.02, 0.03], angular_velocity: [0, 0, 2]}
  arm: {type: rigid_body, mass: 2, inertia: [0.06, 0.15, 0.2], position: [0.5, 0, 0], velocity: [0, 1, 0],
    angular_velocity: [0, 0, 2], markers: {foot: {at: [-0.4, 0, 0]}}}
joints:
  shaft: {type: revolute, axis: [0, 0, 1], between: [ground, post],
    motor: {angle: {voltage: 24, inductance: 0.02, resistance: 0.8, constant: 0.05, gear: 20, inertia: 2e-5, friction: 1e-5}}}
  hinge: {type: revolute, axis: [0, 1, 0], between: [{on: post, at: [0.1, 0, 0]}, arm.foot],
    damper: {angle: {law: 0.3*hinge.angle_rate*abs(hinge.angle_rate)}}}
loads: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
sensors:
  arm: {type: motion, of: arm}
  motor: {type: outputs, of: shaft.angle.motor}
  hinge: {type: reaction, of: hinge}
)yaml";

/// An upright skate in a bowl, which has no velocity across its blade.
const std::string skate = R"yaml(trammel: 1
bodies:
  skate: {type: rigid_body, mass: 3, inertia: [0.02, 0.05, 0.06], angular_velocity: [0, 0, 2], velocity: [1, 0, 0]}
joints:
  blade:
    type: formula
    between: [ground, skate]
    equations:
      - {zero: p.z - 0.3*(p.x^2 + p.y^2), measures: length}
      - {zero: R.xz, measures: angle}
      - {zero: R.yz, measures: angle}
      - {zero: R.xy*v.x + R.yy*v.y, measures: velocity}
loads: {weight: {type: gravity, acceleration: [2, 0, -9.81]}}
sensors:
  skate: {type: motion, of: skate}
  blade: {type: reaction, of: blade}
)yaml";

/// A parallelogram of two cranks and a coupler in space: three of its equations are redundant.
const std::string loop = R"yaml(trammel: 1
bodies:
  crank.(i): {for: {i: 0..1}, type: rigid_body, mass: 1, inertia: [1/12, 0.01, 1/12], position: [i, 0.5, 0], velocity: [-1.5, 0, 0],
    angular_velocity: [0, 0, 3], markers: {foot: {at: [0, -0.5, 0]}, top: {at: [0, 0.5, 0]}}}
  coupler: {type: rigid_body, mass: 2, inertia: [0.01, 1/12, 1/12], position: [0.5, 1, 0], velocity: [-3, 0, 0],
    markers: {left: {at: [-0.5, 0, 0]}, right: {at: [0.5, 0, 0]}}}
joints:
  foot.(i): {for: {i: 0..1}, type: revolute, axis: [0, 0, 1], between: [{on: ground, at: [i, 0, 0]}, crank.(i).foot]}
  left: {type: revolute, axis: [0, 0, 1], between: [crank.0.top, coupler.left]}
  right: {type: revolute, axis: [0, 0, 1], between: [crank.1.top, coupler.right]}
loads: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}
sensors:
  coupler: {type: motion, of: coupler}
  foot: {type: reaction, of: foot.0}
)yaml";

INSTANTIATE_TEST_SUITE_P(
    All, Projected,
    ::testing::Values(
        Scene{"damped_and_driven",
              driven,
              {{"arm.csv", "position.z"},
               {"arm.csv", "velocity.x"},
               {"motor.csv", "current"},
               {"hinge.csv", "force_world.z"}},
              2e-3},
        Scene{"velocity_constraint",
              skate,
              {{"skate.csv", "position.x"}, {"skate.csv", "velocity.y"}, {"skate.csv", "acceleration.z"}},
              4e-3},
        Scene{"redundant",
              loop,
              {{"coupler.csv", "position.x"}, {"coupler.csv", "velocity.y"}, {"foot.csv", "force_world.x"}},
              4e-3}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace trammel
