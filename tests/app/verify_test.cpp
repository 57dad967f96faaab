#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"

namespace trammel::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string unsound = " --plugin '" TRAMMEL_TEST_PLUGIN_DIR "/unsound_plugin.so'";

/// The rows of a table of Markdown, by their first cell.
std::map<std::string, std::vector<std::string>> rows_of(const std::string& markdown) {
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| ", 0) != 0) continue;
    std::vector<std::string> cells;
    std::istringstream parts(line.substr(2));
    for (std::string cell; std::getline(parts, cell, '|');) {
      cell.erase(cell.find_last_not_of(' ') + 1);
      cell.erase(0, cell.find_first_not_of(' '));
      cells.push_back(cell);
    }
    rows[cells.front()] = cells;
  }
  return rows;
}

TEST(Verify, finds_every_joint_sound_with_the_published_degrees_of_freedom) {
  const Outcome all = Workplace().shell("trammel verify --no-motion --states 30 --markdown");
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("coupling: not checked"));
  auto rows = rows_of(all.out);
  // Kamman's table of connecting joints, and Table 1 of the Dymore user's manual for planar and screw.
  const std::map<std::string, int> degrees_of_freedom{{"fixed", 0},     {"revolute", 1},  {"spherical", 3},
                                                      {"universal", 2}, {"prismatic", 1}, {"cylindrical", 2},
                                                      {"free", 6},      {"planar", 3},    {"screw", 1}};
  for (const auto& [joint, count] : degrees_of_freedom) {
    ASSERT_TRUE(rows.contains(joint)) << joint;
    EXPECT_EQ(rows[joint][1], rows[joint][2]) << joint << ": equations and rank";
    EXPECT_EQ(rows[joint][3], std::to_string(count)) << joint;
    EXPECT_NE(rows[joint][8], "absolute") << joint;
  }
  EXPECT_EQ(rows["constant_velocity_rates"][8], "absolute");
  EXPECT_NE(rows["constant_velocity"][8], "absolute");
  EXPECT_EQ(rows["planar"][13], "angle, slide_1, slide_2");
}

TEST(Verify, checks_sliding_joints_in_their_test_models) {
  const Outcome found =
      Workplace().shell("trammel verify beam_sliding curve_sliding --no-motion --states 6 --markdown");
  EXPECT_EQ(found.status, 0) << found.err;
  auto rows = rows_of(found.out);
  const std::map<std::string, int> degrees_of_freedom{
      {"beam_sliding (point, curved and twisted beam)", 4}, {"beam_sliding (prismatic, straight beam)", 1},
      {"beam_sliding (cylindrical, at a node)", 2},         {"beam_sliding (screw, at an end)", 1},
      {"curve_sliding (free, arc_length: velocity)", 4},    {"curve_sliding (locked, frame: guide)", 1}};
  for (const auto& [joint, count] : degrees_of_freedom) {
    ASSERT_TRUE(rows.contains(joint)) << joint;
    EXPECT_EQ(rows[joint][1], rows[joint][2]) << joint << ": equations and rank";
    EXPECT_EQ(rows[joint][3], std::to_string(count)) << joint;
  }
}

TEST(Verify, checks_surfaces_that_slide) {
  const Outcome found = Workplace().shell(
      "trammel verify surface_contact point_on_surface curve_on_surface --no-motion --states 6 --markdown");
  EXPECT_EQ(found.status, 0) << found.err;
  auto rows = rows_of(found.out);
  for (const char* joint : {"surface_contact (ellipsoid on NURBS)", "surface_contact (ellipsoid in a torus)",
                            "surface_contact (sliding_plane, ellipsoid on plane)",
                            "surface_contact (sliding_plane, ellipsoid on NURBS)",
                            "point_on_surface (on a torus)", "curve_on_surface (wire on NURBS)"}) {
    ASSERT_TRUE(rows.contains(joint)) << joint;
    EXPECT_EQ(rows[joint][1], rows[joint][2]) << joint << ": equations and rank";
    EXPECT_EQ(rows[joint][3], "5") << joint;
  }
}

TEST(Verify, names_the_test_model_in_which_a_joint_fails) {
  const Outcome wrong = Workplace().shell("trammel verify wrong_in_scene --no-motion --states 12" + unsound);
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("1 of 1 joint types fails"));
  EXPECT_THAT(wrong.err, HasSubstr("wrong_in_scene (two bodies): geometric stiffness off by"));
  const Outcome none = Workplace().shell("trammel verify no_such_scene --no-motion --states 12" + unsound);
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("scene 'nothing' of 'no_such_scene' has no joint of the name 'joint'"));
}

