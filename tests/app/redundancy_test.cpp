#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "command.hpp"
#include "histories.hpp"

namespace trammel::testing {
namespace {

using ::testing::HasSubstr;

/// A planar four-bar of rigid bars in space: a parallelogram with three equations too many. `order`: its joints.
std::string four_bar(const std::vector<int>& order, const std::string& stage) {
  static const std::vector<std::string> joints{
      "  A: {type: revolute, between: [ground, crank.foot], axis: [0, 0, 1]}\n",
      "  B: {type: revolute, between: [crank.top, coupler.start], axis: [0, 0, 1]}\n",
      "  C: {type: revolute, between: [coupler.end, rocker.top], axis: [0, 0, 1]}\n",
      "  D: {type: revolute, between: [rocker.foot, ground], axis: [0, 0, 1]}\n"};
  std::string text = R"(trammel: 1
bodies:
  crank: {type: rigid_body, mass: 1, inertia: [0.1, 0.01, 0.1], position: [0.3, 0.5, 0], angular_velocity: [0, 0, -2],
          velocity: [1, -0.6, 0], markers: {foot: {at: [-0.3, -0.5, 0]}, top: {at: [0.3, 0.5, 0]}}}
  coupler: {type: rigid_body, mass: 2, inertia: [0.01, 0.2, 0.2], position: [1.35, 1, 0], velocity: [2, -1.2, 0],
            markers: {start: {at: [-0.75, 0, 0]}, end: {at: [0.75, 0, 0]}}}
  rocker: {type: rigid_body, mass: 1, inertia: [0.1, 0.01, 0.1], position: [1.8, 0.5, 0], angular_velocity: [0, 0, -2],
           velocity: [1, -0.6, 0], markers: {foot: {at: [-0.3, -0.5, 0]}, top: {at: [0.3, 0.5, 0]}}}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  aside: {type: force, on: coupler, force: [0, 0, 5]}
sensors:
  A: {type: reaction, of: A}
  B: {type: reaction, of: B}
  C: {type: reaction, of: C}
  D: {type: reaction, of: D}
  coupler: {type: motion, of: coupler}
joints:
)";
  for (const int i : order) text += joints[static_cast<std::size_t>(i)];
  return text + "stages:\n  - {" + stage + "}\n";
}

// Ends before the bars come into one line, where in-plane forces are not well determined.
const std::string moving = "type: dynamic, until: 0.22, step: 0.004, newton: {tolerance: 1e-12}";

void expect_same(const Workplace& one, const Workplace& other, double part) {
  for (const std::string sensor : {"A", "B", "C", "D", "coupler"}) {
    const Table a = table_of(one.read("out/" + sensor + ".csv")),
                b = table_of(other.read("out/" + sensor + ".csv"));
    ASSERT_GT(a.rows.size(), 50U);
    for (const std::string what : {"force_world", "moment_world", "position"}) {
      const Difference d = difference(a, b, what);
      EXPECT_LE(d.largest, part * (d.range + 1)) << what << " of " << sensor << ", largest " << d.range;
    }
  }
}

TEST(Redundancy, gives_reactions_that_do_not_depend_on_the_order_of_joints) {
  for (const std::string form : {"", ", form: index2"}) {
    const Workplace first, second;
    const Outcome one = first.run(four_bar({0, 1, 2, 3}, moving + form));
    const Outcome two = second.run(four_bar({3, 0, 2, 1}, moving + form));
    ASSERT_EQ(one.status, 0) << one.err;
    ASSERT_EQ(two.status, 0) << two.err;
    EXPECT_THAT(one.out, HasSubstr("redundant constraints: joint 'D' has 3 redundant equations, which follow "
                                   "from those of 'A', 'B', 'C'"));
    expect_same(first, second, 1e-8);
    // Across its plane nothing moves: both feet together carry what acts there.
    const auto across = [&](const char* joint) {
      const Table t = table_of(first.read(std::string("out/") + joint + ".csv"));
      const auto z =
          static_cast<std::size_t>(std::ranges::find(t.names, "force_world.z [N]") - t.names.begin());
      return z < t.names.size() ? t.rows.back()[z] : std::numeric_limits<double>::quiet_NaN();
    };
    EXPECT_NEAR(across("A") - across("D"), -5, 1e-8);
    EXPECT_LT(across("A"), -1);
    EXPECT_GT(across("D"), 1);
  }
}

TEST(Redundancy, is_the_same_on_two_ranks) {
  const Workplace first, second;
  ASSERT_EQ(first.run(four_bar({0, 1, 2, 3}, moving)).status, 0);
  const Outcome two = second.run_on(2, four_bar({0, 1, 2, 3}, moving));
  ASSERT_EQ(two.status, 0) << two.err;
  expect_same(first, second, 1e-8);
}

/// Copies of the four-bar above on one body, and with it in one group: 6 x 20 equations, and 6 that hold the body.
const char* const six_four_bars = R"(trammel: 1
bodies:
  base: {type: rigid_body, mass: 1, inertia: [1, 1, 1], markers: {right: {at: [1.5, 0, 0]}}}
  crank.(k): {for: {k: 1..6}, type: rigid_body, mass: 1, inertia: [0.1, 0.01, 0.1], position: [0.3, 0.5, 0],
              angular_velocity: [0, 0, -2], velocity: [1, -0.6, 0],
              markers: {foot: {at: [-0.3, -0.5, 0]}, top: {at: [0.3, 0.5, 0]}}}
  coupler.(k): {for: {k: 1..6}, type: rigid_body, mass: 2, inertia: [0.01, 0.2, 0.2], position: [1.35, 1, 0],
                velocity: [2, -1.2, 0], markers: {start: {at: [-0.75, 0, 0]}, end: {at: [0.75, 0, 0]}}}
  rocker.(k): {for: {k: 1..6}, type: rigid_body, mass: 1, inertia: [0.1, 0.01, 0.1], position: [1.8, 0.5, 0],
               angular_velocity: [0, 0, -2], velocity: [1, -0.6, 0],
               markers: {foot: {at: [-0.3, -0.5, 0]}, top: {at: [0.3, 0.5, 0]}}}
joints:
  held: {type: fixed, between: [ground, base]}
  A.(k): {for: {k: 1..6}, type: revolute, between: [base, crank.(k).foot], axis: [0, 0, 1]}
  B.(k): {for: {k: 1..6}, type: revolute, between: [crank.(k).top, coupler.(k).start], axis: [0, 0, 1]}
  C.(k): {for: {k: 1..6}, type: revolute, between: [coupler.(k).end, rocker.(k).top], axis: [0, 0, 1]}
  D.(k): {for: {k: 1..6}, type: revolute, between: [rocker.(k).foot, base.right], axis: [0, 0, 1]}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  aside.(k): {for: {k: 1..6}, type: force, on: coupler.(k), force: [0, 0, 5]}
sensors:
  A: {type: reaction, of: A.4}
  B: {type: reaction, of: B.4}
  C: {type: reaction, of: C.4}
  D: {type: reaction, of: D.4}
  coupler: {type: motion, of: coupler.4}
stages:
  - {)";

TEST(Redundancy, gives_the_reactions_of_a_small_group_in_a_large_one) {
  const Workplace alone, first, second;
  ASSERT_EQ(alone.run(four_bar({0, 1, 2, 3}, moving)).status, 0);
  const std::string six = six_four_bars + moving + "}\n";
  const Outcome one = first.run(six), two = second.run_on(2, six);
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(two.status, 0) << two.err;
  expect_same(alone, first, 1e-8);
  expect_same(alone, second, 1e-8);
}

// Seven groups, which ranks divide among themselves.
TEST(Redundancy, of_several_groups_is_the_same_on_any_number_of_ranks) {
  const Workplace place;
  for (const int ranks : {1, 2, 3}) {
    const Outcome run =
        place.shell(command_on(ranks) + " run '" TRAMMEL_SOURCE_DIR "/bench/four_bars.yaml' -o on_" +
                    std::to_string(ranks) + " --set m=7 --set tolerance=1e-12");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("joint 'D.7' has 3 redundant equations"));
    for (const std::string sensor : {"across", "last"}) {
      const Table one = table_of(place.read("on_1/" + sensor + ".csv")),
                  many = table_of(place.read("on_" + std::to_string(ranks) + "/" + sensor + ".csv"));
      for (const std::string what : {"force_world", "moment_world", "position", "velocity"}) {
        const Difference d = difference(one, many, what);
        EXPECT_LE(d.largest, 1e-9 * (d.range + 1)) << what << " of " << sensor << " on " << ranks << " ranks";
      }
    }
  }
}

