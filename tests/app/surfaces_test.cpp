// Surfaces that slide on one another, through the command.

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::at;
using testing::difference;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::table_of;
using testing::Workplace;

constexpr const char* trough = TRAMMEL_SOURCE_DIR "/cases/wheel_on_rail/trough.step";

std::string ball(const std::string& stages, const std::string& joint) {
  return "trammel: 1\n"
         "bodies: {ball: {type: rigid_body, mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0.4]}}\n"
         "surfaces:\n"
         "  floor: {type: plane}\n"
         "  skin: {type: sphere, on: {on: ball, rotation: {axis: [1, 0, 0], angle: deg(90)}}, radius: 0.3}\n"
         "joints: {slide: {type: surface_contact, between: [floor, skin]" +
         joint + "}}\nsensors: {ball: {type: motion, of: ball}}\nstages: [" + stages + "]\n";
}

TEST(Surfaces, that_are_apart_meet_by_a_stage_of_type_assemble) {
  const Workplace workplace;
  const std::string dynamic = "{type: dynamic, until: 0.01, step: 0.001}";
  workplace.write("case.yaml", ball(dynamic, ""));
  const Outcome apart = workplace.shell("trammel run case.yaml -q -o out");
  EXPECT_NE(apart.status, 0);
  EXPECT_THAT(
      apart.err,
      HasSubstr("the surfaces 'floor' and 'skin' are apart by 0.1 m at the start; the nearest points are "
                "[0.1, "));
  EXPECT_THAT(apart.err, HasSubstr("give `assemble: yes` and a stage of type assemble"));
  for (const std::string formulation : {"parameters", "sliding_plane"}) {
    workplace.write("case.yaml",
                    ball("{type: assemble}, " + dynamic, ", assemble: yes, formulation: " + formulation));
    const Outcome closed = workplace.shell("trammel run case.yaml -q -o out");
    ASSERT_EQ(closed.status, 0) << closed.err;
    const auto table = table_of(workplace.read("out/ball.csv"));
    EXPECT_NEAR(at(table, 0.01, "position.z"), 0.3, 1e-9) << formulation;
    EXPECT_NEAR(at(table, 0.01, "position.x"), 0.1, 1e-9) << formulation;
  }
}

/// Results in columns of a case of the folder `cases`, on some ranks that share the bodies.
testing::Table run_case(const std::string& file, const std::string& options, int ranks,
                        const std::string& history) {
  const Workplace place;
  const Outcome outcome = place.shell(testing::command_on(ranks) + " run '" TRAMMEL_SOURCE_DIR "/cases/" +
                                      file + "' -o out --set frames=1000000 -partition_from 1 " + options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return table_of(place.read("out/" + history + ".csv"));
}

TEST(Surfaces, slide_the_same_on_every_number_of_ranks) {
  struct Sample {
    std::string file, options, history;
    std::vector<std::string> channels;
  };
  for (const Sample& sample : {Sample{"cam_on_shaft/case.yaml",
                                      "--set n=8 --set steps=11",
                                      "contact",
                                      {"normal_force", "contact_point"}},
                               Sample{"spinning_ellipsoid/case.yaml",
                                      "--set until=0.2",
                                      "slide",
                                      {"normal_force", "contact_point", "path_velocity_2"}},
                               Sample{"spinning_ellipsoid/sliding_plane.yaml",
                                      "--set until=0.2",
                                      "slide",
                                      {"normal_force", "contact_point", "path_velocity_2"}},
                               Sample{"notched_cam/case.yaml",
                                      "--set h=0.0005",
                                      "contact",
                                      {"normal_force", "contact_point", "jumps"}}}) {
    const testing::Table one = run_case(sample.file, sample.options, 1, sample.history);
    ASSERT_GT(one.rows.size(), 10U) << sample.file;
    for (const int ranks : {2, 4}) {
      const testing::Table several = run_case(sample.file, sample.options, ranks, sample.history);
      for (const std::string& channel : sample.channels) {
        const testing::Difference d = difference(one, several, channel);
        EXPECT_GT(d.range, 0) << sample.file << ' ' << channel;
        EXPECT_LE(d.largest, 1e-8 * d.range) << sample.file << ' ' << channel << " on " << ranks;
      }
    }
  }
}

/// A ball in a trough of 1.5 m is pushed aside by a force that grows to 12 N: its centre hangs at 1.2 m in the direction of weight and
/// push together.
TEST(Surfaces, find_equilibrium) {
  for (const std::string formulation : {"parameters", "sliding_plane"}) {
    const Workplace workplace;
    workplace.write("case.yaml", R"(trammel: 1
bodies: {ball: {type: rigid_body, mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, -1.2]}}
surfaces:
  trough: {type: cylinder, on: {on: ground, at: [0, 0, 0], rotation: [[0, 1, 0], [0, 0, 1], [1, 0, 0]]}, radius: 1.5, from: -1, to: 1, reversed: yes}
  skin: {type: sphere, on: {on: ball, rotation: {axis: [1, 0, 0], angle: deg(90)}}, radius: 0.3}
joints:
  plane: {type: planar, between: [ground, ball], axis: [0, 1, 0], position: [0, 0, 0], spring: {angle: {stiffness: 1}}}
  slide: {type: surface_contact, between: [trough, skin], formulation: )" +
                                     formulation + R"(}
loads:
  weight: {type: force, on: ball, force: [0, 0, -9]}
  push: {type: force, on: ball, force: [12*t, 0, 0]}
sensors:
  ball: {type: motion, of: ball}
  slide: {type: outputs, of: slide}
stages: [{type: static, until: 1, steps: 10, newton: {tolerance: 1e-12}}]
)");
    const Outcome run = workplace.shell("trammel run case.yaml -q -o out");
    ASSERT_EQ(run.status, 0) << run.err;
    const testing::Table ball = table_of(workplace.read("out/ball.csv")),
                         slide = table_of(workplace.read("out/slide.csv"));
    for (int k = 1; k <= 10; ++k) {
      const double t = 0.1 * k, push = 12 * t, force = std::hypot(9, push);
      EXPECT_NEAR(at(ball, t, "position.x"), 1.2 * push / force, 1e-11) << formulation << ' ' << t;
      EXPECT_NEAR(at(ball, t, "position.z"), -1.2 * 9 / force, 1e-11) << formulation << ' ' << t;
      EXPECT_NEAR(at(slide, t, "normal_force"), force, 1e-9) << formulation << ' ' << t;
    }
  }
}

