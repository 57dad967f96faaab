// Wrong input, through the command: one message of ours, a status other than 0, nothing left hanging.

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using ::testing::StartsWith;
using testing::Workplace;

const std::string faulty = "trammel: 1\nplugins: [" TRAMMEL_TEST_PLUGIN_DIR "/faulty_plugin.so]\n";
const std::string dynamic = "stages: [{type: dynamic, until: 0.1, step: 0.01}]\n";
const std::string statics = "stages: [{type: static}]\n";

/// A bar that hangs on a hinge; `%` stands for what is wrong with it.
std::string pendulum(const std::string& body,
                     const std::string& joint = "between: [ground, rod], axis: [0, 0, 1]",
                     const std::string& rest = "") {
  return "trammel: 1\nbodies:\n  rod: {type: rigid_body, " + body + "}\njoints:\n  pin: {type: revolute, " +
         joint + "}\n" + dynamic + rest;
}

std::string beam(const std::string& section, const std::string& more = "from: [0, 0, 0], to: [1, 0, 0]") {
  return "trammel: 1\nsections:\n  thick: " + section + "\nbodies:\n  bar: {type: beam, section: thick, " +
         more + R"(}
joints:
  clamp: {type: fixed, between: [ground, bar.start]}
)" + statics;
}

const std::string good_section =
    "{stiffness: {EA: 1e6, GA: [4e5, 4e5], GJ: 50, EI: [100, 100]}, mass: {rhoA: 1, J: [1e-3, 1e-3, 1e-3]}}";

struct Bad {
  const char* name;
  std::string text;                   ///< of the case
  std::vector<std::string> expected;  ///< parts of the message
  int status = 1;                     ///< of `trammel run`; 4: no convergence

  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }
};

/// One message: a line, or the lines that the first one announces, and nothing of other programs.
void expect_one_message(const Outcome& outcome, const std::vector<std::string>& expected, int status = 1) {
  EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("error: "));
  for (const std::string& part : expected) EXPECT_THAT(outcome.err, HasSubstr(part));
  std::size_t errors = 0;
  for (std::size_t at = outcome.err.find("error: "); at != std::string::npos;
       at = outcome.err.find("error: ", at + 1))
    ++errors;
  EXPECT_EQ(errors, 1U) << outcome.err;
  for (const char* noise : {"PETSC ERROR", "MPI_ABORT", "terminate called", "what()", "Backtrace"})
    EXPECT_THAT(outcome.err, ::testing::Not(HasSubstr(noise)));
}

/// Two bodies with a joint of the faulty plugin.
std::string on_faulty(const std::string& joint) {
  return "bodies: {a: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}}\njoints:\n  x: {type: " + joint +
         ", between: [ground, a], assemble: yes}\n" + dynamic;
}

class BadInput : public ::testing::TestWithParam<Bad> {};

TEST_P(BadInput, gives_one_message) {
  const Workplace workplace;
  expect_one_message(workplace.run(GetParam().text), GetParam().expected, GetParam().status);
}

const std::string inertia = "inertia: [0.1, 0.2, 0.2]";