/// Copies of Bricard's mechanism on one body: 4 x 30 equations in one group, and 6 that hold the body.
const char* const four_bricards = R"(trammel: 1
bodies:
  base: {type: rigid_body, mass: 1, inertia: [1, 1, 1], markers: {top: {at: [0, 0, 1]}}}
  bar1.(k): {for: {k: 1..4}, type: rigid_body, mass: 1, inertia: [0.02/12, 1.01/12, 1.01/12], position: [0.5, 0, 0],
             markers: {start: {at: [-0.5, 0, 0]}, end: {at: [0.5, 0, 0]}}}
  bar2.(k): {for: {k: 1..4}, type: rigid_body, mass: 1, inertia: [1.01/12, 0.02/12, 1.01/12], position: [1, -0.5, 0],
             markers: {start: {at: [0, 0.5, 0]}, end: {at: [0, -0.5, 0]}}}
  bar3.(k): {for: {k: 1..4}, type: rigid_body, mass: 1, inertia: [1.01/12, 1.01/12, 0.02/12], position: [1, -1, 0.5],
             markers: {start: {at: [0, 0, -0.5]}, end: {at: [0, 0, 0.5]}}}
  bar4.(k): {for: {k: 1..4}, type: rigid_body, mass: 1, inertia: [0.02/12, 1.01/12, 1.01/12], position: [0.5, -1, 1],
             markers: {start: {at: [0.5, 0, 0]}, end: {at: [-0.5, 0, 0]}}}
  bar5.(k): {for: {k: 1..4}, type: rigid_body, mass: 1, inertia: [1.01/12, 0.02/12, 1.01/12], position: [0, -0.5, 1],
             markers: {start: {at: [0, -0.5, 0]}, end: {at: [0, 0.5, 0]}}}