/// A thin ring that precesses on a smooth floor, at a constant angle theta of its axis from the vertical: the moment of the floor's force
/// about the centre, which rests, is J3 w3 = J1 W cos(theta) - m g R cos(theta) / (W sin(theta)).
TEST(Surfaces, carry_a_ring_that_precesses) {
  constexpr double R = 0.3, m = 1, g = 9.81, theta = 1, W = 4, J1 = 0.5 * m * R * R, J3 = m * R * R;
  const double w3 = (J1 * W * std::cos(theta) - m * g * R * std::cos(theta) / (W * std::sin(theta))) / J3;
  const Workplace workplace;
  workplace.write("case.yaml",
                  fmt::format(R"(trammel: 1
bodies:
  ring: {{type: rigid_body, mass: {}, inertia: [{}, {}, {}], position: [0, 0, {:.17g}], rotation: {{axis: [0, 1, 0], angle: {}}},
    angular_velocity: [{:.17g}, 0, {:.17g}]}}
surfaces: {{floor: {{type: plane}}}}
curves: {{wire: {{type: helix, on: ring, axis: [0, 0, 1], radius: [{}, 0, 0], pitch: 0, turns: [-2, 2]}}}}
joints: {{slide: {{type: curve_on_surface, between: [floor, wire], near: [0.16, 0, 0]}}}}
loads: {{weight: {{type: gravity, acceleration: [0, 0, -{}]}}}}
sensors: {{ring: {{type: motion, of: ring}}, slide: {{type: outputs, of: slide}}}}
stages: [{{type: dynamic, until: 1, step: 0.0005, radius: 0.9, newton: {{tolerance: 1e-11}}}}]
)",
                              m, J1, J1, J3, R * std::sin(theta), theta, -W * std::sin(theta), w3, R, g));
  const Outcome run = workplace.shell("trammel run case.yaml -q -o out");
  ASSERT_EQ(run.status, 0) << run.err;
  const testing::Table ring = table_of(workplace.read("out/ring.csv")),
                       slide = table_of(workplace.read("out/slide.csv"));
  for (const double t : {0.25, 0.5, 1.0}) {
    EXPECT_NEAR(at(ring, t, "position.z"), R * std::sin(theta), 1e-5) << t;
    EXPECT_NEAR(at(slide, t, "normal_force"), m * g, 1e-4 * m * g) << t;
    // The contact point goes round with W, and along the ring with W cos(theta) - w3.
    EXPECT_NEAR(at(slide, t, "contact_point.x"), R * std::cos(theta) * std::cos(W * t), 1e-5) << t;
    EXPECT_NEAR(at(slide, t, "contact_point.y"), R * std::cos(theta) * std::sin(W * t), 1e-5) << t;
    EXPECT_NEAR(at(slide, t, "eta_rate"), W * std::cos(theta) - w3, 1e-4) << t;
    EXPECT_NEAR(at(slide, t, "path_velocity_1_world.x"), -R * std::cos(theta) * W * std::sin(W * t), 1e-4)
        << t;
  }
}

