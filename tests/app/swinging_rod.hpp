#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "command.hpp"
#include "histories.hpp"

namespace trammel::testing {

/// A rod on a hinge. `until` and `mass` are parameters; frames for ParaView come at every 30th step.
inline const std::string swinging_rod = R"yaml(trammel: 1
parameters: {until: 0.2, mass: 2}
bodies:
  rod: {type: rigid_body, mass: mass, inertia: [0.01, 1/6, 1/6], position: [0.5, 0, 0]}
joints:
  pin: {type: revolute, between: [ground, {on: rod, at: [-0.5, 0, 0]}], axis: [0, 0, 1]}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
sensors:
  rod: {type: motion, of: rod}
stages:
  - {type: dynamic, until: until, step: 0.001}
output: {vtk: {every: 30}}
)yaml";

/// The text with one part replaced by another.
inline std::string with(std::string text, const std::string& part, const std::string& other) {
  return text.replace(text.find(part), part.size(), other);
}

/// The same for hours, with hardly a frame.
inline std::string long_swing() {
  return with(with(swinging_rod, "until: 0.2", "until: 1e4"), "every: 30", "every: 1000000");
}

/// Starts a command that writes out/rod.csv in the background, as $run, and waits until that has so many lines.
inline std::string started(const std::string& command, int lines = 10) {
  return "env --default-signal=INT " + command + " >console 2>message &\nrun=$!\n" +
         "for i in $(seq 900); do [ \"$(wc -l 2>/dev/null <out/rod.csv || echo 0)\" -ge " +
         std::to_string(lines) + " ] && break; sleep 0.1; done\n";
}

/// A run with two checkpoints, the last at its end.
inline void run_with_two_checkpoints(const Workplace& place) {
  place.write("case.yaml", swinging_rod);
  const Outcome outcome = place.shell("trammel run case.yaml -q -o out --checkpoint-every 130 && ls out");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_THAT(outcome.out, ::testing::AllOf(::testing::HasSubstr("checkpoint_0001.h5"),
                                            ::testing::HasSubstr("checkpoint_0002.h5")));
}

/// What of two folders of results differs, but for the log, run.json and checkpoints; nothing where they are equal.
inline std::string difference_of_folders(const Workplace& place, const std::string& a, const std::string& b) {
  return place.shell("diff -rq " + a + " " + b + " -x run.log -x run.json -x 'checkpoint_*'").out;
}

/// Rows of a history lie one step apart, and none is there twice.
inline void expect_no_gap(const Table& table, double step) {
  for (std::size_t i = 1; i < table.rows.size(); ++i)
    ASSERT_NEAR(table.rows[i][0] - table.rows[i - 1][0], step, 1e-9) << "row " << i;
}

/// Seconds after which a run of case.yaml is well under way, however loaded the machine is at present.
inline int seconds_of_a_start(const Workplace& place) {
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = place.shell("trammel run case.yaml -q -o start --set until=0.02");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  constexpr double margin = 6;
  return 2 + static_cast<int>(margin * took.count());
}

}  // namespace trammel::testing
