#include "solvers/linear/elimination_tree.hpp"

#include <algorithm>

#include "trammel/index.hpp"

namespace trammel {

EliminationTree::EliminationTree(int n, const int* starts, const int* columns, std::span<const int> order)
    : parent(at(n), -1), below(at(n), 0) {
  std::vector<int> place(at(n));
  for (int k = 0; k < n; ++k) place[at(order[at(k)])] = k;
  const auto each_entry = [&](auto&& use) {
    for (int j = 0; j < n; ++j)
      for (int p = starts[j]; p < starts[j + 1]; ++p) {
        const int a = place[at(columns[p])], b = place[at(j)];
        if (a != b) use(std::min(a, b), std::max(a, b));
      }
  };
  std::vector<int> ends(at(n) + 1, 0), before(at(starts[n]));  // of a row: what is left of its diagonal
  each_entry([&](int, int row) { ++ends[at(row) + 1]; });
  for (std::size_t k = 1; k < ends.size(); ++k) ends[k] += ends[k - 1];
  each_entry([&](int column, int row) { before[at(ends[at(row)]++)] = column; });
  // A row of L has the paths from its entries up to its diagonal.
  std::vector<int> seen(at(n), -1);
  for (int k = 0; k < n; ++k) {
    seen[at(k)] = k;
    for (int p = k > 0 ? ends[at(k) - 1] : 0; p < ends[at(k)]; ++p)
      for (int i = before[at(p)]; seen[at(i)] != k; i = parent[at(i)]) {
        seen[at(i)] = k;
        ++below[at(i)];
        if (parent[at(i)] < 0) parent[at(i)] = k;
      }
  }
}

}  // namespace trammel