TEST(Verify, finds_that_joints_keep_their_positions_in_motion) {
  const Outcome found =
      Workplace().shell("trammel verify revolute screw constant_velocity_rates --states 6 --markdown");
  EXPECT_EQ(found.status, 0) << found.err;
  for (const auto& [joint, cells] : rows_of(found.out)) {
    if (joint == "joint") continue;
    for (const std::size_t form : {10U, 11U}) EXPECT_LT(std::stod(cells.at(form)), 1e-7) << joint;
  }
}

TEST(Verify, names_the_check_that_fails) {
  const auto fails = [](const std::string& type, const std::string& message) {
    const Outcome found = Workplace().shell("trammel verify " + type + " --no-motion --states 12" + unsound);
    EXPECT_EQ(found.status, 1) << type;
    EXPECT_THAT(found.out, HasSubstr(type));
    EXPECT_THAT(found.err, HasSubstr("1 of 1 joint types fails"));
    EXPECT_THAT(found.err, HasSubstr(type + ": " + message)) << type;
    return found.err;
  };
  EXPECT_THAT(fails("wrong_stiffness", "geometric stiffness off by"), Not(HasSubstr("objectivity")));
  EXPECT_THAT(fails("wrong_stiffness", "geometric stiffness"), HasSubstr("K: residual of 'bodies."));
  fails("wrong_gradient", "constraint gradient off by");
  EXPECT_THAT(fails("not_objective", "objectivity off by"), Not(HasSubstr("stiffness")));
  fails("wrong_degrees_of_freedom", "geometric stiffness");
  EXPECT_THAT(fails("wrong_degrees_of_freedom", ""),
              HasSubstr("leaves 5 degrees of freedom, and its type states 4"));
  fails("no_example", "stops: 'secret' (list) has no example");
}

TEST(Verify, accepts_a_joint_whose_formula_has_singular_points) {
  const Outcome found = Workplace().shell("trammel verify torus --no-motion --states 400" + unsound);
  EXPECT_EQ(found.status, 0) << found.err;
}

TEST(Verify, gives_the_relative_pose_where_a_joint_fails) {
  const Outcome found = Workplace().shell("trammel verify wrong_gradient --no-motion --states 12" + unsound);
  EXPECT_THAT(found.err, HasSubstr("; p_AB_A = ["));
  EXPECT_THAT(found.err, HasSubstr("rotation vector of R_AB = ["));
}

TEST(Verify, reports_that_a_test_model_at_rest_tests_no_drift) {
  const Outcome found = Workplace().shell("trammel verify sound --states 6 --markdown" + unsound);
  EXPECT_EQ(found.status, 0) << found.err;
  for (const std::size_t drift : {10U, 11U, 12U})
    EXPECT_EQ(rows_of(found.out)["sound (still)"][drift], "at rest") << found.out;
  EXPECT_THAT(found.out, HasSubstr("sound (still): at rest in its scene; its drift is not tested"));
}

TEST(Verify, finds_a_type_that_changes_its_state_in_evaluate) {
  const Outcome found = Workplace().shell("trammel verify counting --no-motion --states 12" + unsound);
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.err, HasSubstr("counting: one state has more than one result: residual of "
                                   "'joint.multipliers', row 1, evaluated twice in turn"));
}

TEST(Verify, finds_types_that_cannot_be_drawn_while_they_are_evaluated) {
  for (const auto& [type, found] : {std::pair("draws_from_a_member", "`draw`: a line"),
                                    std::pair("reports_from_a_static", "`outputs`: the output 'end'"),
                                    std::pair("reads_its_drawing", "`evaluate`: residual")}) {
    const Outcome outcome =
        Workplace().shell("trammel verify " + std::string(type) + " --no-motion --states 12" + unsound);
    EXPECT_EQ(outcome.status, 1) << type;
    EXPECT_THAT(outcome.err,
                HasSubstr(std::string(type) + ": gives another result while a thread draws it: " + found));
  }
}

TEST(Verify, finds_a_type_that_reads_a_member_that_nothing_sets) {
  const Outcome found = Workplace().shell("trammel verify unset --no-motion --states 12" + unsound);
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.err,
              HasSubstr("unset: reads memory that nothing has set: built over memory of another content, "
                        "residual of 'joint.multipliers', row 1 is another"));
}

TEST(Verify, names_the_type_that_throws_something_else_than_an_exception) {
  const Outcome found = Workplace().shell("trammel verify throws_a_number --no-motion --states 12" + unsound);
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.err, HasSubstr("1 of 1 joint types fails"));
  EXPECT_THAT(found.err, HasSubstr("throws_a_number: stops: joint 'joint' (type 'throws_a_number' of plugin "
                                   "'unsound'): something was thrown that is no exception"));
}

