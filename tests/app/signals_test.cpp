// What sensors report, read as signals: derivatives at random states, and runs in which loads, actuators and friction read them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "histories.hpp"
#include "io/case/case_file.hpp"
#include "io/case/case_yaml.hpp"
#include "kernel/loader.hpp"
#include "trammel/element_check.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Table;
using testing::table_of;
using testing::Workplace;

/// A model of a case whose first load reads `signals`, all in one sum.
class Reading {
 public:
  explicit Reading(const std::string& things, const std::string& sensors,
                   const std::vector<std::string>& signals) {
    std::string sum;
    for (const std::string& name : signals) sum += (sum.empty() ? "" : " + ") + name;
    const std::string text = "trammel: 1\n" + things + "sensors:\n" + sensors +
                             "  sum: {type: function, value: \"" + sum + "\"}\nstages: []\n";
    static Registry registry;
    static Loader loader(registry);
    if (loader.plugins().empty()) loader.load_defaults();
    CaseFile file(read_yaml_text(text, "case.yaml"), "case.yaml");
    file.build(registry, model);
  }
  const Signal& signal(const std::string& name) const { return *model.signals.find(name)->second; }

  Model model;
};

double difference(const std::function<double(double)>& f, double h = 1e-3) {
  return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h);
}

double value_at(const Signal& signal, const TestState& s) {
  SignalValue v;
  signal.evaluate(s.local(), 0, false, v);
  return v.value;
}

/// The largest error of the derivatives over the largest of them, at states around the start.
double worst_error(const Reading& r, const std::string& name, double size = 0.05, double step = 1e-3) {
  const Signal& signal = r.signal(name);
  const std::vector<BlockId> blocks = signal.blocks();
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    TestState s(r.model, blocks);
    s.disturb(seed, size, size);
    SignalValue v;
    signal.evaluate(s.local(), 0, true, v);
    // Codes with and without derivatives differ in rounding where one of them is compiled for processors with FMA.
    EXPECT_NEAR(v.value, value_at(signal, s), 1e-14 * (1 + std::abs(v.value))) << name;
    double error = 0, largest = 0;
    const auto compare = [&](double exact, double found) {
      error = std::max(error, std::abs(exact - found));
      largest = std::max(largest, std::abs(found));
    };
    for (int i = 0; i < s.dofs(); ++i) {
      compare(v.gradient[i],
              difference(
                  [&](double h) { return value_at(signal, s.moved(h * Eigen::VectorXd::Unit(s.dofs(), i))); },
                  step));
      for (const bool second : {false, true}) {
        const Eigen::VectorXd& part = second ? v.by_second_rate : v.by_rate;
        compare(part.size() > 0 ? part[i] : 0.0,
                difference(
                    [&](double h) {
                      TestState other = s;
                      (second ? other.state().acceleration
                              : other.state().rate)[static_cast<std::size_t>(i)] += h;
                      return value_at(signal, other);
                    },
                    step));
      }
    }
    EXPECT_GT(largest, 0) << name;
    worst = std::max(worst, error / largest);
  }
  return worst;
}

const std::string linkage = R"(sections:
  bar: {stiffness: {EA: 100, GA: [80, 70], GJ: 2, EI: [3, 4]}, mass: {rhoA: 0.3, J: [0.02, 0.01, 0.01]}}
bodies:
  crank: {type: rigid_body, mass: 2, inertia: [0.2, 0.3, 0.4], position: [0.3, 0.1, 0], angular_velocity: [0.1, 0.2, 0.3]}
  block: {type: rigid_body, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0.4, 0.2]}
  rod: {type: beam, section: bar, from: [0, 0, 1], to: [1, 0.2, 1], elements: 2, damping: 0.1}
  bead: {type: point_mass, mass: 0.4, position: [0, 2, 0]}
joints:
  hinge: {type: revolute, between: [{on: crank, at: [0.2, 0.1, 0]}, {on: block, at: [-0.5, -0.2, -0.2]}], axis: [0.2, 1, 0.3]}
  foot: {type: spherical, between: [ground, {on: crank, at: [-0.3, -0.1, 0]}]}
  slide: {type: prismatic, between: [{on: block, at: [0, 0.1, 0]}, ground], axis: [1, 0.4, 0.2]}
  clamp: {type: fixed, between: [rod.start, ground]}
  hook: {type: spherical, between: [rod.end, bead], assemble: yes}
