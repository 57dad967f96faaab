#include "solvers/linear/bordered_order.hpp"

#include <camd.h>

#include <algorithm>

#include "trammel/index.hpp"

namespace trammel {

namespace {

/// By the elimination tree: a row of L has the paths from its entries up to its diagonal.
void find_cost(int n, const int* starts, const int* columns, BorderedOrder& order) {
  std::vector<int> place(at(n));
  for (int k = 0; k < n; ++k) place[at(order.unknowns[at(k)])] = k;
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
  std::vector<int> parent(at(n), -1), seen(at(n), -1), below(at(n), 0);
  for (int k = 0; k < n; ++k) {
    seen[at(k)] = k;
    for (int p = k > 0 ? ends[at(k) - 1] : 0; p < ends[at(k)]; ++p)
      for (int i = before[at(p)]; seen[at(i)] != k; i = parent[at(i)]) {
        seen[at(i)] = k;
        ++below[at(i)];
        if (parent[at(i)] < 0) parent[at(i)] = k;
      }
  }
  for (const double its : below) {
    order.entries += its + 1;
    order.operations += its + 2 * its * its;
  }
}

}  // namespace

BorderedOrder bordered_order(int n, const int* starts, const int* columns,
                             std::span<const std::vector<int>> border) {
  const int all = n + static_cast<int>(border.size());
  std::vector<int> all_starts(starts, starts + n + 1), all_columns(columns, columns + starts[n]);
  for (const std::vector<int>& coupled : border) {
    all_columns.insert(all_columns.end(), coupled.begin(), coupled.end());
    all_starts.push_back(static_cast<int>(all_columns.size()));
  }
  std::vector<int> group(at(all), 0);
  std::fill(group.begin() + n, group.end(), 1);
  BorderedOrder order;
  order.unknowns.resize(at(all));
  const int status = camd_order(all, all_starts.data(), all_columns.data(), order.unknowns.data(), nullptr,
                                nullptr, group.data());
  if (status != CAMD_OK && status != CAMD_OK_BUT_JUMBLED) return {};
  order.unknowns.resize(at(n));
  find_cost(n, starts, columns, order);
  return order;
}

}  // namespace trammel