const std::vector<Bad>& bad_inputs() {
  static const std::vector<Bad> list{
      {"syntax_of_yaml",
       "trammel: 1\nbodies: {rod: {type: rigid_body\n",
       {"case.yaml:3:1: error: this is not valid YAML"}},
      {"duplicate_key",
       R"(trammel: 1
title: a
title: b
)",
       {"case.yaml:3:1: error: the key 'title' stands here a second time"}},
      {"no_version", "title: a\n", {"case.yaml:1:1: error: the key 'trammel: 1' is missing"}},
      {"unknown_key",
       pendulum("mass: 1, " + inertia, "between: [ground, rod], axs: [0, 0, 1]"),
       {"case.yaml:5:49: error: joint 'pin' (revolute): unknown key 'axs'; did you mean 'axis'?"}},
      {"unknown_top_key",
       "trammel: 1\njoint: {}\n",
       {"case.yaml:2:1: error: unknown key 'joint'; did you mean 'joints'?"}},
      {"unknown_type",
       R"(trammel: 1
bodies:
  rod: {type: rigid_bodi}
)",
       {"case.yaml:3:15: error: body 'rod': unknown body type 'rigid_bodi'; did you mean 'rigid_body'?"}},
      {"unknown_body",
       pendulum("mass: 1, " + inertia, "between: [ground, rood], axis: [0, 0, 1]"),
       {"case.yaml:5:43: error: joint 'pin' (revolute): marker 'rood' not found; did you mean 'rod'?"}},
      {"unknown_parameter",
       pendulum("mass: 2*masse, " + inertia, "between: [ground, rod]", "parameters: {mass0: 1}\n"),
       {"case.yaml:3:33: error: body 'rod' (rigid_body):", "unknown name 'masse'; did you mean 'mass0'?"}},
      {"unknown_stage",
       "trammel: 1\nstages: [{type: dynamics}]\n",
       {"case.yaml:2:17: error: stage 1: unknown stage type 'dynamics'; did you mean 'dynamic'?"}},
      {"wrong_type",
       pendulum("mass: [1, 2], " + inertia),
       {"case.yaml:3:33: error: body 'rod' (rigid_body): 'mass' must be "
        "a number, found a list of 2"}},
      {"wrong_shape",
       pendulum("mass: 1, " + inertia + ", position: [1, 2]"),
       {"'position' must be a vector [x, y, z], found a list of 2"}},
      {"wrong_sign",
       pendulum("mass: -1, " + inertia),
       {"case.yaml:3:33: error: body 'rod' (rigid_body): 'mass' = -1 kg: must be positive"}},
      {"wrong_range",
       "trammel: 1\nstages: [{type: dynamic, until: 1, step: 0.1, radius: 1.2}]\n",
       {"case.yaml:2:55: error: stage 1 (dynamic): 'radius' = 1.2: must be between 0 and 1"}},
      {"quaternion_without_norm",
       pendulum("mass: 1, " + inertia + ", rotation: [1, 1, 0, 0]"),
       {"must have the norm 1"}},
      {"section_not_positive",
       beam("{stiffness: [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 2, 0], "
            "[0, 0, 0, 2, 1, "
            "0], [0, 0, 0, 0, 0, 1]], mass: {rhoA: 1}}"),
       {"error: body 'bar' (beam): ", "not positive definite"}},
      {"inertia_against_triangle",
       pendulum("mass: 1, inertia: [1, 0.1, 0.1]"),
       {"case.yaml:3:45: error: body 'rod' (rigid_body): ", "exceeds the sum of the others"}},
      {"element_without_length",
       beam(good_section, "from: [1, 0, 0], to: [1, 0, 0]"),
       {"error: body 'bar' (beam): "}},
      {"markers_that_do_not_meet",
       pendulum("mass: 1, " + inertia, "between: [{on: ground, at: [0, 0.25, 0]}, rod], axis: [0, 0, 1]"),
       {"error: joint 'pin' (revolute): ", "0.25"}},
      {"missing_plugin",
       "trammel: 1\nplugins: [no/such.so]\n" + dynamic,
       {"case.yaml:2:11: error: ", "no/such.so"}},
      {"not_a_plugin",
       "trammel: 1\nplugins: [case.yaml]\n" + dynamic,
       {"case.yaml:2:11: error: ", "case.yaml"}},
      {"plugin_of_another_build",
       "trammel: 1\nplugins: [" TRAMMEL_TEST_PLUGIN_DIR "/other_abi_plugin.so]\n" + dynamic,
       {"case.yaml:2:11: error: ", "other_abi"}},
      {"plugin_that_throws_when_loaded",
       "trammel: 1\nplugins: [" TRAMMEL_TEST_PLUGIN_DIR "/throwing_plugin.so]\n" + dynamic,
       {"case.yaml:2:11: error: ", "throwing", "no licence found"}},
      {"plugin_that_throws_when_building",
       faulty + "bodies:\n  x: {type: throws}\n" + dynamic,
       {"case.yaml:4:3: error: body 'x' (throws): plugin 'faulty' threw an exception: it broke"}},
      {"plugin_that_throws_in_a_run",
       faulty + "bodies:\n  x: {type: bomb, at: 0.05}\n" + dynamic,
       {"faulty", "bomb", "'x'", "the fuse has burnt down"}},
      {"row_without_dimension",
       faulty + on_faulty("undeclared"),
       {"case.yaml:5:3: error: ", "type 'undeclared': no dimension is declared for row 1",
        "'x.multipliers'"}},
      {"row_whose_size_is_none", faulty + on_faulty("without_size"), {"no dimension is declared for row 1"}},
      {"rows_that_are_not_as_many_as_equations",
       faulty + on_faulty("two_rows"),
       {"case.yaml:5:", "the joint has 1 equations and declares 2 rows"}},
      {"dimensions_that_are_not_as_many_as_numbers",
       faulty + "bodies:\n  x: {type: two_measures}\n" + dynamic,
       {"case.yaml:4:3: error: ", "1 numbers have 2 dimensions in the block of 'x.x'"}},
      {"two_switches_of_one_row",
       R"(trammel: 1
bodies:
  bead: {type: point_mass, mass: 1}
curves:
  wire: {type: line, from: [-1, 0, 0], to: [1, 0, 0]}
joints:
  slide: {type: curve_sliding, between: [wire, bead], ends: inactive, active: 1 - t}
)" + dynamic,
       {"case.yaml:7:", "'slide' has two switches, `", "one of them is to say when it is active"}},
      {"release_by_its_old_key",
       pendulum("mass: 1, " + inertia, "between: [ground, rod], axis: [0, 0, 1], release: {at: 1}"),
       {"case.yaml:5:",
        "unknown key 'release'; a joint that is released has `active: {until, force, moment}`."}},
      {"expression_that_does_not_parse",
       pendulum("mass: 1 + * 2, " + inertia),
       {"case.yaml:3:33: error: body 'rod' (rigid_body): ", "'*'"}},
      {"expression_that_gives_nan",
       pendulum("mass: sqrt(-1), " + inertia),
       {"case.yaml:3:33: error: ", "sqrt(-1) is nan"}},
      {"function_that_gives_nan",
       pendulum("mass: 1, " + inertia,
                "between: [ground, rod], axis: [0, 0, 1], motion: {angle: sqrt(0.055 - t) - sqrt(0.055)}"),
       {"case.yaml:5:75: error: ", "sqrt(0.055 - t)", "nan"}},
      {"parameters_in_a_circle",
       "trammel: 1\nparameters: {a: 2*b, b: a/2}\n",
       {"case.yaml:2:", "a -> b -> a"}},
      {"singular_system", faulty + "bodies:\n  x: {type: adrift}\n" + statics, {"x.x"}, 4},
      {"singular_body",
       "trammel: 1\nbodies:\n  rod: {type: rigid_body, mass: 1, " + inertia +
           R"(}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
)" + statics,
       {"rod"},
       4},
      {"step_that_cannot_converge",
       faulty + "bodies:\n  x: {type: no_root}\n" + statics,
       {"no convergence", "'x'"},
       4},
      {"projection_of_another_form",
       "trammel: 1\nbodies:\n  rod: {type: rigid_body, mass: 1, " + inertia +
           "}\nstages:\n  - {type: dynamic, until: 1, step: 0.1, projection: no}\n",
       {"case.yaml:5:", "'projection' belongs to 'form: index1'"}},
      {"unknown_form",
       "trammel: 1\nbodies:\n  rod: {type: rigid_body, mass: 1, " + inertia +
           "}\nstages:\n  - {type: dynamic, until: 1, step: 0.1, form: index4}\n",
       {"case.yaml:5:", "'form'", "index4", "projected, index3, index2, index1"}},
      {"no_stages", "trammel: 1\n", {"case.yaml: error: the case has no 'stages'"}},
      {"two_markers_instead",
       pendulum("mass: 1, " + inertia, "between: [rod], axis: [0, 0, 1]"),
       {"'between' must be a list of two markers"}},
      {"stage_back_in_time",
       "trammel: 1\nstages: [{type: dynamic, until: 1, step: 0.1}, {type: dynamic, until: 0.5, step: 0.1}]\n",
       {"stage 2 (dynamic): 'until' = 0.5 s: must be after the stage's start at 1 s"}},
  };
  return list;
}

