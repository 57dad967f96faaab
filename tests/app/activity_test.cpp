// Joints that are released: at a time, or where what they transmit reaches a limit.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::Outcome;
using testing::Table;
using testing::Workplace;

/// A block of 2 kg welded to the ground and pulled by 100 N/s, and a pendulum that is released at t = 0.35.
std::string pulled_block(const std::string& active, const std::string& more = "") {
  return R"(trammel: 1
bodies:
  block: {type: rigid_body, mass: 2, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}
  bob: {type: rigid_body, mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, -1], velocity: [2, 0, 0], angular_velocity: [0, -2, 0]}
joints:
  weld: {type: fixed, between: [{on: ground, at: [1, 0, 0]}, block], active: )" +
         active + R"(}
  pivot: {type: revolute, axis: [0, 1, 0], between: [{on: ground, at: [0, 0, 0]}, {on: bob, at: [0, 0, 1]}], active: {until: 0.35}})" +
         more + R"(
loads:
  pull: {type: force, on: block, force: [100*t, 0, 0]}
sensors:
  block: {type: motion, of: block}
  weld: {type: outputs, of: weld}
  bob: {type: motion, of: bob}
  pivot: {type: outputs, of: pivot, channels: [active, force_world]}
stages:
  - {type: dynamic, until: 0.5, step: 0.01}
)";
}

TEST(Activity, ends_at_the_limit_of_the_force) {
  const Workplace here;
  const Outcome run = here.run(pulled_block("{force: 20}"));
  ASSERT_EQ(run.status, 0) << run.err;
  const Table weld = testing::table_of(here.read("out/weld.csv")),
              block = testing::table_of(here.read("out/block.csv"));
  EXPECT_NEAR(at(weld, 0.19, "force_world.x"), -19, 1e-6);
  EXPECT_EQ(at(weld, 0.19, "active"), 1);
  EXPECT_EQ(at(weld, 0.2, "active"), 0);
  EXPECT_NEAR(at(weld, 0.21, "force_world.x"), 0, 1e-12);
  // 2 x'' = 100 t from t = 0.2 on.
  EXPECT_NEAR(at(block, 0.2, "velocity.x"), 0, 1e-9);
  EXPECT_NEAR(at(block, 0.21, "acceleration.x"), 50 * 0.21, 1e-6);
  EXPECT_NEAR(at(block, 0.5, "velocity.x"), 25 * (0.25 - 0.04), 1e-4);
}

TEST(Activity, continues_below_the_limit_of_the_force) {
  const Workplace here;
  const Outcome run = here.run(pulled_block("{force: 60, moment: 1}"));
  ASSERT_EQ(run.status, 0) << run.err;
  const Table weld = testing::table_of(here.read("out/weld.csv"));
  EXPECT_EQ(at(weld, 0.5, "active"), 1);
  EXPECT_NEAR(at(weld, 0.5, "force_world.x"), -50, 1e-6);
}

TEST(Activity, that_ends_at_a_time_leaves_free_flight) {
  const Workplace here;
  const Outcome run = here.run(pulled_block("{until: 0}"));
  ASSERT_EQ(run.status, 0) << run.err;
  const Table bob = testing::table_of(here.read("out/bob.csv")),
              pivot = testing::table_of(here.read("out/pivot.csv"));
  EXPECT_EQ(at(pivot, 0.34, "active"), 1);
  EXPECT_EQ(at(pivot, 0.35, "active"), 0);
  EXPECT_EQ(at(pivot, 0.5, "force_world.z"), 0);
  // On the circle before, straight on afterwards.
  const double angle = 2 * 0.35, vx = 2 * std::cos(angle), vz = 2 * std::sin(angle);
  EXPECT_NEAR(at(bob, 0.36, "acceleration.x"), 0, 1e-8);
  EXPECT_NEAR(at(bob, 0.5, "velocity.x"), vx, 1e-4);
  EXPECT_NEAR(at(bob, 0.5, "velocity.z"), vz, 1e-4);
  EXPECT_NEAR(at(bob, 0.5, "position.x"), std::sin(angle) + 0.15 * vx, 1e-4);
  EXPECT_NEAR(at(bob, 0.5, "position.z"), -std::cos(angle) + 0.15 * vz, 1e-4);
  // A joint that is released at the start is free from there on.
  const Table weld = testing::table_of(here.read("out/weld.csv")),
              block = testing::table_of(here.read("out/block.csv"));
  EXPECT_EQ(at(weld, 0.01, "active"), 0);
  EXPECT_NEAR(at(weld, 0.02, "force_world.x"), 0, 1e-12);
  EXPECT_NEAR(at(block, 0.5, "velocity.x"), 25 * 0.25, 1e-4);
}

