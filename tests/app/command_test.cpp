// The command from end to end.

#include <cmath>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Workplace;

/// A rod on a hinge, released from the horizontal.
const std::string pendulum = R"yaml(trammel: 1
title: Physical pendulum
parameters: {g: 9.81}
bodies:
  rod: {type: rigid_body, mass: 2, inertia: [0.01, 1/6, 1/6], position: [0.5, 0, 0]}
joints:
  pin: {type: revolute, between: [ground, {on: rod, at: [-0.5, 0, 0]}], axis: [0, 0, 1]}
loads:
  weight: {type: gravity, acceleration: [0, -g, 0]}
sensors:
  rod: {type: motion, of: rod}
stages:
  - {type: dynamic, until: 0.2, step: 0.002}
output: {vtk: {every: 20}}
)yaml";

/// The last line of a CSV file.
std::vector<double> last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string line, last;
  while (std::getline(lines, line))
    if (!line.empty()) last = line;
  std::vector<double> numbers;
  std::istringstream cells(last);
  for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
  return numbers;
}

TEST(Command, prints_help_and_version) {
  const Workplace workplace;
  for (const char* line : {"trammel --help", "trammel run --help", "trammel check --help",
                           "trammel list --help", "trammel describe --help"}) {
    const Outcome outcome = workplace.shell(line);
    EXPECT_EQ(outcome.status, 0) << line;
    EXPECT_THAT(outcome.out, HasSubstr("Example:")) << line;
    EXPECT_EQ(outcome.err, "") << line;
  }
  EXPECT_THAT(workplace.shell("trammel --version").out, HasSubstr("trammel 0."));
}

TEST(Command, lists_and_describes_types) {
  const Workplace workplace;
  const Outcome list = workplace.shell("trammel list");
  EXPECT_EQ(list.status, 0) << list.err;
  for (const char* name : {"rigid_body", "beam", "revolute", "gravity", "lower_pairs", ".so"})
    EXPECT_THAT(list.out, HasSubstr(name));
  const Outcome page = workplace.shell("trammel describe rigid_body");
  EXPECT_EQ(page.status, 0) << page.err;
  for (const char* part : {"mass", "kg", "required", "> 0", "[0, 0, 0]"})
    EXPECT_THAT(page.out, HasSubstr(part));
  EXPECT_THAT(workplace.shell("trammel describe dynamic").out, HasSubstr("radius"));
  EXPECT_THAT(workplace.shell("trammel describe output").out, HasSubstr("vtk"));
}

TEST(Command, checks_a_case) {
  const Workplace workplace;
  workplace.write("case.yaml", pendulum);
  const Outcome outcome = workplace.shell("trammel check case.yaml");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"Physical pendulum", "1 rigid_body", "1 revolute", "unknowns", "partition", "no errors found"})
    EXPECT_THAT(outcome.out, HasSubstr(part));
}

TEST(Command, runs_a_case) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(pendulum);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* part :
       {"stage 1: dynamic", "summary", "Newton iterations", "energy", "wall time", "results in out"})
    EXPECT_THAT(outcome.out, HasSubstr(part));
  EXPECT_THAT(workplace.read("out/run.log"), HasSubstr("summary"));
  const std::vector<double> last = last_line(workplace.read("out/rod.csv"));
  ASSERT_GE(last.size(), 3U);
  EXPECT_NEAR(last[0], 0.2, 1e-12);
  // The fall begins with 3/4 g / l: phi = -3/4 g t^2 for small times (l = 1).
  EXPECT_NEAR(std::atan2(last[2], last[1]), -0.75 * 9.81 * 0.04, 0.01);
}

// Residuals are evaluated within solutions, too, and solutions on several ranks begin within residuals.
TEST(Command, counts_no_time_twice) {
  const Workplace place;
  for (const int ranks : {1, 2}) {
    const Outcome run =
        place.shell(testing::command_on(ranks) + " run '" TRAMMEL_SOURCE_DIR
                                                 "/bench/sliders.yaml' --set N=50 --set n=200 -o out");
    ASSERT_EQ(run.status, 0) << run.err;
    const std::regex rest(", rest (\\S+) s;");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(run.out, found, rest)) << run.out;
    EXPECT_GE(std::stod(found[1]), 0) << ranks << " ranks";
  }
}

TEST(Command, prints_nothing_in_quiet_runs) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(pendulum, "--quiet");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
}

TEST(Command, replaces_parameters) {
  const Workplace workplace;
  ASSERT_EQ(workplace.run(pendulum, "-q --set g=0").status, 0);
  EXPECT_NEAR(last_line(workplace.read("out/rod.csv"))[2], 0, 1e-12);
}

TEST(Command, passes_options_to_petsc) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(pendulum, "-snes_monitor");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("SNES Function norm"));
  const Outcome behind = workplace.run(pendulum, "-q -- -snes_monitor");
  EXPECT_THAT(behind.out, HasSubstr("SNES Function norm"));
  const Outcome typo = workplace.run(pendulum, "-q -snes_monitr");
  EXPECT_EQ(typo.status, 0);
  EXPECT_THAT(typo.err, HasSubstr("warning: nothing reads the option -snes_monitr"));
}

TEST(Command, refuses_solvers_that_petsc_does_not_have) {
  const Workplace workplace;
  const auto refused = [&](const std::string& options) {
    const Outcome outcome = workplace.run(pendulum, "-q " + options);
    EXPECT_EQ(outcome.status, 1) << options;
    return outcome.err;
  };
  EXPECT_EQ(
      refused("-pc_factor_mat_solver_type mump"),
      "trammel: error: option -pc_factor_mat_solver_type: PETSc knows no 'mump'; did you mean 'mumps'?\n");
  EXPECT_THAT(refused("-start_pc_type sparse"),
              HasSubstr("option -start_pc_type: PETSc knows no 'sparse'; it has "));
  EXPECT_THAT(refused("-ksp_type gmre"),
              HasSubstr("option -ksp_type: PETSc knows no 'gmre'; did you mean 'gmres'?"));
  EXPECT_THAT(refused("-snes_type newton"), HasSubstr("did you mean 'newtonls'?"));
  EXPECT_THAT(refused("-snes_linesearch_type bad"), HasSubstr("it has "));
  EXPECT_EQ(workplace.run(pendulum, "-q -pc_type substructuring").status, 0);
  EXPECT_EQ(workplace.run(pendulum, "-q -pc_factor_mat_solver_type superlu").status, 0);
}

TEST(Command, runs_on_two_ranks) {
  const Workplace workplace;
  std::string text = pendulum;
  text.replace(text.find("until: 0.2"), 10, "until: 0.02");
  ASSERT_EQ(workplace.run(text, "-q").status, 0);
  const std::vector<double> one = last_line(workplace.read("out/rod.csv"));
  const Outcome outcome = workplace.run_on(2, text);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<double> two = last_line(workplace.read("out/rod.csv"));
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], two[i], 1e-7 * (1 + std::abs(one[i])));
}

TEST(Command, assembles_joints_that_do_not_meet) {
  const Workplace workplace;
  std::string text = pendulum;
  text.replace(text.find("[-0.5, 0, 0]"), 12, "[-0.45, 0, 0]");
  text.replace(text.find("axis: [0, 0, 1]"), 15, "axis: [0, 0, 1], position: [0, 0, 0], assemble: true");
  text.replace(text.find("  - {type: dynamic"), 18, "  - {type: assemble}\n  - {type: dynamic");
  const Outcome outcome = workplace.run(text);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

}  // namespace
}  // namespace trammel
