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

/// A tree while it grows.
class GrowingTree {
 public:
  GrowingTree(int unknowns, const std::vector<std::vector<int>>& seen) : ranks_of_(at(unknowns), 0) {
    for (const std::vector<int>& its : seen)
      for (const int unknown : its) ++ranks_of_[at(unknown)];
    for (const std::vector<int>& its : seen) {
      Shared all;
      for (const int unknown : its) all.emplace_back(unknown, 1);
      add({}, all);
    }
  }

  bool has_border(int group) const { return !shared_[at(group)].empty(); }
  bool is_joined(int group) const { return tree_[at(group)].whole >= 0; }
  std::vector<Pair> pairs(const std::vector<int>& groups) const {
    return pairs_of(groups, shared_, ranks_of_);
  }
  /// Returns the new group.
  int join_groups(int first, int second) {
    const int whole = static_cast<int>(tree_.size());
    tree_[at(first)].whole = tree_[at(second)].whole = whole;
    RankGroup group;
    group.parts = {first, second};
    add(std::move(group), join(shared_[at(first)], shared_[at(second)]));
    return whole;
  }
  std::vector<RankGroup> take() { return std::move(tree_); }

 private:
  void add(RankGroup group, const Shared& all) {
    Shared border;
    for (const auto& [unknown, ranks] : all)
      if (ranks == ranks_of_[at(unknown)]) {
        group.eliminated.push_back(unknown);
      } else {
        group.border.push_back(unknown);
        border.emplace_back(unknown, ranks);
      }
    tree_.push_back(std::move(group));
    shared_.push_back(std::move(border));
  }

  std::vector<int> ranks_of_;  ///< by unknown, how many see it
  std::vector<RankGroup> tree_;
  std::vector<Shared> shared_;  ///< by group
};

/// Groups that share most are joined first; each joins at most one other before all have had a chance.
std::vector<RankGroup> joined_by_what_they_share(GrowingTree tree, int ranks) {
  std::vector<int> open;  // groups with a border that are not joined yet
  for (int r = 0; r < ranks; ++r)
    if (tree.has_border(r)) open.push_back(r);
  while (!open.empty()) {
    std::vector<int> next;
    for (const Pair& pair : tree.pairs(open)) {
      if (tree.is_joined(pair.first) || tree.is_joined(pair.second)) continue;
      const int whole = tree.join_groups(pair.first, pair.second);
      if (tree.has_border(whole)) next.push_back(whole);
    }
    for (const int g : open)
      if (!tree.is_joined(g)) next.push_back(g);
    std::ranges::sort(next);
    open = std::move(next);
  }
  return tree.take();
}

/// The ranks from `first` on, half and half. Returns their group, or -1 where they share nothing with others.
int join_halves(GrowingTree& tree, int first, int count) {
  if (count == 1) return tree.has_border(first) ? first : -1;
  const int half = (count + 1) / 2, low = join_halves(tree, first, half),
            high = join_halves(tree, first + half, count - half);
  if (low < 0 || high < 0) return std::max(low, high);
  const int whole = tree.join_groups(low, high);
  return tree.has_border(whole) ? whole : -1;
}

/// Partitioners divide a graph in halves again and again, and number the parts accordingly.
std::vector<RankGroup> joined_by_number(GrowingTree tree, int ranks) {
  if (ranks > 0) join_halves(tree, 0, ranks);
  return tree.take();
}

double operations(const std::vector<RankGroup>& tree) {
  double sum = 0;
  for (const RankGroup& group : tree) sum += group.operations();
  return sum;
}

}  // namespace

double RankGroup::operations() const {
  const auto e = static_cast<double>(eliminated.size()), b = static_cast<double>(border.size());
  return 2.0 / 3 * e * e * e + 2 * e * b * (e + b);
}

std::vector<RankGroup> rank_tree(int unknowns, const std::vector<std::vector<int>>& seen) {
  const GrowingTree alone(unknowns, seen);
  const int ranks = static_cast<int>(seen.size());
  std::vector<RankGroup> by_share = joined_by_what_they_share(alone, ranks),
                         by_number = joined_by_number(alone, ranks);
  return operations(by_number) < operations(by_share) ? by_number : by_share;
}

}  // namespace trammel