elements:
  cord: {type: spring, between: [bead, {on: block, at: [0.1, 0.2, 0.3]}], stiffness: 20, damping: 0.3, rest_length: 0.5}
)";

TEST(SensorsAsSignals, of_reactions_have_exact_gradients_on_both_sides_and_in_all_axes) {
  std::vector<std::string> names;
  std::string sensors;
  for (const char* joint : {"hinge", "foot", "slide", "clamp"}) {
    sensors += "  at_" + std::string(joint) + ": {type: reaction, of: " + joint + "}\n";
    for (const char* channel : {"force", "moment", "force_world", "moment_world", "force_on_A", "moment_on_A",
                                "force_on_A_world", "moment_on_A_world"})
      for (const char* component : {".x", ".y", ".z"})
        names.push_back("at_" + std::string(joint) + "." + channel + component);
  }
  const Reading r(linkage, sensors, names);
  for (const std::string& name : names) {
    // No moment passes a spherical joint to its own centre.
    if (name.starts_with("at_foot.moment")) continue;
    EXPECT_LT(worst_error(r, name, 1), 1e-9) << name;
  }
  EXPECT_EQ(r.signal("at_hinge.moment_world.x").unit(), "N m");
}

TEST(SensorsAsSignals, of_reactions_agree_with_the_outputs_of_the_joint) {
  const Reading r(linkage, "  at: {type: reaction, of: hinge}\n  on: {type: outputs, of: hinge}\n",
                  {"at.force.y", "at.moment_on_A_world.z", "on.angle", "on.force.y"});
  const Signal& exact = r.signal("at.moment_on_A_world.z");
  struct Found final : OutputSink {
    double z = NAN;
    void scalar(std::string_view, std::string_view, double) override {}
    void vector(std::string_view name, std::string_view, const Vec3& v) override {
      if (name == "moment_on_A_world") z = v.z();
    }
    void values(std::string_view, std::string_view, std::span<const std::string_view>,
                std::span<const double>) override {}
  };
  int joints = 0;
  for (const Model::Range& range : r.model.ranges)
    for (int i = 0; i < range.instances->size(); ++i) {
      if (r.model.entities[static_cast<std::size_t>(range.instances->entity(i))].name != "hinge") continue;
      ++joints;
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        TestState s(r.model, range.instances->stencil(i));
        s.disturb(seed);
        Found found;
        range.instances->outputs(i, s.local(), {}, found);
        EXPECT_NEAR(value_at(exact, s), found.z, 1e-12 * (1 + std::abs(found.z)));
      }
    }
  EXPECT_EQ(joints, 1);
}

TEST(SensorsAsSignals, of_section_forces_and_strains_have_exact_gradients) {
  std::vector<std::string> names;
  for (const char* number : {"1", "2"}) {
    for (const auto& [output, components] :
         {std::pair("section_force_", std::array{"N", "Q2", "Q3"}),
          std::pair("section_moment_", std::array{"T", "M2", "M3"}),
          std::pair("strain_", std::array{"Gamma1", "Gamma2", "Gamma3"}),
          std::pair("curvature_", std::array{"kappa1", "kappa2", "kappa3"})})
      for (const char* n : components) names.push_back("rod_out." + std::string(output) + number + "." + n);
  }
  const Reading r(linkage, "  rod_out: {type: outputs, of: rod}\n", names);
  for (const std::string& name : names) EXPECT_LT(worst_error(r, name, 0.3), 1e-9) << name;
  EXPECT_EQ(r.signal("rod_out.section_moment_2.M3").unit(), "N m");
  EXPECT_EQ(r.signal("rod_out.section_force_2.Q3").unit(), "N");
  EXPECT_EQ(r.signal("rod_out.curvature_2.kappa1").unit(), "1/m");
}

TEST(SensorsAsSignals, give_the_rate_of_a_strain_and_none_of_a_viscous_force) {
  const Reading r(linkage, "  rod_out: {type: outputs, of: rod}\n",
                  {"rod_out.curvature_1.kappa3", "rod_out.section_moment_1.M3"});
  const Signal& strain = r.signal("rod_out.curvature_1.kappa3");
  TestState s(r.model, strain.blocks());
  s.disturb(3, 0.3, 0.3);
  SignalValue v;
  strain.evaluate(s.local(), 0, true, v);
  EXPECT_NEAR(v.rate, difference([&](double h) { return value_at(strain, s.after(h)); }), 1e-9);
  EXPECT_EQ(v.by_rate.size(), 0);
  r.signal("rod_out.section_moment_1.M3").evaluate(s.local(), 0, true, v);
  EXPECT_TRUE(std::isnan(v.rate));
  EXPECT_EQ(v.by_rate.size(), 12);
}