/// Damaged and oversized input: each ended the program, hung, or was told in words that helped nobody.
const std::vector<Bad>& damaged_inputs() {
  static const std::vector<Bad> list{
      {"parameters_in_a_long_circle",
       [] {
         std::string text = "trammel: 1\nparameters:\n";
         for (int i = 0; i < 30'000; ++i)
           text += "  p" + std::to_string(i) + ": p" + std::to_string((i + 1) % 30'000) + "\n";
         return text;
       }(),
       {"case.yaml:3:7: error: parameter 'p0': it is defined by itself: p0 -> p1 -> ", " (30000 names)"}},
      {"grid_without_bound",
       R"(trammel: 1
bodies:
  m.(i).(j).(k): {for: {i: 1..99999, j: 1..99999, k: 1..99999}, type: point_mass, mass: 1}
)" + dynamic,
       {"case.yaml:3:24: error: ", "999970000299999 entries", "may hold 5000000"}},
      {"huge_type",
       "trammel: 1\nbodies: {m: {type: " + std::string(10'000'000, 'x') + "}}\n" + dynamic,
       {"case.yaml:2:20: error: body 'm': unknown body type 'xxx", "...' (10000000 bytes)"}},
      {"deep_nesting",
       "trammel: 1\nbodies: " + std::string(10'000, '[') + std::string(10'000, ']') + "\n",
       {"case.yaml:2:108: error: lists and maps are nested deeper than 100 levels"}},
      {"nul_byte",
       std::string("trammel: 1\ntitle: a\0b\n", 22),
       {"case.yaml:2:9: error: the file holds a NUL byte here"}},
      {"markers_in_a_circle",
       "trammel: 1\nmarkers: {a: {on: b}, b: {on: a}}\n" + dynamic,
       {"case.yaml:2:11: error: markers that are fixed in each other: a -> b -> a"}},
      {"no_bodies",
       "trammel: 1\n" + dynamic,
       {"case.yaml: error: the case has no unknowns: it has no 'bodies'"}},
      {"bodies_fixed_to_the_ground",
       pendulum("mass: 1, " + inertia)
           .replace(pendulum("mass: 1, " + inertia).find("revolute"), 8, "fixed   ")
           .replace(pendulum("mass: 1, " + inertia).find(", axis: [0, 0, 1]"), 17, ""),
       {"case.yaml: error: the case has no unknowns: joints fix its only body to the ground"}},
      {"function_in_an_expression",
       R"(trammel: 1
functions: {push: 10*t}
bodies: {m: {type: point_mass, mass: 1}}
loads: {f: {type: force, on: m, force: [2*push, 0, 0]}}
)" + dynamic,
       {"case.yaml:4:41: error: load 'f' (force): column 3 of '2*push': 'push' is an entry of 'functions'"}},
      {"unknown_marker_of_a_body",
       beam(good_section).replace(beam(good_section).find("bar.start"), 9, "bar.tip"),
       {"joint 'clamp' (fixed): marker 'bar.tip' not found. Markers of 'bar': bar.end, bar.start, "
        "bar.at(s)"}},
  };
  return list;
}

INSTANTIATE_TEST_SUITE_P(Damaged, BadInput, ::testing::ValuesIn(damaged_inputs()),
                         [](const auto& tested) { return tested.param.name; });

TEST(DamagedInput, is_reported_in_one_short_line) {
  for (const Bad& bad : damaged_inputs()) {
    const Workplace workplace;
    workplace.write("case.yaml", bad.text);
    const Outcome outcome = workplace.shell("trammel check case.yaml");
    EXPECT_EQ(outcome.status, 1) << bad.name;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << bad.name << outcome.err;
    EXPECT_LE(outcome.err.size(), 400U) << bad.name << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(workplace / "out"));
  }
}