joints:
  held: {type: fixed, between: [ground, base]}
  P1.(k): {for: {k: 1..4}, type: revolute, axis: [0, 1, 0], between: [base, bar1.(k).start]}
  P2.(k): {for: {k: 1..4}, type: revolute, axis: [0, 0, 1], between: [bar1.(k).end, bar2.(k).start]}
  P3.(k): {for: {k: 1..4}, type: revolute, axis: [1, 0, 0], between: [bar2.(k).end, bar3.(k).start]}
  P4.(k): {for: {k: 1..4}, type: revolute, axis: [0, 1, 0], between: [bar3.(k).end, bar4.(k).start]}
  P5.(k): {for: {k: 1..4}, type: revolute, axis: [0, 0, 1], between: [bar4.(k).end, bar5.(k).start]}
  P6.(k): {for: {k: 1..4}, type: revolute, axis: [1, 0, 0], between: [bar5.(k).end, base.top]}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
sensors:
  P3_motion: {type: motion, of: bar2.3.end}
stages:
  - {type: dynamic, until: 1.3, step: 0.001, radius: 0.9, newton: {tolerance: 1e-13}}
)";

// At t = 1.2485 the row that is removed at the start must be exchanged for another.
TEST(Redundancy, removes_other_rows_of_a_large_group_where_the_motion_asks_for_it) {
  const Workplace alone, together;
  const Outcome one =
      alone.shell("trammel run '" TRAMMEL_SOURCE_DIR "/cases/bricard/case.yaml' -o out --set until=1.3");
  const Outcome four = together.run(four_bricards);
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(four.status, 0) << four.err;
  EXPECT_THAT(four.out, Not(HasSubstr("close to a singular configuration")));
  const Difference d = difference(table_of(alone.read("out/P3_motion.csv")),
                                  table_of(together.read("out/P3_motion.csv")), "acceleration");
  EXPECT_GT(d.range, 1);
  EXPECT_LT(d.largest, 1e-9 * d.range);
}