TEST(SensorsAsSignals, of_energies_and_any_output_agree_with_differences) {
  const std::vector<std::string> names{"of_crank.kinetic",        "of_crank.total",
                                       "of_rod.strain",           "of_rod.kinetic",
                                       "of_rod.dissipated_power", "cord_out.tension",
                                       "cord_out.rate",           "cord_out.force_on_A.y",
                                       "bead_out.momentum.x",     "crank_out.angular_momentum.z",
                                       "hinge_out.angle",         "see.acceleration.x",
                                       "see.rotation.y",          "see.angular_acceleration_body.z",
                                       "turned.velocity.x"};
  const Reading r(linkage,
                  R"(  of_crank: {type: energy, of: crank}
  of_rod: {type: energy, of: rod}
  cord_out: {type: outputs, of: cord}
  bead_out: {type: outputs, of: bead}
  crank_out: {type: outputs, of: crank}
  hinge_out: {type: outputs, of: hinge}
  see: {type: motion, of: block, relative_to: crank}
  turned: {type: motion, of: block, axes: crank}
)",
                  names);
  // Both sides are differences: of fourth order in the signal, of sixth here.
  for (const std::string& name : names) EXPECT_LT(worst_error(r, name, 0.1), 3e-8) << name;
  EXPECT_EQ(r.signal("of_crank.kinetic").unit(), "J");
  EXPECT_EQ(r.signal("of_rod.dissipated_power").unit(), "W");
}

/// The message that building the case ends with.
std::string refusal(const std::string& things, const std::string& sensors, const std::string& signal) {
  try {
    const Reading r(things, sensors, {signal});
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(SensorsAsSignals, are_refused_by_name_where_there_is_none) {
  EXPECT_THAT(refusal(linkage, "  at: {type: reaction, of: hinge}\n", "at.forse.x"),
              HasSubstr("sensor 'at' reports no 'forse.x'; did you mean 'force.x'?"));
  EXPECT_THAT(refusal(linkage, "  at: {type: outputs, of: hinge, channels: [angle]}\n", "at.force.x"),
              HasSubstr("Signals here: angle"));
  EXPECT_THAT(refusal(linkage, "  some: {type: energy, of: rod}\n", "some.heat"),
              HasSubstr("dissipated_power, kinetic, potential, strain, total"));
  EXPECT_THAT(
      refusal(R"(bodies:
  b: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}
joints:
  pin: {type: revolute, between: [ground, b], axis: [0, 0, 1], share: yes}
)",
              "  at: {type: reaction, of: pin}\n", "at.force.x"),
      HasSubstr("'share' must be 'no' here: a function reads what sensor 'at' reports of joint 'pin'"));
  EXPECT_THAT(refusal(linkage,
                      "  a: {type: function, value: \"b.value\"}\n  b: {type: function, value: "
                      "\"a.value\"}\n",
                      "a.value"),
              HasSubstr("a signal that depends on itself"));
}

/// Runs a case on one rank and on two, which must agree; gives the history of `sensor` of the first.
Table run_twice(const std::string& text, const std::string& sensor) {
  const Workplace alone, together;
  const Outcome one = alone.run(text), two = together.run_on(2, text);
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(two.status, 0) << two.err;
  const Table a = table_of(alone.read("out/" + sensor + ".csv")),
              b = table_of(together.read("out/" + sensor + ".csv"));
  EXPECT_GE(a.rows.size(), 2U);
  for (const std::string& channel : a.names) {
    if (channel.starts_with("rate") || channel.starts_with("second_rate")) continue;
    const testing::Difference d = difference(a, b, channel);
    EXPECT_LE(d.largest, 1e-9 * (d.range + 1)) << channel;
  }
  return a;
}

/// A block on rails along x, pressed on them by its weight less a pull F sin(w t).
std::string braked_block(const std::string& brake) {
  return R"(trammel: 1
bodies:
  block: {type: rigid_body, mass: 2, inertia: [0.1, 0.1, 0.1], velocity: [3, 0, 0]}
joints:
  rail: {type: prismatic, between: [ground, block], axis: [1, 0, 0])" +
         brake + R"(}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  pull: {type: force, on: block, force: [0, 0, 8*sin(5*t)]}
sensors:
  pressed: {type: reaction, of: rail}
  motion: {type: motion, of: block}
  level: {type: signal, of: pressed.force_world.z}
stages:
  - {type: dynamic, until: 0.5, step: 1e-3, newton: {tolerance: 1e-11}}
)";
}

