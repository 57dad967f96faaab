#include "solvers/linear/vertex_cover.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace trammel::testing {
namespace {

using ::testing::ElementsAre;
using Edges = std::vector<std::pair<PetscInt, PetscInt>>;

constexpr std::size_t many = 100;

TEST(VertexCover, is_the_side_with_fewer_vertices) {
  const std::vector<PetscInt> first_of{0, 10, 20};
  const Edges star{{3, 11}, {3, 12}, {3, 13}, {15, 7}, {15, 8}};
  const auto cover = vertex_cover(star, first_of, {}, many);
  ASSERT_TRUE(cover);
  EXPECT_THAT(*cover, ElementsAre(3, 15));
  EXPECT_FALSE(vertex_cover(star, first_of, {}, 1));
}

TEST(VertexCover, is_in_each_connected_part_the_preferred_side_where_both_are_as_large) {
  const std::vector<PetscInt> first_of{0, 10, 20};
  // Two squares, and an edge.
  const Edges edges{{0, 10}, {0, 11}, {1, 10}, {1, 11}, {12, 2}, {13, 2}, {12, 3}, {13, 3}, {4, 14}};
  const auto with = [&](const std::vector<PetscInt>& preferred) {
    return vertex_cover(edges, first_of, preferred, many).value();
  };
  EXPECT_EQ(with({}).size(), 5U);
  EXPECT_THAT(with({2, 3, 10, 11, 14}), ElementsAre(2, 3, 10, 11, 14));
  EXPECT_THAT(with({0, 1, 12, 14}), ElementsAre(0, 1, 12, 13, 14));
  EXPECT_THAT(with({4, 11, 12}), ElementsAre(4, 10, 11, 12, 13));
}

TEST(VertexCover, is_no_larger_for_a_preferred_vertex) {
  const std::vector<PetscInt> first_of{0, 10, 20};
  EXPECT_THAT(vertex_cover(Edges{{0, 10}, {0, 11}}, first_of, std::vector<PetscInt>{10, 11}, many).value(),
              ElementsAre(0));
}

}  // namespace
}  // namespace trammel::testing
