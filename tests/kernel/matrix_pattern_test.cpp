#include "kernel/matrix_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "trammel/error.hpp"

namespace trammel {
namespace {

using ::testing::ElementsAre;

std::vector<PetscInt> slots_of(const MatrixPattern& pattern) {
  return {pattern.slots(), pattern.slots() + pattern.slot_count()};
}

TEST(MatrixPattern, sorts_the_columns_of_a_row_whatever_the_order_of_its_blocks) {
  MatrixPattern pattern;
  pattern.append(0, 2, 4, 2);
  pattern.append(0, 2, 0, 3);
  pattern.finish(6);
  for (const int row : {0, 1}) EXPECT_THAT(pattern.own_columns(row), ElementsAre(0, 1, 2, 4, 5));
  EXPECT_THAT(slots_of(pattern), ElementsAre(3, 8, 0, 5));
}

TEST(MatrixPattern, holds_an_entry_of_several_blocks_once) {
  MatrixPattern pattern;
  pattern.append(1, 1, 2, 2);
  pattern.append(1, 1, 2, 2);
  pattern.append(1, 1, 3, 1);  // within the others
  pattern.append(1, 1, 1, 2);  // beside and over them
  pattern.finish(4);
  EXPECT_THAT(pattern.own_columns(1), ElementsAre(1, 2, 3));
  EXPECT_THAT(slots_of(pattern), ElementsAre(1, 1, 2, 0));
}

TEST(MatrixPattern, has_rows_without_entries) {
  MatrixPattern pattern;
  pattern.append(2, 1, 7, 1);
  pattern.finish(8);
  EXPECT_EQ(pattern.size(), 1U);
  for (const int row : {0, 1, 3, 7}) EXPECT_THAT(pattern.own_columns(row), ElementsAre());
  EXPECT_THAT(pattern.own_columns(2), ElementsAre(7));
}

TEST(MatrixPattern, begins_anew_where_another_takes_its_place) {
  MatrixPattern pattern;
  pattern.append(0, 3, 0, 3);
  pattern.finish(3);
  pattern = {};
  pattern.append(0, 1, 1, 1);
  EXPECT_EQ(pattern.slot_count(), 1U);
  pattern.finish(2);
  EXPECT_THAT(pattern.own_columns(0), ElementsAre(1));
  EXPECT_THAT(slots_of(pattern), ElementsAre(0));
}

TEST(MatrixPattern, sets_the_entries_of_a_row_to_zero) {
  MatrixPattern pattern;
  pattern.append(0, 2, 0, 2);
  pattern.finish(2);
  std::vector<PetscScalar> entries{1, 2, 3, 4};
  pattern.clear(1, entries.data());
  EXPECT_THAT(entries, ElementsAre(1, 2, 0, 0));
}

TEST(MatrixPattern, refuses_more_entries_than_PETSc_can_count) {
  if (sizeof(PetscInt) > sizeof(int)) GTEST_SKIP() << "indices of 64 bits count more than a test can append";
  MatrixPattern pattern;
  constexpr int most = std::numeric_limits<int>::max();
  pattern.append(0, most, 0, 1);
  pattern.append(0, most, 0, 1);
  try {
    pattern.finish(1);
    FAIL() << "nothing was refused";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("more than 2147483647 entries"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("use more ranks"));
  }
}

}  // namespace
}  // namespace trammel