double braked_speed(double t, double mu) {
  return 3 - mu * (9.81 * t - 8 / (2 * 5.0) * (1 - std::cos(5 * t)));
}

TEST(RunsThatReadSensors, press_a_brake_by_a_reaction) {
  for (const std::string brake :
       {", friction: {slide: {coefficient: 0.3, regularization: 1e-3, normal: pressed.force_world.z}}",
        ", actuator: {slide: -0.3*pressed.force_world.z*tanh(1000*rail.slide_rate)}"}) {
    const Table motion = run_twice(braked_block(brake), "motion");
    for (const double t : {0.1, 0.3, 0.5})
      EXPECT_NEAR(at(motion, t, "velocity.x"), braked_speed(t, 0.3), 2e-6) << brake;
  }
}

TEST(RunsThatReadSensors, report_a_reaction_by_a_sensor_of_it) {
  const Table level = run_twice(braked_block(""), "level");
  EXPECT_NEAR(at(level, 0.3, "value"), 2 * 9.81 - 8 * std::sin(1.5), 1e-9);
}

TEST(RunsThatReadSensors, let_a_load_grow_with_a_kinetic_energy) {
  // m v' = -b m v^2/2
  const Table motion = run_twice(R"(trammel: 1
bodies:
  ball: {type: point_mass, mass: 0.7, velocity: [4, 0, 0]}
loads:
  drag: {type: force, on: ball, force: [-1.5*energy.kinetic, 0, 0]}
sensors:
  energy: {type: energy, of: ball}
  motion: {type: motion, of: ball}
stages:
  - {type: dynamic, until: 1, step: 1e-3, newton: {tolerance: 1e-11}}
)",
                                 "motion");
  for (const double t : {0.2, 1.0})
    EXPECT_NEAR(at(motion, t, "velocity.x"), 4 / (1 + 0.5 * 1.5 * 4 * t), 1e-5);
}

TEST(RunsThatReadSensors, let_a_load_read_the_energy_of_the_whole_model) {
  // Two balls with m v' = -b m v^2/2 and no force: the drag of the first is by the energy of both.
  const std::string before = R"(trammel: 1
bodies:
  ball: {type: point_mass, mass: 0.7, velocity: [4, 0, 0]}
  other: {type: point_mass, mass: 2, position: [0, 1, 0], velocity: [0, 0, 3]}
loads:
  drag: {type: force, on: ball, force: [-1.5*(energy.kinetic - 9) - 0*energy.total, 0, 0]}
)",
                    after = R"(sensors:
  energy: {type: energy}
  motion: {type: motion, of: ball}
stages:
  - {type: dynamic, until: 1, step: 1e-3, newton: {tolerance: 1e-11}}
)";
  const Table motion = run_twice(before + after, "motion");
  for (const double t : {0.2, 1.0})
    EXPECT_NEAR(at(motion, t, "velocity.x"), 4 / (1 + 0.5 * 1.5 * 4 * t), 1e-5);
  const Outcome late =
      Workplace().run(before + "  weight: {type: gravity, acceleration: [0, 0, -9.81]}\n" + after);
  EXPECT_NE(late.status, 0);
  EXPECT_THAT(late.err,
              HasSubstr("'weight' comes after what reads 'energy.kinetic', the energy of the whole model"));
}

TEST(RunsThatReadSensors, let_a_load_follow_a_spring_elsewhere) {
  // The tension k A cos(w t) of a spring moves another ball.
  const Table motion = run_twice(R"(trammel: 1
bodies:
  ball: {type: point_mass, mass: 0.5, position: [1.1, 0, 0]}
  other: {type: point_mass, mass: 2, position: [0, 1, 0]}
elements:
  spring: {type: spring, between: [ground, ball], stiffness: 50, rest_length: 1}
loads:
  push: {type: force, on: other, force: [0, told.tension, 0]}
sensors:
  told: {type: outputs, of: spring}
  motion: {type: motion, of: other}
stages:
  - {type: dynamic, until: 1, step: 1e-3, newton: {tolerance: 1e-11}}
)",
                                 "motion");
  // The method's own error of phase, (w h)^2/12 w t, times the amplitude.
  for (const double t : {0.4, 1.0})
    EXPECT_NEAR(at(motion, t, "position.y"), 1 + 50 * 0.1 / (2 * 100) * (1 - std::cos(10 * t)),
                0.025 * 1e-4 / 12 * 10 * t);
}

