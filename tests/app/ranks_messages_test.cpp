// An error ends a run with the same message on any number of ranks, printed once, without messages of other
// programs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "command.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Workplace;

struct Ending {
  const char* name;
  std::string text;     ///< of the case
  std::string message;  ///< a part of it
  int status = 1;       ///< 4: no convergence

  friend void PrintTo(const Ending& ending, std::ostream* out) { *out << ending.name; }
};

const std::string faulty = "trammel: 1\nplugins: [" TRAMMEL_TEST_PLUGIN_DIR "/faulty_plugin.so]\n";
const std::string dynamic = "stages: [{type: dynamic, until: 0.1, step: 0.01}]\n";

/// Two pendulums, a free body and what else there is.
std::string pendulums(const std::string& more, const std::string& stages) {
  return R"(trammel: 1
bodies:
  first: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.2], position: [0.5, 0, 0]}
  second: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.2], position: [1.5, 0, 0]}
  third: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.2], position: [2.5, 0, 0]}
joints:
  pin: {type: revolute, between: [ground, {on: first, at: [-0.5, 0, 0]}], axis: [0, 0, 1]}
  knee: {type: revolute, between: [{on: first, at: [0.5, 0, 0]}, {on: second, at: [-0.5, 0, 0]}], axis: [0, 0, 1]}
)" + more +
         stages;
}

const std::vector<Ending>& endings() {
  static const std::vector<Ending> list{
      {"unknown_parameter",
       pendulums("  hinge: {type: revolute, between: [first, third], axs: [0, 0, 1]}\n", dynamic),
       "case.yaml:9:52: error: joint 'hinge' (revolute): unknown key 'axs'; did you mean 'axis'?"},
      {"plugin_that_throws",
       faulty + "bodies:\n  x.(i): {for: {i: 1..6}, type: bomb, at: 0.055 - 0.01*i}\n" + dynamic,
       "body 'x.6' (type 'bomb' of plugin 'faulty') failed on rank # at t = 0: the fuse has burnt down"},
      {"step_that_cannot_converge", faulty + R"(bodies:
  x.(i): {for: {i: 1..5}, type: bomb, at: 9}
  bad: {type: no_root}
)" + "stages: [{type: static, max_cuts: 3}]\n",
       "no convergence at t = ", 4},
      {"loose_bodies_in_statics", faulty + R"(bodies:
  b.(i): {for: {i: 1..6}, type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [i, 0, 0]}
loads: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}
stages: [{type: static, max_cuts: 2}]
)",
       "the system is singular: no stiffness or mass in 'b.1.position' (1, 2, 3), 'b.1.rotation' (1, 2, 3), "
       "'b.2.position' (1, 2, 3), 'b.2.rotation' (1, 2, 3);",
       4},
      // All of them are as open: the first one is named, whichever rank has it.
      {"joints_that_cannot_be_assembled",
       R"yaml(trammel: 1
bodies:
  b.(i): {for: {i: 1..6}, type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [i, 0, 0]}
joints:
  top.(i): {for: {i: 1..6}, type: spherical, between: [{on: ground, at: [i, 0, 1]}, {on: "b.(i)", at: [0, 0, 0.5]}],
            assemble: yes}
  end.(i): {for: {i: 1..6}, type: spherical, between: [{on: ground, at: [i, 0, -1]}, {on: "b.(i)", at: [0, 0, -0.5]}],
            assemble: yes}
stages: [{type: assemble}]
)yaml",
       "case.yaml:7:3: error: the model cannot be assembled: after 50 iterations joint 'end.1' (spherical) "
       "is"},
  };
  return list;
}

class OnAnyRanks : public ::testing::TestWithParam<Ending> {};

/// The rank that a message names is all that may differ.
std::string without_rank(const std::string& text) {
  return std::regex_replace(text, std::regex("on rank [0-9]+"), "on rank #");
}

TEST_P(OnAnyRanks, gives_the_same_single_message) {
  const Workplace alone;
  const Outcome one = alone.run(GetParam().text);
  const std::string message = without_rank(one.err);
  EXPECT_EQ(one.status, GetParam().status) << one.out << one.err;
  EXPECT_THAT(message, HasSubstr("error: "));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_EQ(std::ranges::count(message, '\n'), 1) << message;
  for (const int ranks : {2, 4}) {
    const Workplace together;
    const Outcome many = together.run_on(ranks, GetParam().text);
    EXPECT_EQ(many.status, GetParam().status) << many.out << many.err;
    EXPECT_EQ(without_rank(many.err), message) << "on " << ranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Messages, OnAnyRanks, ::testing::ValuesIn(endings()),
                         [](const auto& tested) { return tested.param.name; });

TEST(NoteOnAnyRanks, names_unknowns_without_mass_of_all_ranks) {
  const std::string text = faulty + "bodies:\n  x.(i): {for: {i: 1..6}, type: no_root}\n" + dynamic;
  for (const int ranks : {1, 2, 4}) {
    const Workplace workplace;
    EXPECT_THAT(workplace.run_on(ranks, text).out,
                HasSubstr("start: no mass and no constraint in 'x.1.x', 'x.2.x', 'x.3.x', 'x.4.x', 'x.5.x', "
                          "'x.6.x'; accelerations"))
        << ranks;
  }
}

}  // namespace
}  // namespace trammel
