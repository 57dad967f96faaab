#include "solvers/linear/branches_in_turns.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "trammel/index.hpp"

namespace trammel {

namespace {

/// Groups of branches that take turns. With three and four the matrix and the right-hand side are read at so many more places that chains, whose
/// numbers do not stay in a processor's second cache, gain nothing.
constexpr std::size_t groups = 2;
/// Entries of L in a column, on average, up to which branches take turns.
constexpr double thin = 12;
/// What is eliminated after all branches, as a part of the work.
constexpr double most_at_end = 0.1;
/// A trunk goes on where a branch has this part of what lies below.
constexpr double goes_on = 0.9;

/// An unknown and all below it.
struct Branch {
  double work = 0;
  int top = 0;
  bool operator<(const Branch& other) const { return work < other.work; }
};

class Branches {
 public:
  explicit Branches(const EliminationTree& tree) : tree_(tree), work_(at(tree.size()), 0) {
    const int n = tree.size();
    for (int k = 0; k < n; ++k) {
      work_[at(k)] += own_work(k);
      if (tree.parent[at(k)] >= 0) work_[at(tree.parent[at(k)])] += work_[at(k)];
    }
    first_.assign(at(n), none);
    next_.assign(at(n), none);
    for (int k = n - 1; k >= 0; --k) {
      const int parent = tree.parent[at(k)];
      if (parent >= 0)
        next_[at(k)] = std::exchange(first_[at(parent)], k);
      else
        add(k);
    }
  }

  double work() const { return all_; }
  double own_work(int k) const { return 1 + tree_.below[at(k)]; }

  /// Divides the largest branch until none exceeds `most`, as far as what lies above them is little; what lies there.
  std::vector<int> divide(double most) {
    std::vector<int> above;
    double room = most_at_end * all_;
    while (!open_.empty() && open_.top().work > most) {
      const Branch branch = open_.top();
      open_.pop();
      const std::vector<int> trunk = trunk_of(branch.top, room);
      if (trunk.empty()) {
        whole_.push_back(branch);
        continue;
      }
      above.insert(above.end(), trunk.begin(), trunk.end());
      for (std::size_t i = 0; i < trunk.size(); ++i)
        for (int k = first_[at(trunk[i])]; k != none; k = next_[at(k)])
          if (i + 1 == trunk.size() || k != trunk[i + 1]) open_.push({work_[at(k)], k});
    }
    return above;
  }

  /// The branches, the largest first.
  std::vector<Branch> all() {
    std::vector<Branch> all = whole_;
    for (; !open_.empty(); open_.pop()) all.push_back(open_.top());
    std::ranges::stable_sort(all, [](const Branch& a, const Branch& b) { return b < a; });
    return all;
  }

 private:
  static constexpr int none = -1;

  void add(int root) {
    open_.push({work_[at(root)], root});
    all_ += work_[at(root)];
  }

  /// From an unknown down to a fork; empty where there is none within `room`, which becomes less by the work of the trunk.
  std::vector<int> trunk_of(int top, double& room) const {
    std::vector<int> found;
    double left = room;
    for (int k = top; k != none;) {
      found.push_back(k);
      left -= own_work(k);
      if (left < 0) break;
      int heaviest = none;
      for (int c = first_[at(k)]; c != none; c = next_[at(c)])
        if (heaviest == none || work_[at(c)] > work_[at(heaviest)]) heaviest = c;
      if (heaviest != none && work_[at(heaviest)] < goes_on * (work_[at(k)] - own_work(k))) {
        room = left;
        return found;
      }
      k = heaviest;
    }
    return {};
  }

  const EliminationTree& tree_;
  std::vector<double> work_;       ///< of the branch with this top
  std::vector<int> first_, next_;  ///< below an unknown, and beside it
  std::priority_queue<Branch> open_;
  std::vector<Branch> whole_;  ///< that cannot be divided
  double all_ = 0;
};

}  // namespace

std::vector<int> branches_in_turns(const EliminationTree& tree) {
  const int n = tree.size();
  std::vector<int> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  Branches branches(tree);
  if (branches.work() > (1 + thin) * n) return order;

  const std::vector<int> above = branches.divide(branches.work() / groups);
  constexpr int last = groups, not_yet = -1;
  std::vector<int> group(at(n), not_yet);
  for (const int k : above) group[at(k)] = last;
  std::vector<double> work(groups, 0);
  for (const Branch& branch : branches.all()) {
    const auto least = std::ranges::min_element(work);
    *least += branch.work;
    group[at(branch.top)] = static_cast<int>(least - work.begin());
  }
  std::vector<std::vector<int>> members(groups + 1);
  for (int k = n - 1; k >= 0; --k) {
    if (group[at(k)] == not_yet) group[at(k)] = group[at(tree.parent[at(k)])];
    members[at(group[at(k)])].push_back(k);
  }
  // Next is the group of which the least part is done.
  std::vector<double> done(groups, 0);
  order.clear();
  for (;;) {
    std::size_t next = last;
    for (std::size_t g = 0; g < groups; ++g)
      if (!members[g].empty() && (next == last || done[g] * work[next] < done[next] * work[g])) next = g;
    if (members[next].empty()) return order;
    const int k = members[next].back();
    members[next].pop_back();
    order.push_back(k);
    if (next != last) done[next] += branches.own_work(k);
  }
}

}  // namespace trammel