TEST(RunsThatReadSensors, stiffen_a_spring_between_markers_with_a_reaction) {
  // A ball on a vertical rail hangs on a spring of stiffness 100 + 10 R, R what another rail carries: 4 N and the ball's pull.
  const Table slide = run_twice(R"(trammel: 1
bodies:
  ball: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}
  shelf: {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [5, 0, 0]}
joints:
  rail: {type: prismatic, between: [ground, ball], axis: [0, 0, 1]}
  wall: {type: fixed, between: [ground, shelf]}
elements:
  cord: {type: spring, between: [{on: ground, at: [0, 0, 1]}, ball], rest_length: 1,
         force: self.elongation*(100 + 10*held.force_world.z)}
loads:
  pull: {type: force, on: ball, force: [0, 0, -30]}
  lie: {type: force, on: shelf, force: [0, 0, -4 + 2*rail.slide]}
sensors:
  held: {type: reaction, of: wall}
  slide: {type: signal, of: rail.slide}
stages:
  - {type: static, until: 1, steps: 1, newton: {tolerance: 1e-11}}
)",
                                "slide");
  // u (100 + 10 (4 + 2 u)) = 30 with u = -slide
  EXPECT_NEAR(slide.rows.back()[1], -(-140 + std::sqrt(140.0 * 140 + 4 * 20 * 30)) / 40, 1e-9);
}

TEST(RunsThatReadSensors, give_a_reader_the_history_of_the_instance_on_any_rank) {
  // The count begins anew at 0.3 s; the ranks are those of the two bodies.
  const Table ball = run_twice(R"(trammel: 1
bodies:
  rotor: {type: rigid_body, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 2]}
  ball: {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [5, 0, 0]}
joints:
  axle: {type: revolute, between: [ground, rotor], axis: [0, 0, 1], counter: {angle: {at: [0.3]}}}
loads:
  push: {type: force, on: ball, force: [0, count.counted, 0]}
sensors:
  count: {type: outputs, of: axle.angle.counter}
  ball: {type: motion, of: ball}
stages:
  - {type: dynamic, until: 0.5, step: 0.01}
)",
                               "ball");
  // The step after the reset still begins with the force of before, 0.6 N.
  EXPECT_NEAR(at(ball, 0.5, "velocity.y"), 0.3 * 0.3 + 0.2 * 0.2 + 0.5 * 0.01 * 0.6, 1e-5);
}

TEST(RunsThatReadSensors, turn_a_load_by_an_acceleration_into_an_added_mass) {
  const Table motion = run_twice(R"(trammel: 1
bodies:
  ball: {type: point_mass, mass: 2}
loads:
  drive: {type: force, on: ball, force: [6 - 1*motion.acceleration.x, 0, 0]}
sensors:
  motion: {type: motion, of: ball}
stages:
  - {type: dynamic, until: 1, step: 1e-2, newton: {tolerance: 1e-11}}
)",
                                 "motion");
  EXPECT_NEAR(at(motion, 1, "position.x"), 1, 1e-9);
  EXPECT_NEAR(at(motion, 1, "acceleration.x"), 2, 1e-9);
}

TEST(RunsThatReadSensors, stiffen_a_spring_with_a_section_force_in_statics) {
  // The pull on the beam falls with the slide, whose spring grows with the beam's axial force.
  const Table slide = run_twice(R"(trammel: 1
sections:
  bar: {stiffness: {EA: 1e5, GA: [1e4, 1e4], GJ: 10, EI: [10, 10]}}
bodies:
  beam: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 3}
  block: {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}
joints:
  clamp: {type: fixed, between: [ground, beam.start]}
  rail: {type: prismatic, between: [ground, block], axis: [1, 0, 0],
         actuator: {slide: 10 - (20 + 0.3*stress.section_force_2.N)*rail.slide}}
loads:
  pull: {type: force, on: beam.end, force: [100 - 50*rail.slide, 0, 0]}
sensors:
  stress: {type: outputs, of: beam}
  slide: {type: signal, of: rail.slide}
stages:
  - {type: static, until: 1, steps: 1, newton: {tolerance: 1e-11}}
)",
                                "slide");
  // (20 + 0.3 (100 - 50 x)) x = 10
  const double x = (50 - std::sqrt(2500 - 4 * 15 * 10.0)) / 30;
  EXPECT_NEAR(slide.rows.back()[1], x, 1e-9);
}

