#include "solvers/ranks/rank_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "trammel/index.hpp"

namespace trammel {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// What must hold of each tree: an unknown that some rank sees is eliminated once, by a group with all ranks that see it and none whose parts
/// would do; fronts hold what their parts have left.
void expect_tree(int unknowns, const std::vector<std::vector<int>>& seen,
                 const std::vector<RankGroup>& tree) {
  std::vector<std::set<int>> ranks(tree.size());
  std::vector<int> eliminated(at(unknowns), 0);
  for (std::size_t g = 0; g < tree.size(); ++g) {
    const RankGroup& group = tree[g];
    if (g < seen.size()) ranks[g].insert(static_cast<int>(g));
    for (const int part : group.parts)
      if (part >= 0) {
        ASSERT_LT(at(part), g);
        EXPECT_EQ(at(tree[at(part)].whole), g);
        ranks[g].insert(ranks[at(part)].begin(), ranks[at(part)].end());
        for (const int unknown : tree[at(part)].border)
          EXPECT_EQ(std::ranges::count(group.eliminated, unknown) + std::ranges::count(group.border, unknown),
                    1);
      }
    for (const int unknown : group.eliminated) {
      ++eliminated[at(unknown)];
      for (std::size_t r = 0; r < seen.size(); ++r) {
        if (!std::ranges::binary_search(seen[r], unknown)) continue;
        EXPECT_TRUE(ranks[g].contains(static_cast<int>(r)));
      }
    }
    EXPECT_EQ(group.border.empty(), group.whole < 0);
  }
  for (int u = 0; u < unknowns; ++u) {
    const bool is_seen =
        std::ranges::any_of(seen, [&](const auto& its) { return std::ranges::binary_search(its, u); });
    EXPECT_EQ(eliminated[at(u)], is_seen ? 1 : 0) << u;
  }
}

TEST(RankTree, joins_a_row_of_ranks_in_pairs) {
  // Rank r sees the unknowns 3 r to 3 r + 5, of which it shares three with each neighbour.
  std::vector<std::vector<int>> seen(8);
  for (int r = 0; r < 8; ++r)
    for (int k = 0; k < 6; ++k) seen[at(r)].push_back(3 * r + k);
  const std::vector<RankGroup> tree = rank_tree(27, seen);
  expect_tree(27, seen, tree);
  EXPECT_EQ(tree.size(), 15u);  // pairs, fours, all
  EXPECT_THAT(tree[8].parts, ElementsAre(0, 1));
  EXPECT_THAT(tree[8].eliminated, ElementsAre(3, 4, 5));
  EXPECT_THAT(tree[8].border, ElementsAre(6, 7, 8));
  EXPECT_THAT(tree[0].eliminated, ElementsAre(0, 1, 2));  // those that no other rank sees
}

TEST(RankTree, joins_a_grid_of_ranks_in_squares) {
  // 4 x 4 ranks; between neighbours an edge of five unknowns.
  std::vector<std::vector<int>> seen(16);
  int unknowns = 0;
  const auto edge = [&](int a, int b) {
    for (int k = 0; k < 5; ++k, ++unknowns) {
      seen[at(a)].push_back(unknowns);
      seen[at(b)].push_back(unknowns);
    }
  };
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      if (j < 3) edge(4 * i + j, 4 * i + j + 1);
      if (i < 3) edge(4 * i + j, 4 * i + j + 4);
    }
  const std::vector<RankGroup> tree = rank_tree(unknowns, seen);
  expect_tree(unknowns, seen, tree);
  EXPECT_EQ(tree.size(), 31u);
  EXPECT_EQ(tree.back().eliminated.size(), 20u);  // the edge in the middle
  EXPECT_THAT(tree.back().border, IsEmpty());
}

double operations(const std::vector<RankGroup>& tree) {
  double sum = 0;
  for (const RankGroup& group : tree) sum += group.operations();
  return sum;
}

// A strip of 2 x 8 ranks, where those that share most lie along it: joined by that first, groups are long and have long borders.
TEST(RankTree, joins_halves_by_number_where_that_takes_fewer_operations) {
  const int columns = 8;
  std::vector<std::vector<int>> seen(at(2 * columns));
  int unknowns = 0;
  const auto edge = [&](int a, int b, int count) {
    for (int k = 0; k < count; ++k, ++unknowns) {
      seen[at(a)].push_back(unknowns);
      seen[at(b)].push_back(unknowns);
    }
  };
  const auto place = [](int i, int j) { return 2 * i + j; };
  for (int i = 0; i < columns; ++i) {
    edge(place(i, 0), place(i, 1), 5);
    for (int j = 0; j < 2 && i + 1 < columns; ++j) edge(place(i, j), place(i + 1, j), 6);
  }
  const std::vector<RankGroup> tree = rank_tree(unknowns, seen);
  expect_tree(unknowns, seen, tree);
  std::vector<std::vector<int>> renumbered(seen.size());
  for (std::size_t r = 0; r < seen.size(); ++r) renumbered[(5 * r + 3) % seen.size()] = seen[r];
  EXPECT_LT(operations(tree), 0.9 * operations(rank_tree(unknowns, renumbered)));
}

TEST(RankTree, leaves_ranks_alone_that_share_nothing) {
  const std::vector<std::vector<int>> seen{{0, 1}, {}, {2, 3}, {3}};
  const std::vector<RankGroup> tree = rank_tree(5, seen);
  expect_tree(5, seen, tree);
  ASSERT_EQ(tree.size(), 5u);
  EXPECT_EQ(tree[0].whole, -1);
  EXPECT_EQ(tree[1].whole, -1);
  EXPECT_THAT(tree[4].parts, ElementsAre(2, 3));
  EXPECT_THAT(tree[4].eliminated, ElementsAre(3));
}

TEST(RankTree, holds_for_ranks_that_see_unknowns_at_random) {
  std::srand(4);
  for (int k = 0; k < 20; ++k) {
    const int ranks = 1 + k, unknowns = 40;
    std::vector<std::vector<int>> seen(at(ranks));
    for (auto& its : seen)
      for (int u = 0; u < unknowns; ++u)
        if (std::rand() % 5 == 0) its.push_back(u);
    expect_tree(unknowns, seen, rank_tree(unknowns, seen));
  }
}

}  // namespace
}  // namespace trammel