TEST(Activity, that_ends_inside_a_step_has_an_error_of_second_order) {
  std::array<double, 2> error{};
  for (const int k : {0, 1}) {
    const Workplace here;
    const double time = 0.35 + 0.01 / 3, angle = 2 * time;
    std::string text = pulled_block("{force: 20}");
    const auto put = [&](const std::string& from, const std::string& to) {
      text.replace(text.find(from), from.size(), to);
    };
    put("{until: 0.35}", "{until: 0.35 + 0.01/3}");
    if (k == 1) put("step: 0.01", "step: 0.0025");
    const Outcome run = here.run(text);
    ASSERT_EQ(run.status, 0) << run.err;
    const Table bob = testing::table_of(here.read("out/bob.csv"));
    error[static_cast<std::size_t>(k)] =
        std::abs(at(bob, 0.5, "position.x") - std::sin(angle) - (0.5 - time) * 2 * std::cos(angle));
  }
  EXPECT_LT(error[0], 1e-4);
  EXPECT_NEAR(error[0] / error[1], 16, 2);
}

TEST(Activity, ends_for_a_joint_that_starts_at_a_given_angle_and_rate) {
  const Workplace here;
  std::string text = pulled_block("{force: 20}");
  const std::string let_go = "active: {until: 0.35}";
  text.replace(text.find(let_go), let_go.size(),
               let_go + ", initial: {angle: -0.5}, initial_rate: {angle: -4}");
  const Outcome run = here.run(text);
  ASSERT_EQ(run.status, 0) << run.err;
  const Table bob = testing::table_of(here.read("out/bob.csv"));
  EXPECT_NEAR(at(bob, 0, "position.x"), std::sin(0.5), 1e-11);
  EXPECT_NEAR(at(bob, 0, "velocity.x"), 4 * std::cos(0.5), 1e-11);
  // On the circle until it is released, then straight on: the angle at t = 0.35 is 1.9.
  EXPECT_NEAR(at(bob, 0.5, "velocity.x"), 4 * std::cos(1.9), 2e-3);
  EXPECT_NEAR(at(bob, 0.5, "velocity.z"), 4 * std::sin(1.9), 2e-3);
}

TEST(Activity, is_the_same_on_two_ranks) {
  const Workplace one, two;
  ASSERT_EQ(one.run(pulled_block("{force: 20}")).status, 0);
  const Outcome run = two.run_on(2, pulled_block("{force: 20}"));
  ASSERT_EQ(run.status, 0) << run.err;
  const Table a = testing::table_of(one.read("out/block.csv")),
              b = testing::table_of(two.read("out/block.csv"));
  EXPECT_NEAR(at(a, 0.5, "position.x"), at(b, 0.5, "position.x"), 1e-9);
}

TEST(Activity, refuses_impossible_input) {
  const Workplace here;
  const auto message = [&](const std::string& active, const std::string& more = "") {
    const Outcome run = here.run(pulled_block(active, more));
    EXPECT_NE(run.status, 0);
    return run.err;
  };
  EXPECT_NE(message("{}").find("names none of 'until', 'force', 'moment'"), std::string::npos);
  EXPECT_NE(message("{force: -3}").find("force"), std::string::npos);
  EXPECT_NE(message("{forse: 3}").find("'force'"), std::string::npos);
  EXPECT_NE(message("{force: 20}", "\n  cog: {type: coupling, terms: {pivot.angle: 1, weld.angle: 1}}")
                .find("may become inactive"),
            std::string::npos);
  // A joint whose reaction is not the whole force that it transmits.
  const char* const rail =
      R"(
  rail: {type: curve_sliding, between: [line, bob], ends: stop, end_stiffness: 1e4, active: {force: 10}}
curves:
  line: {type: line, from: [0, 0, -1], to: [1, 0, -1]})";
  EXPECT_NE(message("{force: 20}", rail).find("it can become inactive at a time, by `active: {until: ...}`"),
            std::string::npos)
      << message("{force: 20}", rail);
}

