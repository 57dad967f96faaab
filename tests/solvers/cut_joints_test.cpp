#include "solvers/linear/cut_joints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace trammel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Rows = std::vector<CutRow>;
using Cover = std::vector<PetscInt>;

// Unknowns of bodies are below 20 on this rank, and from 50 on elsewhere.

TEST(CutJoints, take_along_the_rest_of_their_rows) {
  // The second joint has its turn (14, 64) in all of its rows, the first has no row that meets all others.
  const Rows rows{
      {.row = 20, .own = {0, 1}, .other = {50, 51}}, {.row = 21, .own = {4, 5}, .other = {54}},
      {.row = 22, .own = {1, 4}, .other = {51, 54}}, {.row = 40, .own = {11, 14}, .other = {61, 64}},
      {.row = 41, .own = {14}, .other = {64}},       {.row = 42, .own = {12, 14}, .other = {62, 64}}};
  const auto rest = [&](const Cover& cover) { return rest_of_cut_joints(rows, cover); };
  EXPECT_THAT(rest({20}), ElementsAre(21, 22));
  EXPECT_THAT(rest({21, 41}), ElementsAre(20, 22, 40, 42));
  EXPECT_THAT(rest({20, 21, 22, 40, 41, 42}), IsEmpty());
  EXPECT_THAT(rest({0, 54, 64}), IsEmpty());
}

TEST(CutJoints, are_known_where_the_body_on_the_other_rank_is_cut_too) {
  const Rows rows{{.row = 20, .own = {4}, .other = {50, 54}}, {.row = 21, .own = {4}, .other = {54}}};
  EXPECT_THAT(rest_of_cut_joints(rows, Cover{20, 54}), ElementsAre(21));
}

TEST(CutJoints, of_one_body_are_cut_by_themselves) {
  const Rows elsewhere{{.row = 20, .own = {0}, .other = {50}},
                       {.row = 21, .own = {1}, .other = {50}},
                       {.row = 22, .own = {1}, .other = {50}}};
  EXPECT_THAT(rest_of_cut_joints(elsewhere, Cover{20}), IsEmpty());
  EXPECT_THAT(rest_of_cut_joints(elsewhere, Cover{21}), ElementsAre(22));
  const Rows here{{.row = 20, .own = {0}, .other = {50}}, {.row = 21, .own = {0}, .other = {60}}};
  EXPECT_THAT(rest_of_cut_joints(here, Cover{20}), IsEmpty());
}

// The body has unknowns 0 and 50.
TEST(CutJoints, of_one_body_on_both_ranks_are_cut_by_themselves) {
  const Rows rows{{.row = 20, .own = {0, 7}, .other = {50}},
                  {.row = 21, .own = {0, 8}, .other = {50}},
                  {.row = 22, .own = {0}, .other = {50, 60}}};
  EXPECT_THAT(rest_of_cut_joints(rows, Cover{0, 20, 50}), IsEmpty());
}

TEST(CutJoints, with_all_their_bodies_on_another_rank_are_known_by_those) {
  const Rows rows{{.row = 20, .own = {}, .other = {50, 53}},
                  {.row = 21, .own = {}, .other = {51, 53}},
                  {.row = 22, .own = {}, .other = {50, 60}},
                  {.row = 23, .own = {0}, .other = {53}}};
  EXPECT_THAT(rest_of_cut_joints(rows, Cover{20, 50}), ElementsAre(21));
  EXPECT_THAT(rest_of_cut_joints(rows, Cover{20, 50, 53}), IsEmpty());
}

}  // namespace
}  // namespace trammel::testing