// One freedom, with 120 equations too many: theta'' = -g ((N + 1)/2 + N) cos(theta) / ((N + 1)/3 + N) for N windows of bars of 1 m and 1 kg.
TEST(Redundancy, of_many_windows_leaves_their_motion) {
  constexpr int windows = 40;
  const Workplace place;
  const Outcome run = place.shell("trammel run '" TRAMMEL_SOURCE_DIR
                                  "/cases/n_four_bar/case.yaml' -o out --set N=40 --set until=0.5");
  ASSERT_EQ(run.status, 0) << run.err;
  const Table crank = table_of(place.read("out/B0.csv"));
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(crank.names, name) - crank.names.begin());
  };
  const std::size_t x = column("position.x [m]"), alpha = column("angular_acceleration_body.z [rad/s^2]");
  ASSERT_LT(std::max(x, alpha), crank.names.size());
  const double ratio = ((windows + 1) / 2.0 + windows) / ((windows + 1) / 3.0 + windows);
  double moved = 0;
  for (const std::vector<double>& row : crank.rows) {
    EXPECT_NEAR(row[alpha], -9.81 * ratio * row[x], 1e-4) << "at t = " << row[0];  // h^2 times 100 rad/s^4
    moved = std::max(moved, row[x]);
  }
  EXPECT_GT(moved, 0.5);
  const Outcome check =
      place.shell("trammel check '" TRAMMEL_SOURCE_DIR "/cases/n_four_bar/case.yaml' --set N=40");
  EXPECT_THAT(check.out, ::testing::ContainsRegex("redundant equations +120\n"));
  EXPECT_THAT(check.out, HasSubstr("20 others have 60 redundant equations"));
  EXPECT_THAT(check.out, ::testing::ContainsRegex("degrees of freedom +1 "));
}

TEST(Redundancy, is_treated_in_statics) {
  const Workplace place;
  std::string text = four_bar({0, 1, 2, 3}, "type: static, until: 1");
  text.insert(text.find("stages:"), "  E: {type: fixed, between: [ground, crank], share: no}\n");
  const Outcome outcome = place.run(text);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("redundant constraints"));
}

/// Bars of a parallelogram that lie on one line after a quarter of a turn at 2 rad/s. Its joints share no equation, so that not every
/// step is looked at far from there.
TEST(Redundancy, reports_a_singular_configuration) {
  const Outcome run = Workplace().run(R"(trammel: 1
bodies:
  crank:
    {type: rigid_body, mass: 1, inertia: [1/12, 0.001, 1/12], position: [0, 0.5, 0], velocity: [1, 0, 0],
     angular_velocity: [0, 0, -2], markers: {foot: {at: [0, -0.5, 0]}, top: {at: [0, 0.5, 0]}}}
  coupler:
    {type: rigid_body, mass: 1, inertia: [0.001, 1/12, 1/12], position: [0.5, 1, 0], velocity: [2, 0, 0],
     markers: {start: {at: [-0.5, 0, 0]}, end: {at: [0.5, 0, 0]}}}
  rocker:
    {type: rigid_body, mass: 1, inertia: [1/12, 0.001, 1/12], position: [1, 0.5, 0], velocity: [1, 0, 0],
     angular_velocity: [0, 0, -2], markers: {foot: {at: [0, -0.5, 0]}, top: {at: [0, 0.5, 0]}}}
joints:
  A: {type: revolute, axis: [0, 0, 1], between: [ground, crank.foot]}
  B: {type: revolute, axis: [0, 0, 1], between: [crank.top, coupler.start]}
  C: {type: spherical, between: [coupler.end, rocker.top]}
  D: {type: universal, between: [ground, rocker.foot], bars: [[0, 0, 1], [1, 0, 0]]}
stages: [{type: dynamic, until: 1, step: 0.001}]
)");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("redundant")));
  EXPECT_THAT(run.out, HasSubstr("close to a singular configuration at t = 0.785: the least pivot of the "
                                 "loops' constraints is 0.00015"));
}