TEST(DamagedInput, gives_messages_without_control_characters) {
  const Workplace workplace;
  const Outcome outcome = workplace.run("trammel: 1\nbodies: {m: {type: \"\\e[31m\\x00\\a\"}}\n" + dynamic);
  expect_one_message(outcome, {"unknown body type '\\x1b[31m\\x00\\x07'"});
}

TEST(DamagedInput, does_not_wait_for_a_pipe) {
  const Workplace workplace;
  for (const char* line : {"mkfifo pipe; timeout 20 '" TRAMMEL_COMMAND "' check pipe",
                           "timeout 20 '" TRAMMEL_COMMAND "' check /dev/zero",
                           "echo 'trammel: 1' | timeout 20 '" TRAMMEL_COMMAND "' check /dev/stdin"})
    expect_one_message(workplace.shell(line), {"it is no regular file"});
  workplace.write("case.yaml", pendulum("mass: 1, " + inertia));
  EXPECT_EQ(workplace.shell("trammel check /dev/stdin < case.yaml").status, 0);
}

TEST(Settings, are_given_as_the_help_shows) {
  const Workplace workplace;
  workplace.write("case.yaml",
                  pendulum("mass: a, inertia: [b, b, c]", "between: [ground, rod], axis: [0, 0, 1]",
                           "parameters: {a: 0, b: 0, c: 0}\n"));
  EXPECT_THAT(workplace.shell("trammel run --help").out, HasSubstr("--set NAME=VALUE ..."));
  const auto status = [&](const std::string& words) {
    return workplace.shell("trammel run -q -o out " + words).status;
  };
  EXPECT_EQ(status("case.yaml --set a=1 b=2 'c=sqrt(b) + 1'"), 0);
  EXPECT_EQ(status("--set a=1 b=2 --set c=b case.yaml"), 0);
  EXPECT_EQ(status("case.yaml --set a=1 b=2"), 1);
  EXPECT_EQ(
      workplace.shell("trammel verify --no-motion --states 6 --set 'axis=[0, 0, 1]' friction=1 revolute")
          .status,
      0);
  expect_one_message(
      workplace.shell("trammel run case.yaml --set a=1 b=2 'c=[1]'"),
      {"trammel: error: --set: parameter 'c': column 1 of '[1]': found '[', expected a value"});
  expect_one_message(workplace.shell("trammel run case.yaml --set aa=1"),
                     {"--set: the case has no parameter 'aa'. Parameters here: a, b, c"});
}

