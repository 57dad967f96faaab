// Bodies, springs, loads and sensors in whole runs, against closed forms.

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../app/command.hpp"

namespace trammel {
namespace {

/// The columns of a history by the names in its header, without units.
class Columns {
 public:
  explicit Columns(const std::string& text) {
    std::istringstream lines(text);
    std::string line, field;
    std::vector<std::string> names;
    if (std::getline(lines, line))
      for (std::istringstream fields(line); std::getline(fields, field, ',');)
        names.push_back(field.substr(0, field.find(" [")));
    while (std::getline(lines, line)) {
      std::istringstream fields(line);
      for (const std::string& name : names)
        if (std::getline(fields, field, ',')) columns_[name].push_back(std::stod(field));
    }
  }
  const std::vector<double>& operator[](const std::string& name) const {
    static const std::vector<double> none;
    const auto at = columns_.find(name);
    EXPECT_NE(at, columns_.end()) << "no column '" << name << "'";
    return at == columns_.end() ? none : at->second;
  }
  double last(const std::string& name) const {
    const std::vector<double>& column = (*this)[name];
    return column.empty() ? std::nan("") : column.back();
  }

 private:
  std::map<std::string, std::vector<double>> columns_;
};

class ClosedForms : public ::testing::Test {
 protected:
  void run(const std::string& text) {
    const testing::Outcome outcome = place_.run("trammel: 1\n" + text, "--quiet");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  Columns history(const std::string& sensor) const { return Columns(place_.read("out/" + sensor + ".csv")); }

 private:
  testing::Workplace place_;
};

/// The largest difference of a column from a function of time.
template <class F>
double largest_error(const Columns& history, const std::string& name, F&& expected) {
  double worst = 0;
  const std::vector<double>&t = history["time"], &y = history[name];
  for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(y[i] - expected(t[i])));
  return worst;
}

TEST_F(ClosedForms, hold_for_a_damped_oscillator) {
  run(R"(
bodies: {bob: {type: point_mass, mass: 2, position: [1.3, 0, 0]}}
elements: {strut: {type: spring, between: [ground, bob], stiffness: 50, damping: 1.2, rest_length: 1}}
sensors:
  bob: {type: motion, of: bob}
  strut: {type: outputs, of: strut}
  length: {type: distance, between: [ground, bob]}
stages: [{type: dynamic, until: 2, step: 0.001, radius: 0.9}]
)");
  const double decay = 1.2 / 4, omega = std::sqrt(25 - decay * decay);
  const auto x = [&](double t) {
    return 1 + 0.3 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
  };
  EXPECT_LT(largest_error(history("bob"), "position.x", x), 1e-5);
  EXPECT_LT(largest_error(history("length"), "distance", x), 1e-5);
  EXPECT_LT(largest_error(history("strut"), "elongation", [&](double t) { return x(t) - 1; }), 1e-5);
}

TEST_F(ClosedForms, hold_for_a_spring_with_a_force_function) {
  // Force -k e twice over: by stiffness, and by a function of the elongation.
  run(R"(
bodies:
  a: {type: point_mass, mass: 1, position: [1.1, 0, 0]}
  b: {type: point_mass, mass: 1, position: [0, 1.1, 0]}
elements:
  linear: {type: spring, between: [ground, a], stiffness: 40, rest_length: 1}
  law:    {type: spring, between: [ground, b], force: 40*self.elongation, rest_length: 1}
sensors: {a: {type: motion, of: a}, b: {type: motion, of: b}}
stages: [{type: dynamic, until: 1, step: 0.002, radius: 0.9}]
)");
  EXPECT_NEAR(history("a").last("position.x"), history("b").last("position.y"), 1e-10);
  EXPECT_NEAR(history("a").last("position.x"), 1 + 0.1 * std::cos(std::sqrt(40)), 2e-5);
}

TEST_F(ClosedForms, hold_for_a_bushing_as_torsion_pendulum) {
  run(R"(
bodies: {disk: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], angular_velocity: [0, 0, 3]}}
elements: {wire: {type: bushing, between: [ground, disk], stiffness: [100, 100, 100, 9, 9, 9]}}
sensors: {disk: {type: motion, of: disk}, wire: {type: outputs, of: wire}}
stages: [{type: dynamic, until: 2, step: 0.001, radius: 0.9}]
)");
  const auto angle = [](double t) { return 0.5 * std::sin(6 * t); };
  EXPECT_LT(largest_error(history("disk"), "rotation.z", angle), 2e-5);
  EXPECT_LT(largest_error(history("wire"), "moment_on_B.z", [&](double t) { return -9 * angle(t); }), 2e-4);
}

TEST_F(ClosedForms, hold_for_a_follower_force_on_a_spinning_body) {
  run(R"(
bodies:
  disk: {type: rigid_body, mass: 2, inertia: [0.1, 0.1, 0.2], angular_velocity: [0, 0, 4], velocity: [0, -0.75, 0]}
loads:
  jet: {type: force, on: disk, force: [6, 0, 0], follower: yes}
sensors: {disk: {type: motion, of: disk}, jet: {type: outputs, of: jet}}
stages: [{type: dynamic, until: 1, step: 0.001, radius: 0.9}]
)");
  const double v = 6.0 / (2 * 4);
  const Columns disk = history("disk");
  EXPECT_LT(largest_error(disk, "velocity.x", [&](double t) { return v * std::sin(4 * t); }), 1e-5);
  EXPECT_LT(largest_error(disk, "velocity.y", [&](double t) { return -v * std::cos(4 * t); }), 1e-5);
  EXPECT_LT(largest_error(history("jet"), "force.y", [](double t) { return 6 * std::sin(4 * t); }), 1e-5);
}