/// A bead crosses two knots of a surface of degree 2, where the curvature jumps: the motion restarts there, and the force keeps order 2.
TEST(Surfaces, let_a_bead_cross_their_knots) {
  std::vector<double> forces;
  for (const std::string step : {"0.004", "0.002", "0.001"}) {
    const Workplace workplace;
    workplace.write("case.yaml", R"(trammel: 1
bodies: {bead: {type: point_mass, mass: 1, position: [-0.8, 0.03, 0.1], velocity: [2, 0, 0]}}
surfaces:
  road: {type: nurbs_surface, degree_u: 2, degree_v: 2, points: [[[-1.5, -1, 0], [-1.5, 0, 0], [-1.5, 1, 0]],
    [[-0.9, -1, 0.1], [-0.9, 0, 0], [-0.9, 1, 0.1]], [[-0.3, -1, -0.1], [-0.3, 0, -0.1], [-0.3, 1, -0.1]],
    [[0.3, -1, 0.1], [0.3, 0, 0.05], [0.3, 1, 0.1]], [[0.9, -1, 0], [0.9, 0, 0], [0.9, 1, 0]],
    [[1.5, -1, 0.2], [1.5, 0, 0.1], [1.5, 1, 0.2]]]}
joints: {slide: {type: point_on_surface, between: [road, bead], assemble: yes}}
loads: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
sensors: {slide: {type: outputs, of: slide}}
stages: [{type: assemble}, {type: dynamic, until: 0.6, radius: 0.9, newton: {tolerance: 1e-11}, step: )" +
                                     step + "}]\n");
    const Outcome run = workplace.shell("trammel run case.yaml -o out");
    ASSERT_EQ(run.status, 0) << run.err;
    const std::string log = run.out + run.err, event = "the equations of 'slide' change";
    EXPECT_NE(log.find(event), log.rfind(event)) << log;
    forces.push_back(at(table_of(workplace.read("out/slide.csv")), 0.6, "normal_force"));
  }
  const double order = std::log2((forces[0] - forces[1]) / (forces[1] - forces[2]));
  EXPECT_NEAR(order, 2, 0.3);
}

/// A bead slides down the right half of a half pipe of 1.5 m.
std::string bead(const std::string& faces) {
  return std::string("trammel: 1\n") +
         "bodies: {bead: {type: point_mass, mass: 1, position: [0.9, 0, -1.2]}}\n"
         "surfaces: {pipe: {type: face_file, reversed: yes, file: '" +
         trough + "', faces: " + faces +
         "}}\n"
         "joints: {slide: {type: point_on_surface, between: [pipe, bead]}}\n"
         "loads: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}\n"
         "sensors: {bead: {type: motion, of: bead}}\n"
         "stages: [{type: dynamic, until: 1, step: 0.002}]\n";
}

TEST(Faces, hand_a_contact_point_to_their_neighbour) {
  const Workplace workplace;
  workplace.write("case.yaml", bead("[right, left]"));
  const Outcome both = workplace.shell("trammel run case.yaml -q -o out");
  ASSERT_EQ(both.status, 0) << both.err;
  const auto table = table_of(workplace.read("out/bead.csv"));
  EXPECT_LT(at(table, 1, "position.x"), -0.7);
  EXPECT_NEAR(std::hypot(at(table, 1, "position.x"), at(table, 1, "position.z")), 1.5, 1e-7);
  // One face alone ends at the lowest line.
  workplace.write("case.yaml", bead("right"));
  const Outcome one = workplace.shell("trammel run case.yaml -q -o out");
  EXPECT_NE(one.status, 0);
  EXPECT_THAT(one.err, HasSubstr("the contact point leaves the surface 'pipe' over an edge, at u = "));
  EXPECT_THAT(one.err, HasSubstr(" of the face 'right'"));
}

TEST(Faces, that_are_not_there_are_named_with_their_line) {
  const Workplace workplace;
  workplace.write("case.yaml", bead("[right, lft]"));
  const Outcome check = workplace.shell("trammel check case.yaml");
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.err, HasSubstr("case.yaml:3:"));
  EXPECT_THAT(check.err,
              HasSubstr("'trough.step' has no face 'lft'; did you mean 'left'? Faces there: left, right"));
}

}  // namespace
}  // namespace trammel
