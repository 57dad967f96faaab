// A checkpoint that lies with the tests is read by every later program, or refused by its number.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::Outcome;
using testing::Table;
using testing::Workplace;

/// The rows of `late`, but for the first at the instant of the checkpoint, are the last ones of `whole`, to 1e-9 of each channel's range.
void expect_end_of(const Table& whole, const Table& late) {
  ASSERT_EQ(whole.names, late.names);
  ASSERT_GT(late.rows.size(), 50U);
  ASSERT_LT(late.rows.size(), whole.rows.size());
  const std::size_t before = whole.rows.size() - late.rows.size();
  for (std::size_t c = 0; c < whole.names.size(); ++c) {
    double low = HUGE_VAL, high = -HUGE_VAL, most = 0;
    for (const auto& row : whole.rows) {
      low = std::min(low, row[c]);
      high = std::max(high, row[c]);
    }
    for (std::size_t i = 1; i < late.rows.size(); ++i)
      most = std::max(most, std::abs(late.rows[i][c] - whole.rows[before + i][c]));
    EXPECT_LE(most, 1e-9 * std::max(high - low, 1e-3)) << whole.names[c];
  }
}

/// Bytes in a checkpoint do not describe themselves: a program whose state has another content, but the same numbers of format and
/// state, would read them wrongly. Where this test fails, raise `format` in io/files/checkpoint_file.cpp or `Snapshot::version`; a change
/// of the method that gives other numbers at the same content needs no new number. Then make the file anew in this folder:
///   trammel run kept_checkpoint/case.yaml -q -o /tmp/kept --checkpoint-every 3400
///   cp /tmp/kept/checkpoint_0001.h5 kept_checkpoint/checkpoint.h5
TEST(KeptCheckpoint, continues_as_when_it_was_written) {
  const Workplace place;
  const std::string folder = TRAMMEL_SOURCE_DIR "/tests/app/kept_checkpoint/";
  const std::string run = "trammel run '" + folder + "case.yaml' --checkpoint-every 3400 -o ";
  const Outcome outcome = place.shell(run + "whole -q && " + run + "late --restart '" + folder +
                                      "checkpoint.h5' --restart-anyway");
  ASSERT_EQ(outcome.status, 0) << outcome.err
                               << "the content of checkpoints changed: see the comment on this test";
  // Nothing begins at another state, whatever the version of the program.
  EXPECT_THAT(outcome.out,
              ::testing::Not(::testing::ContainsRegex("stage begins anew|initial value|dropped")));
  for (const std::string sensor : {"crank", "friction", "slide", "tip", "total"})
    expect_end_of(testing::table_of(place.read("whole/" + sensor + ".csv")),
                  testing::table_of(place.read("late/" + sensor + ".csv")));
}

}  // namespace
}  // namespace trammel