/// The rows of a history at one time.
std::vector<std::vector<double>> rows_at(const Table& t, double time) {
  std::vector<std::vector<double>> rows;
  for (const std::vector<double>& row : t.rows)
    if (std::abs(row[0] - time) < 1e-9) rows.push_back(row);
  return rows;
}

std::size_t column(const Table& t, const std::string& name) {
  for (std::size_t i = 0; i < t.names.size(); ++i)
    if (t.names[i].rfind(name, 0) == 0) return i;
  return t.names.size();
}

TEST(Histories, have_a_row_before_and_one_after_each_event) {
  const Workplace here;
  // The weld is released within a step, the pivot at the end of one; neither at a time that is recorded in any case.
  const Outcome run = here.run(pulled_block("{force: 20.4}") + "output: {csv: {every: 25}}\n");
  ASSERT_EQ(run.status, 0) << run.err;
  const Table weld = testing::table_of(here.read("out/weld.csv")),
              block = testing::table_of(here.read("out/block.csv")),
              pivot = testing::table_of(here.read("out/pivot.csv"));
  const auto before_and_after = [](const Table& t, double time, const std::string& name) {
    const auto rows = rows_at(t, time);
    const std::size_t c = column(t, name);
    return rows.size() == 2 ? std::pair{rows[0][c], rows[1][c]} : std::pair{HUGE_VAL, HUGE_VAL};
  };
  const double breaks = 0.204;
  EXPECT_EQ(before_and_after(weld, breaks, "active"), (std::pair{1.0, 0.0}));
  EXPECT_NEAR(before_and_after(weld, breaks, "force_world.x").first, -20.4, 1e-6);
  EXPECT_NEAR(before_and_after(weld, breaks, "force_world.x").second, 0, 1e-12);
  EXPECT_NEAR(before_and_after(block, breaks, "acceleration.x").first, 0, 1e-9);
  EXPECT_NEAR(before_and_after(block, breaks, "acceleration.x").second, 10.2, 1e-6);
  EXPECT_EQ(before_and_after(pivot, 0.35, "active"), (std::pair{1.0, 0.0}));
  EXPECT_GT(before_and_after(pivot, 0.35, "force_world.z").first, 2);
  EXPECT_EQ(before_and_after(pivot, 0.35, "force_world.z").second, 0);
  // The start, t = 0.25 and the end, and two rows at each of the two events.
  EXPECT_EQ(weld.rows.size(), 7u);
}

TEST(Histories, have_both_velocities_at_an_impulse) {
  const Workplace here;
  const Outcome run = here.run(R"(trammel: 1
bodies:
  rod: {type: rigid_body, mass: 2, inertia: [0.01, 1/6, 1/6], position: [0.5, -0.1, 0], velocity: [0, 1, 0]}
joints:
  latch: {type: generic, constrained: [1, 1, 1, 0, 0, 0], active: t - 0.1, close: exact, between: [{on: ground, at: [0, 0, 0]}, {on: rod, at: [-0.5, 0, 0]}]}
sensors:
  rod: {type: motion, of: rod}
stages:
  - {type: dynamic, until: 0.2, step: 0.01}
output: {csv: {every: 1000}}
)");
  ASSERT_EQ(run.status, 0) << run.err;
  const Table rod = testing::table_of(here.read("out/rod.csv"));
  const auto rows = rows_at(rod, 0.1);
  ASSERT_EQ(rows.size(), 2u);
  const std::size_t v = column(rod, "velocity.y"), w = column(rod, "angular_velocity.z");
  EXPECT_NEAR(rows[0][v], 1, 1e-9);
  EXPECT_NEAR(rows[0][w], 0, 1e-9);
  // Held at its end, the rod keeps its angular momentum about it: m v l/2 = (J + m l^2/4) w.
  EXPECT_NEAR(rows[1][w], 1.0 / (1.0 / 6 + 0.5), 1e-9);
  EXPECT_NEAR(rows[1][v], 0.5 * rows[1][w], 1e-9);
}

}  // namespace
}  // namespace trammel