const std::string atwood = R"(bodies:
  left: {type: point_mass, mass: 3, position: [-1, 0, -2]}
  right: {type: point_mass, mass: 2, position: [1, 0, -4]}
joints:
  rope: {type: coupling, terms: {to_left.distance: 1, to_right.distance: 1}}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
)";
const std::string atwood_sensors =
    R"(  to_left: {type: distance, between: [{on: ground, at: [-1, 0, 0]}, left]}
  to_right: {type: distance, between: [{on: ground, at: [1, 0, 0]}, right]}
)";

TEST(CouplingsOfSignals, have_exact_derivatives_at_all_levels) {
  const Reading r(atwood, atwood_sensors, {"to_left.distance"});
  int ropes = 0;
  for (const Model::Range& range : r.model.ranges)
    for (int i = 0; i < range.instances->size(); ++i) {
      if (r.model.entities[static_cast<std::size_t>(range.instances->entity(i))].name != "rope") continue;
      ++ropes;
      const CheckedTerm worst =
          worst_derivative(*range.instances, i, TestState(r.model, range.instances->stencil(i)), 5);
      EXPECT_LT(worst.relative(), 1e-8) << worst.what;
    }
  EXPECT_EQ(ropes, 1);
}

TEST(CouplingsOfSignals, model_a_rope_over_two_pulleys) {
  const Table left = run_twice("trammel: 1\n" + atwood + "sensors:\n" + atwood_sensors +
                                   R"(  left: {type: motion, of: left}
  force: {type: outputs, of: rope}
stages:
  - {type: dynamic, until: 0.5, step: 5e-3, newton: {tolerance: 1e-11}}
)",
                               "left");
  const double a = 9.81 * (3 - 2) / (3 + 2);
  EXPECT_NEAR(at(left, 0.5, "position.z"), -2 - 0.5 * a * 0.25, 1e-8);
  EXPECT_NEAR(at(left, 0.5, "velocity.z"), -a * 0.5, 1e-8);
}

TEST(CouplingsOfSignals, refuse_signals_that_are_no_functions_of_positions) {
  const auto coupled = [](const std::string& term) {
    return R"(bodies:
  ball: {type: point_mass, mass: 3, velocity: [1, 0, 0]}
  other: {type: point_mass, mass: 1, position: [1, 1, 1]}
elements:
  cord: {type: spring, between: [ball, other], stiffness: 1}
joints:
  tie: {type: coupling, terms: {)" +
           term + ": 1}}\n";
  };
  const std::string sensors =
      R"(  seen: {type: motion, of: ball}
  heat: {type: energy, of: ball}
  told: {type: outputs, of: cord}
)";
  EXPECT_THAT(refusal(coupled("seen.velocity.x"), sensors, "t"),
              HasSubstr("the coupling holds 'seen.velocity.x', which depends on velocities"));
  EXPECT_THAT(refusal(coupled("seen.acceleration.x"), sensors, "t"),
              HasSubstr("the coupling holds 'seen.acceleration.x', which depends on velocities"));
  EXPECT_THAT(refusal(coupled("told.tension"), sensors, "t"),
              HasSubstr("the coupling holds 'told.tension', whose second derivatives are not known"));
}

TEST(FollowedSensors, are_refused_by_an_offset_if_they_have_no_rates) {
  const auto driven = [](const std::string& offset) {
    return R"(bodies:
  ball: {type: rigid_body, mass: 3, inertia: [1, 1, 1]}
  other: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}
joints:
  tie: {type: generic, between: [ground, ball], translation_offset: [")" +
           offset + "\", 0, 0]}\n  pin: {type: fixed, between: [ground, other]}\n";
  };
  const std::string sensors = "  seen: {type: motion, of: other}\n  at: {type: reaction, of: pin}\n";
  EXPECT_EQ(refusal(driven("0.1*seen.position.x"), sensors, "t"), "no error");
  EXPECT_THAT(refusal(driven("0.1*seen.velocity.x"), sensors, "t"),
              HasSubstr("an offset reads 'seen.velocity.x', whose rates are not known"));
  EXPECT_THAT(refusal(driven("0.1*at.force.x"), sensors, "t"),
              HasSubstr("an offset reads 'at.force.x', whose rates are not known"));
}

}  // namespace
}  // namespace trammel
