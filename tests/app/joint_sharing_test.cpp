#include <gtest/gtest.h>

#include <string>

#include "command.hpp"
#include "histories.hpp"

namespace trammel::testing {
namespace {

/// A flexible four-bar with a tilted hinge, driven at A, with all of its reactions.
std::string four_bar() {
  return R"(trammel: 1
parameters: {rate: -6, tilt: deg(5), h: 0.002}
sections:
  bar: {stiffness: {EA: 1e6, GA: [1e6, 1e6], GJ: 50, EI: [70, 70]}, mass: {rhoA: 0.5, J: [5e-6, 2.5e-6, 2.5e-6]}}
bodies:
  crank: {type: beam, section: bar, from: [0, 0, 0], to: [0, 0.12, 0], elements: 2, angular_velocity: [0, 0, rate]}
  coupler: {type: beam, section: bar, from: [0, 0.12, 0], to: [0.24, 0.12, 0], elements: 2,
            velocity: [-0.12*rate, 0, 0]}
  rocker: {type: beam, section: bar, from: [0.24, 0.12, 0], to: [0.24, 0, 0], elements: 2,
           velocity: [-0.12*rate, 0, 0], angular_velocity: [0, 0, rate]}
  tip: {type: rigid_body, mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], position: [0.24, 0.12, 0],
        velocity: [-0.12*rate, 0, 0]}
joints:
  A: {type: revolute, between: [ground, crank.start], axis: [0, 0, 1], motion: {angle: rate*t}, share: SHARE}
  B: {type: revolute, between: [crank.end, coupler.start], axis: [0, 0, 1], damper: {angle: 0.01}, share: SHARE}
  C: {type: revolute, between: [coupler.end, rocker.start], axis: [sin(tilt), 0, cos(tilt)], share: SHARE}
  D: {type: spherical, between: [rocker.end, ground], share: SHARE}
  weld: {type: fixed, between: [coupler.end, tip], share: SHARE}
sensors:
  A: {type: reaction, of: A}
  B: {type: reaction, of: B}
  C: {type: reaction, of: C}
  D: {type: reaction, of: D}
  weld: {type: reaction, of: weld}
  tip: {type: motion, of: tip}
stages:
  - {type: dynamic, until: 100*h, step: h, radius: 0.8, start: consistent, newton: {tolerance: 1e-11}}
)";
}

std::string with(std::string text, const std::string& word, const std::string& replacement) {
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + replacement.size()))
    text.replace(at, word.size(), replacement);
  return text;
}

TEST(JointSharing, gives_the_same_motion_and_reactions) {
  const Workplace shared, apart;
  const Outcome one = shared.run(with(four_bar(), "SHARE", "yes"));
  const Outcome two = apart.run(with(four_bar(), "SHARE", "no"));
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(two.status, 0) << two.err;
  for (const std::string sensor : {"A", "B", "C", "D", "weld", "tip"}) {
    const Table a = table_of(shared.read("out/" + sensor + ".csv")),
                b = table_of(apart.read("out/" + sensor + ".csv"));
    ASSERT_GT(a.rows.size(), 50U);
    // Forces against the largest force of the joint, moments against the largest moment.
    for (const std::string what : {"force", "moment", "position"}) {
      const Difference d = difference(a, b, what);
      EXPECT_LE(d.largest, 1e-6 * d.range + 1e-9) << what << " of " << sensor << ", largest " << d.range;
    }
  }
}

}  // namespace
}  // namespace trammel::testing