INSTANTIATE_TEST_SUITE_P(Case, BadInput, ::testing::ValuesIn(bad_inputs()),
                         [](const auto& tested) { return tested.param.name; });

const std::string good = pendulum("mass: 1, " + inertia);

TEST(BadOutput, gives_a_message_if_the_folder_cannot_be_made) {
  const Workplace workplace;
  workplace.write("case.yaml", good);
  // A file stands where the folder should; that stops the superuser as well.
  expect_one_message(workplace.shell("trammel run case.yaml -o case.yaml/out"), {"case.yaml/out"});
}

TEST(BadOutput, gives_a_message_if_there_is_no_space) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(faulty + R"(bodies:
  x: {type: full_disk, bytes: 8000}
  m: {type: point_mass, mass: 1}
)" + "sensors: {s: {type: motion, of: m}}\nstages: [{type: dynamic, until: 1, step: 0.001}]\n");
  expect_one_message(outcome, {"out/s.csv", "File too large"});
}

TEST(BadUsage, has_an_exit_status_of_its_own) {
  const Workplace workplace;
  for (const char* line :
       {"trammel", "trammel rum case.yaml", "trammel run", "trammel run case.yaml --sett a=1",
        "trammel run case.yaml --set a", "trammel list -snes_monitor"}) {
    const Outcome outcome = workplace.shell(line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, StartsWith("trammel: error: ")) << line;
  }
}

TEST(BadUsage, names_a_missing_case) {
  const Workplace workplace;
  const Outcome outcome = workplace.shell("trammel run nowhere.yaml");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "trammel: error: cannot read 'nowhere.yaml': No such file or directory\n");
}

TEST(BadUsage, names_an_unknown_type_to_describe) {
  const Workplace workplace;
  const Outcome outcome = workplace.shell("trammel describe revolut");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("unknown type 'revolut'; did you mean 'revolute'?"));
}

TEST(BadRank, gives_one_message_for_all_errors) {
  const Workplace workplace;
  expect_one_message(workplace.run_on(2, pendulum("mass: -1, " + inertia)), {"must be positive"});
}

TEST(BadRank, that_fails_in_its_evaluation_ends_all_ranks) {
  const Workplace workplace;
  expect_one_message(
      workplace.run_on(2, faulty + "bodies:\n  x.(i): {for: {i: 1..4}, type: bomb, at: 0.02*i}\n" + dynamic),
      {"the fuse has burnt down"});
}

TEST(BadRank, that_fails_while_the_others_wait_ends_all_ranks) {
  const Workplace workplace;
  const Outcome outcome = workplace.run_on(2, faulty + R"(bodies:
  x: {type: throws, rank: 1}
  y: {type: bomb, at: 1}
)" + dynamic);
  expect_one_message(outcome, {"plugin 'faulty' threw an exception: it broke", "on rank 1"});
}

TEST(FailedRun, keeps_the_last_good_state) {
  const Workplace workplace;
  const Outcome outcome = workplace.run("trammel: 1\nplugins: [" TRAMMEL_TEST_PLUGIN_DIR
                                        R"(/faulty_plugin.so]
bodies:
  x: {type: bomb, at: 0.055}
  m: {type: point_mass, mass: 1, velocity: [1, 0, 0]}
sensors: {s: {type: motion, of: m}}
)" + dynamic + "output: {csv: {every: 100}}\n");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(workplace.read("out/s.csv"), HasSubstr("\n0.05"));
}

}  // namespace
}  // namespace trammel