TEST(Redundancy, stops_the_run_if_the_case_says_so) {
  const Workplace place;
  const Outcome outcome = place.run(four_bar({0, 1, 2, 3}, moving + ", redundant: stop"));
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("redundant constraints: joint 'D' has 3 redundant equations"));
}

/// A block 10 m from the origin, held by two redundant joints, under a moment and a force.
std::string twice_held(const std::string& joints, const std::string& moment) {
  return R"(trammel: 1
curves:
  track: {type: line, from: [9, 0, 0], to: [11, 0, 0]}
bodies:
  block: {type: rigid_body, mass: 2, inertia: [1, 1, 1], position: [10, 0, 0]}
joints:
)" + joints +
         R"(loads:
  twist: {type: moment, on: block, moment: )" +
         moment + R"(}
sensors:
  one: {type: reaction, of: one}
  two: {type: reaction, of: two}
stages:
  - {type: dynamic, until: 0.02, step: 0.01}
)";
}

struct TwiceHeld {
  const char* name;
  const char* joints;
  std::array<double, 3> moment;  ///< held by both
};

class EqualParts : public ::testing::TestWithParam<TwiceHeld> {};

// One joint has its moments in a block of their own, the other in one block with its forces: that must not count.
TEST_P(EqualParts, are_taken_by_two_joints_that_share_a_moment) {
  const Workplace place;
  const auto& [name, joints, moment] = GetParam();
  const Outcome outcome =
      place.run(twice_held(joints, fmt::format("[{}, {}, {}]", moment[0], moment[1], moment[2])));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("redundant constraints"));
  for (const char* sensor : {"one", "two"}) {
    const Table history = table_of(place.read(std::string("out/") + sensor + ".csv"));
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(at(history, 0.02, std::string("moment_world.") + "xyz"[k]), -0.5 * moment[k], 1e-9)
          << sensor;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Redundancy, EqualParts,
    ::testing::Values(
        TwiceHeld{"fixed_and_prescribed",
                  "  one: {type: fixed, share: no, between: [{on: ground, at: [10, 0, 0]}, block]}\n"
                  "  two: {type: prescribed_frame, between: [{on: ground, at: [10, 0, 0]}, block]}\n",
                  {6, 8, 10}},
        TwiceHeld{
            "perpendicular_and_universal",
            "  one: {type: perpendicular_axes, between: [ground, block], axis: [0, 1, 0], axis_B: [0, 0, "
            "1]}\n"
            "  two: {type: universal, between: [{on: ground, at: [10, 0, 0]}, block], bars: [[0, 1, 0], [0, "
            "0, 1]]}\n",
            {6, 0, 0}},
        TwiceHeld{
            "prismatic_and_curve",
            "  one: {type: prismatic, between: [{on: ground, at: [10, 0, 0]}, block], axis: [1, 0, 0]}\n"
            "  two: {type: curve_sliding, between: [track, block], orientation: locked}\n",
            {6, 8, 10}}),
    [](const auto& tested) { return tested.param.name; });

// A joint of these loops is evaluated on another rank than the one that owns its multipliers.
TEST(Redundancy, is_the_same_in_check_on_any_number_of_ranks) {
  for (const std::string name : {"bricard", "sarrus", "cardan"}) {
    std::string alone;
    for (const int ranks : {1, 2, 4}) {
      const Outcome outcome = Workplace().shell(
          testing::command_on(ranks) + " check '" TRAMMEL_SOURCE_DIR "/cases/" + name + "/case.yaml'");
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      const std::size_t begin = outcome.out.find("constraint equations");
      const std::string found = outcome.out.substr(begin, outcome.out.find("partition") - begin);
      if (ranks == 1)
        alone = found;
      else
        EXPECT_EQ(found, alone) << name << " on " << ranks << " ranks";
    }
    EXPECT_THAT(alone, HasSubstr("redundant equations"));
  }
}

TEST(Redundancy, is_counted_in_the_degrees_of_freedom_by_check) {
  const Workplace place;
  place.write("case.yaml", four_bar({0, 1, 2, 3}, moving));
  const Outcome outcome = place.shell("trammel check case.yaml");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("redundant equations +3\n"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("degrees of freedom +1 "));
}

}  // namespace
}  // namespace trammel::testing