TEST_F(ClosedForms, hold_for_moments_about_fixed_and_following_axes) {
  // Turned by a right angle about x, the body's y axis is the world's z.
  run(R"(
bodies:
  fixed:  {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.15], rotation: {axis: [1, 0, 0], angle: pi/2}}
  turned: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.15], rotation: {axis: [1, 0, 0], angle: pi/2}}
loads:
  world: {type: moment, on: fixed,  moment: [0, 0, 3*t]}
  body:  {type: moment, on: turned, moment: [0, 3*t, 0], follower: yes}
sensors: {fixed: {type: motion, of: fixed}, turned: {type: motion, of: turned}}
stages: [{type: dynamic, until: 1, step: 0.005, radius: 0.9}]
)");
  for (const char* body : {"fixed", "turned"})
    EXPECT_LT(largest_error(history(body), "angular_velocity.z", [](double t) { return 1.5 * t * t / 0.2; }),
              1e-3);
}

TEST_F(ClosedForms, hold_for_gravity_that_grows) {
  run(R"(
bodies:
  bob: {type: point_mass, mass: 3}
  bar: {type: rigid_body, mass: 3, inertia: [0.1, 0.2, 0.25], centre: [0.5, 0, 0], angular_velocity: [1, 2, 3]}
loads: {weight: {type: gravity, acceleration: [0, 0, -6], factor: t}}
sensors: {bob: {type: motion, of: bob}, bar: {type: outputs, of: bar, channels: [centre]}}
stages: [{type: dynamic, until: 1, step: 0.001, radius: 0.9}]
)");
  EXPECT_LT(largest_error(history("bob"), "position.z", [](double t) { return -t * t * t; }), 1e-5);
  // The centre starts with R (w x c) = (0, 1.5, -1).
  EXPECT_LT(largest_error(history("bar"), "centre.z", [](double t) { return -t * t * t - t; }), 1e-5);
  EXPECT_LT(largest_error(history("bar"), "centre.y", [](double t) { return 1.5 * t; }), 1e-5);
}

TEST_F(ClosedForms, hold_for_a_moment_that_reads_a_signal) {
  run(R"(
bodies: {arm: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], angular_velocity: [0, 0, 3]}}
joints: {hinge: {type: revolute, between: [ground, arm], axis: [0, 0, 1]}}
loads: {control: {type: moment, on: arm, moment: [0, 0, -9*hinge.angle]}}
sensors: {angle: {type: signal, of: hinge.angle}}
stages: [{type: dynamic, until: 1, step: 0.001, radius: 0.9}]
)");
  EXPECT_LT(largest_error(history("angle"), "value", [](double t) { return 0.5 * std::sin(6 * t); }), 2e-5);
  EXPECT_LT(largest_error(history("angle"), "rate", [](double t) { return 3 * std::cos(6 * t); }), 2e-4);
}

TEST_F(ClosedForms, hold_for_a_load_spread_along_a_cantilever) {
  run(R"(
sections:
  bar: {stiffness: {EA: 1e9, GA: [1e9, 1e9], GJ: 100, EI: [100, 100]}, mass: {rhoA: 1, J: [2e-3, 1e-3, 1e-3]}}
bodies: {beam: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], elements: 16}}
joints: {root: {type: fixed, between: [ground, beam.start]}}
loads: {snow: {type: distributed, on: beam, force: [0, -0.02, 0], from: 0.5}}
sensors: {tip: {type: motion, of: beam.end}, root: {type: reaction, of: root}}
stages: [{type: static, until: 1, steps: 1}]
)");
  // Uniform load q from a to L: tip = q/EI int_a^L (s^2 L/2 - s^3/6) ds.
  const double L = 2, a = 0.5, q = 0.02, EI = 100;
  const auto integral = [&](double s) { return s * s * s * L / 6 - s * s * s * s / 24; };
  const double tip = q / EI * (integral(L) - integral(a));
  EXPECT_NEAR(history("tip").last("displacement.y"), -tip, 2e-3 * tip);
  // The reaction on the beam at its root carries the load and its moment.
  EXPECT_NEAR(history("root").last("force_world.y"), q * (L - a), 1e-8);
  EXPECT_NEAR(history("root").last("moment_world.z"), q * (L * L - a * a) / 2, 1e-6);
}

TEST_F(ClosedForms, hold_for_a_load_that_decreases_along_a_cantilever) {
  run(R"case(
parameters: {L: 2, q: 0.02}
sections:
  bar: {stiffness: {EA: 1e9, GA: [1e9, 1e9], GJ: 100, EI: [100, 100]}, mass: {rhoA: 1, J: [2e-3, 1e-3, 1e-3]}}
bodies: {beam: {type: beam, section: bar, from: [0, 0, 0], to: [L, 0, 0], elements: 16}}
joints: {root: {type: fixed, between: [ground, beam.start]}}
loads: {snow: {type: distributed, on: beam, force: [0, "-q*t*(1 - beam.s/L)", 0]
}
}
sensors : {
tip : {
type:
  motion, of : beam.end
}
  , root : {
  type:
    reaction, of : root
  }
}
stages: [{type: static, until: 1, steps: 1}]
)case");
  const double L = 2, q = 0.02, EI = 100;
  const double tip = q * std::pow(L, 4) / (30 * EI);
  EXPECT_NEAR(history("tip").last("displacement.y"), -tip, 2e-3 * tip);
  EXPECT_NEAR(history("root").last("force_world.y"), q * L / 2, 1e-8);
  EXPECT_NEAR(history("root").last("moment_world.z"), q * L * L / 6, 1e-6);
}

}  // namespace
}  // namespace trammel