TEST(Verify, shows_wrong_derivatives_before_a_motion_that_cannot_be_assembled) {
  const Outcome found = Workplace().shell("trammel verify wrong_and_open --states 12" + unsound);
  EXPECT_EQ(found.status, 1);
  const std::size_t gradient = found.err.find("wrong_and_open: constraint gradient off by"),
                    motion = found.err.find("wrong_and_open: stops in the motion of index3: ");
  ASSERT_NE(gradient, std::string::npos) << found.err;
  ASSERT_NE(motion, std::string::npos) << found.err;
  EXPECT_LT(gradient, motion);
}

TEST(Verify, exempts_types_declared_absolute_from_objectivity) {
  const Outcome found =
      Workplace().shell("trammel verify declared_absolute --no-motion --states 12" + unsound);
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("absolute"));
}

TEST(Verify, accepts_values_for_parameters) {
  Workplace here;
  EXPECT_EQ(here.shell("trammel verify screw --no-motion --set pitch=-0.2").status, 0);
  const Outcome wrong = here.shell("trammel verify screw --no-motion --set pitch=0");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("screw: stops: the pitch of a screw must not be zero"));
}

TEST(Verify, omits_a_flag_that_the_type_refuses_beside_the_other_values) {
  const Outcome hinge = Workplace().shell(
      "trammel verify generic --no-motion --states 12 --markdown --set constrained='[1, 1, 1, 0, 0, 1]'");
  EXPECT_EQ(hinge.status, 0) << hinge.err;  // `alternative: yes` wants two locked rotations
  EXPECT_EQ(rows_of(hinge.out)["generic"][3], "2");
}

TEST(Verify, names_the_error_of_a_command) {
  Workplace here;
  const Outcome unknown = here.shell("trammel verify revolut");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'revolute'?"));
  EXPECT_EQ(here.shell("trammel verify --states 3").status, 2);
  const Outcome help = here.shell("trammel verify --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("Example:"));
}

const std::string pair_of_bodies = R"(trammel: 1
bodies:
  a: {type: rigid_body, mass: 1, inertia: [1, 2, 2.5], position: [0, 0, 0]}
  b: {type: rigid_body, mass: 1, inertia: [1, 2, 2.5], position: [1, 0, 0]}
stages: [{type: dynamic, until: 1, step: 0.1}]
)";

TEST(CheckDerivatives, passes_a_sound_case) {
  Workplace here;
  here.write("case.yaml", pair_of_bodies +
                              "joints: {J: {type: revolute, between: [a, b], position: [0.5, 0, 0], axis: "
                              "[0, 1, 0], spring: {angle: {stiffness: 3}}}}\n");
  const Outcome found = here.shell("trammel check case.yaml --derivatives");
  EXPECT_EQ(found.status, 0) << found.err;
  // Two bodies, the joint, the spring, and the glyph of the spring.
  EXPECT_THAT(found.out, HasSubstr("derivatives\n  5 instances; worst entry off by"));
  EXPECT_THAT(here.shell("trammel check case.yaml").out, Not(HasSubstr("derivatives")));
}

TEST(CheckDerivatives, passes_every_case) {
  Workplace here;
  // Some begin in special positions: with a joint that is inactive yet, on a knot of a curve, without strain.
  int cases = 0;
  for (const auto& folder : std::filesystem::directory_iterator(TRAMMEL_SOURCE_DIR "/cases")) {
    const std::filesystem::path file = folder.path() / "case.yaml";
    if (!std::filesystem::exists(file)) continue;
    ++cases;
    const Outcome found = here.shell("trammel check '" + file.string() + "' --derivatives");
    EXPECT_EQ(found.status, 0) << file << found.err;
  }
  EXPECT_GT(cases, 60);
}

TEST(CheckDerivatives, says_where_the_start_is_not_smooth) {
  const Outcome found =
      Workplace().shell("trammel check " TRAMMEL_SOURCE_DIR "/cases/cam_follower/case.yaml --derivatives");
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("not smooth at the start, so held beside it: joint 'contact' "
                                   "(curve_contact), rate of 'contact.multipliers'"));
}

TEST(CheckDerivatives, names_the_instance_and_the_entry) {
  Workplace here;
  here.write("case.yaml", pair_of_bodies + "joints: {J: {type: wrong_stiffness, between: [a, b]}}\n");
  const Outcome found = here.shell("trammel check case.yaml --derivatives" + unsound);
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.err, HasSubstr("joint 'J' (wrong_stiffness), K: residual of '"));
  EXPECT_THAT(found.err, HasSubstr("bound 1e-06"));
}

TEST(CheckDerivatives, finds_an_element_that_counts_its_evaluations) {
  Workplace here;
  here.write("case.yaml", pair_of_bodies + "joints: {J: {type: counting, between: [a, b]}}\n");
  const Outcome found = here.shell("trammel check case.yaml --derivatives" + unsound);
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.err,
              HasSubstr("one state has more than one result: joint 'J' (counting), residual of 'J."));
}

