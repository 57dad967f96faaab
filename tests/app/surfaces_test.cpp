// Surfaces that slide on one another, through the command.

#include <cmath>

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
