#include "solvers/ranks/rank_tree.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "trammel/index.hpp"

namespace trammel {

namespace {

/// Of the border of a group: unknown, and how many ranks of the group see it.
using Shared = std::vector<std::pair<int, int>>;

struct Pair {
  int first = 0, second = 0;          ///< groups
  int eliminates = 0, in_common = 0;  ///< unknowns
};

/// All pairs of groups with unknowns in common, the best first.
std::vector<Pair> pairs_of(const std::vector<int>& groups, const std::vector<Shared>& shared,
                           const std::vector<int>& ranks_of) {
  std::vector<std::vector<std::pair<int, int>>> seen_by(ranks_of.size());
  for (const int g : groups)
    for (const auto& [unknown, ranks] : shared[at(g)]) seen_by[at(unknown)].emplace_back(g, ranks);
  std::map<std::pair<int, int>, Pair> found;
  for (std::size_t u = 0; u < seen_by.size(); ++u)
    for (std::size_t i = 0; i < seen_by[u].size(); ++i)
      for (std::size_t j = i + 1; j < seen_by[u].size(); ++j) {
        const auto& [first, its_ranks] = seen_by[u][i];
        const auto& [second, other_ranks] = seen_by[u][j];
        Pair& pair = found[{first, second}];
        pair.first = first;
        pair.second = second;
        ++pair.in_common;
        if (its_ranks + other_ranks == ranks_of[u]) ++pair.eliminates;
      }
  std::vector<Pair> pairs;
  for (const auto& [key, pair] : found) pairs.push_back(pair);
  std::ranges::stable_sort(pairs, [](const Pair& a, const Pair& b) {
    return std::tie(a.eliminates, a.in_common) > std::tie(b.eliminates, b.in_common);
  });
  return pairs;
}

/// What the borders of two groups have, ascending; an unknown of both once.
Shared join(const Shared& a, const Shared& b) {
  Shared both;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      both.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      both.push_back(*j++);
    } else {
      both.emplace_back(i->first, i->second + j->second);
      ++i, ++j;
    }
  }
  return both;
}

}  // namespace

std::vector<RankGroup> rank_tree(int unknowns, const std::vector<std::vector<int>>& seen) {
  std::vector<int> ranks_of(at(unknowns), 0);
  for (const std::vector<int>& its : seen)
    for (const int unknown : its) ++ranks_of[at(unknown)];

  std::vector<RankGroup> tree;
  std::vector<Shared> shared;  // by group
  const auto add = [&](RankGroup group, const Shared& all) {
    Shared border;
    for (const auto& [unknown, ranks] : all)
      if (ranks == ranks_of[at(unknown)]) {
        group.eliminated.push_back(unknown);
      } else {
        group.border.push_back(unknown);
        border.emplace_back(unknown, ranks);
      }
    tree.push_back(std::move(group));
    shared.push_back(std::move(border));
  };
  std::vector<int> open;  // groups with a border that are not joined yet
  for (std::size_t r = 0; r < seen.size(); ++r) {
    Shared all;
    for (const int unknown : seen[r]) all.emplace_back(unknown, 1);
    add({}, all);
    if (!shared.back().empty()) open.push_back(static_cast<int>(r));
  }
  while (!open.empty()) {
    std::vector<int> next;
    for (const Pair& pair : pairs_of(open, shared, ranks_of)) {
      RankGroup &a = tree[at(pair.first)], &b = tree[at(pair.second)];
      if (a.whole >= 0 || b.whole >= 0) continue;
      a.whole = b.whole = static_cast<int>(tree.size());
      RankGroup group;
      group.parts = {pair.first, pair.second};
      add(std::move(group), join(shared[at(pair.first)], shared[at(pair.second)]));
      if (!shared.back().empty()) next.push_back(static_cast<int>(tree.size()) - 1);
    }
    for (const int g : open)
      if (tree[at(g)].whole < 0) next.push_back(g);
    std::ranges::sort(next);
    open = std::move(next);
  }
  return tree;
}

}  // namespace trammel