TEST(CheckDerivatives, finds_elements_that_give_something_else_together) {
  Workplace here;
  const auto of = [&](const std::string& type, int count) {
    std::string bodies;
    for (int i = 0; i < count; ++i) bodies += fmt::format("  b{}: {{type: {}}}\n", i + 1, type);
    here.write("case.yaml",
               "trammel: 1\nbodies:\n" + bodies + "stages: [{type: dynamic, until: 1, step: 0.1}]\n");
    return here.shell("trammel check case.yaml --derivatives" + unsound);
  };
  EXPECT_EQ(of("forgets_residual", 1).status, 0) << "one is evaluated alone";
  for (const auto& [type, what] : {std::pair{"forgets_residual", "residual of 'b2.position'"},
                                   {"forgets_tangents", "M of 'b2.position'"},
                                   {"forgets_energy", "energy"}})
    for (const int count : {2, 3}) {
      const Outcome found = of(type, count);
      EXPECT_EQ(found.status, 1);
      EXPECT_THAT(found.err,
                  HasSubstr("several elements evaluated together (`evaluate_residuals`, "
                            "`evaluate_tangents`, `energies`) give other numbers than each of them alone, "
                            "off by 1 of the block's size"));
      EXPECT_THAT(found.err, HasSubstr(fmt::format("body 'b2' ({}), {}", type, what)));
    }
}

TEST(CheckDerivatives, at_a_time_uses_the_state_of_a_run_at_that_time) {
  Workplace here;
  std::string text = pair_of_bodies + "joints: {J: {type: wrong_later, between: [a, b]}}\n";
  text.replace(text.find("step: 0.1"), 9, "step: 0.01");
  here.write("case.yaml", text);
  const std::string check = "trammel check case.yaml --derivatives";
  EXPECT_EQ(here.shell(check + unsound).status, 0);
  EXPECT_EQ(here.shell(check + " --at 0.05" + unsound).status, 0);
  const Outcome later = here.shell(check + " --at 0.2" + unsound);
  EXPECT_EQ(later.status, 1);
  EXPECT_THAT(later.err, HasSubstr("joint 'J' (wrong_later), K: residual of '"));
  const Outcome beyond = here.shell(check + " --at 5" + unsound);
  EXPECT_EQ(beyond.status, 1) << "the stages end at 1";
}

TEST(Verify, checks_the_drift_of_joints_of_more_than_two_markers) {
  const Outcome found = Workplace().shell("trammel verify sound_belt --states 6 --markdown" + unsound);
  EXPECT_EQ(found.status, 0) << found.err;
  const auto rows = rows_of(found.out);
  const auto belt = rows.find("sound_belt");
  ASSERT_NE(belt, rows.end()) << found.out;
  for (const std::size_t column : {10U, 11U, 12U}) {  // of index 3, 2 and 1
    const double drift = std::atof(belt->second[column].c_str());
    EXPECT_GT(drift, 0) << belt->second[column];
    EXPECT_LT(drift, 1e-7) << belt->second[column];
  }
}

TEST(Verify, names_an_algebraic_unknown_that_breaks_its_rules) {
  const std::string fault = "the equation of the algebraic unknown 'J.z' depends on the multiplier 'J.force'";
  const Outcome found = Workplace().shell("trammel verify breaks_rules --no-motion --states 6" + unsound);
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.err, HasSubstr("depends on the multiplier '"));
  EXPECT_THAT(found.err, HasSubstr("the equation of the algebraic unknown '"));
  Workplace here;
  here.write("case.yaml",
             pair_of_bodies + "joints: {J: {type: breaks_rules, between: [a, {on: b, at: [-1, 0, 0]}]}}\n");
  for (const char* command : {"run", "check"}) {
    const Outcome refused = here.shell("trammel " + std::string(command) + " case.yaml" + unsound);
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.err, HasSubstr("joint 'J' (type 'breaks_rules' of plugin 'unsound')"));
    EXPECT_THAT(refused.err, HasSubstr(fault));
  }
}

TEST(CheckDerivatives, names_the_instance_that_throws_something_else_than_an_exception) {
  Workplace here;
  here.write("case.yaml", pair_of_bodies + "joints: {J: {type: throws_later, between: [a, b]}}\n");
  const Outcome found = here.shell("trammel check case.yaml --derivatives" + unsound);
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.err,
              HasSubstr("case.yaml:6:10: error: joint 'J' (type 'throws_later' of plugin 'unsound') failed"));
  EXPECT_THAT(found.err, HasSubstr("something was thrown that is no exception"));
}

TEST(Describe, prints_Markdown_and_examples) {
  Workplace here;
  const Outcome found = here.shell("trammel describe screw --markdown");
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(found.out,
              HasSubstr("| pitch | number | m | required | - | slide of a whole turn; negative for a "
                        "left-hand thread, such as 0.01 |"));
}

}  // namespace
}  // namespace trammel::testing
