#include "solvers/linear/elimination_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "solvers/linear/branches_in_turns.hpp"
#include "solvers/linear/elimination_tree.hpp"
#include "solvers/linear/thin_cut.hpp"

namespace trammel {
namespace {

/// A matrix by compressed columns with a symmetric structure.
struct Structure {
  std::vector<int> starts{0}, columns;

  int size() const { return static_cast<int>(starts.size()) - 1; }
  void add(std::set<int> column) {
    columns.insert(columns.end(), column.begin(), column.end());
    starts.push_back(static_cast<int>(columns.size()));
  }
  EliminationTree tree(const std::vector<int>& order) const {
    return {size(), starts.data(), columns.data(), order};
  }
  std::vector<int> cut() const { return thin_cut(size(), starts.data(), columns.data()); }
  EliminationOrder order() const { return elimination_order(size(), starts.data(), columns.data(), {}); }
};

/// `width` unknowns at each of `length` places, all coupled to those of the same and of the next places; `closed`: a ring.
Structure band(int length, int width, bool closed = false) {
  Structure made;
  for (int i = 0; i < length * width; ++i) {
    std::set<int> column;
    for (int place = i / width - 1; place <= i / width + 1; ++place) {
      const int other = closed ? (place + length) % length : place;
      if (other < 0 || other >= length) continue;
      for (int k = 0; k < width; ++k) column.insert(other * width + k);
    }
    made.add(column);
  }
  return made;
}

/// The second after the first, not coupled to it.
Structure beside(Structure first, const Structure& second) {
  const int n = first.size();
  for (int j = 0; j < second.size(); ++j) {
    std::set<int> column;
    for (int p = second.starts[static_cast<std::size_t>(j)];
         p < second.starts[static_cast<std::size_t>(j) + 1]; ++p)
      column.insert(n + second.columns[static_cast<std::size_t>(p)]);
    first.add(column);
  }
  return first;
}

std::vector<int> natural(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

int sum(const std::vector<int>& all) { return std::accumulate(all.begin(), all.end(), 0); }

/// Unknowns whose elimination changes the next one.
double waiting(const EliminationTree& tree) {
  int found = 0;
  for (int k = 0; k + 1 < tree.size(); ++k)
    found += tree.parent[static_cast<std::size_t>(k)] == k + 1 ? 1 : 0;
  return static_cast<double>(found) / tree.size();
}

void expect_permutation(std::vector<int> order, int n) {
  std::ranges::sort(order);
  EXPECT_EQ(order, natural(n));
}

TEST(EliminationTree, is_a_path_where_each_unknown_is_coupled_to_the_next) {
  const EliminationTree tree = band(4, 1).tree({0, 1, 2, 3});
  EXPECT_EQ(tree.parent, (std::vector<int>{1, 2, 3, -1}));
  EXPECT_EQ(tree.below, (std::vector<int>{1, 1, 1, 0}));
}

TEST(EliminationTree, forks_where_both_ends_come_first) {
  const EliminationTree tree = band(5, 1).tree({0, 4, 1, 3, 2});
  EXPECT_EQ(tree.parent, (std::vector<int>{2, 3, 4, 4, -1}));
  EXPECT_EQ(tree.below, (std::vector<int>{1, 1, 1, 1, 0}));
}

TEST(EliminationTree, counts_what_fills_in) {
  const EliminationTree tree = band(5, 1).tree({2, 0, 4, 1, 3});
  EXPECT_EQ(tree.below, (std::vector<int>{2, 1, 1, 1, 0}));
}

TEST(ThinCut, divides_a_band_in_the_middle) {
  const Structure chain = band(200, 3);
  const std::vector<int> cut = chain.cut();
  ASSERT_EQ(cut.size(), 3U);
  const auto [first, last] = std::ranges::minmax(cut);
  EXPECT_EQ(first % 3, 0);
  EXPECT_EQ(last - first, 2);
  EXPECT_GE(first / 3, 75);
  EXPECT_LE(first / 3, 125);
}

TEST(ThinCut, divides_the_part_with_most_unknowns) {
  const std::vector<int> cut = beside(band(20, 1), band(300, 2)).cut();
  ASSERT_EQ(cut.size(), 2U);
  EXPECT_GE(cut[0], 20 + 2 * 120);
  EXPECT_EQ(band(200, 2, true).cut().size(), 4U);  // a ring is cut twice
}

TEST(ThinCut, leaves_parts_of_about_one_size) {
  EXPECT_TRUE(beside(band(200, 2), band(300, 1)).cut().empty());
}

TEST(ThinCut, leaves_what_is_short_or_wide) {
  EXPECT_TRUE(band(10, 2).cut().empty());
  EXPECT_TRUE(band(1000, 13).cut().empty());
  EXPECT_TRUE(Structure().cut().empty());
}

TEST(BranchesInTurns, keep_the_elimination) {
  const Structure chains = beside(beside(band(100, 2), band(40, 3)), band(60, 1));
  const EliminationTree tree = chains.tree(natural(chains.size()));
  const std::vector<int> turns = branches_in_turns(tree);
  expect_permutation(turns, chains.size());
  std::vector<int> place(turns.size());
  for (int k = 0; k < chains.size(); ++k)
    place[static_cast<std::size_t>(turns[static_cast<std::size_t>(k)])] = k;
  for (std::size_t k = 0; k < place.size(); ++k) {
    const int parent = tree.parent[k];
    if (parent < 0) continue;
    EXPECT_LT(place[k], place[static_cast<std::size_t>(parent)]);
  }
  EXPECT_EQ(sum(chains.tree(turns).below), sum(tree.below));
  EXPECT_GT(waiting(tree), 0.9);
  EXPECT_LT(waiting(chains.tree(turns)), 0.3);
}

TEST(BranchesInTurns, leave_a_single_path) {
  const Structure chain = band(50, 1);
  EXPECT_EQ(branches_in_turns(chain.tree(natural(50))), natural(50));
}

TEST(BranchesInTurns, leave_long_columns) {
  const Structure wide = beside(band(20, 30), band(20, 30));
  EXPECT_EQ(branches_in_turns(wide.tree(natural(wide.size()))), natural(wide.size()));
}

TEST(BranchesInTurns, divide_below_the_middle_of_a_chain) {
  const Structure chain = band(101, 1);
  std::vector<int> order = natural(101);  // first half, second half, middle
  order.erase(order.begin() + 50);
  order.push_back(50);
  std::reverse(order.begin() + 50, order.begin() + 100);
  const EliminationTree tree = chain.tree(order);
  const std::vector<int> turns = branches_in_turns(tree);
  EXPECT_EQ(turns.back(), 100);
  std::vector<int> again;
  for (const int place : turns) again.push_back(order[static_cast<std::size_t>(place)]);
  EXPECT_GT(waiting(tree), 0.9);
  EXPECT_LT(waiting(chain.tree(again)), 0.1);
}

TEST(EliminationOrder, goes_on_at_several_places_of_a_chain) {
  const Structure chain = band(400, 3);
  const EliminationOrder order = chain.order();
  expect_permutation(order.unknowns, chain.size());
  EXPECT_LT(waiting(chain.tree(order.unknowns)), 0.25);
  const EliminationTree from_one_end = chain.tree(natural(chain.size()));
  EXPECT_LE(order.entries, 1.02 * (sum(from_one_end.below) + chain.size()));
}

TEST(EliminationOrder, knows_a_border_of_any_size) {
  for (const int n : {1, 2, 5, 200})
    for (const int size : {0, 1, 3}) {
      const Structure chain = band(n, 1);
      const std::vector<std::vector<int>> border(static_cast<std::size_t>(size), {0});
      expect_permutation(elimination_order(n, chain.starts.data(), chain.columns.data(), border).unknowns, n);
    }
}

}  // namespace
}  // namespace trammel
