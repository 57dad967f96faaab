#include "solvers/bordered_order.hpp"

#include <camd.h>

#include <algorithm>

#include "trammel/index.hpp"

namespace trammel {

namespace {

/// By the elimination tree: a row of L has the paths from its entries up to its diagonal.
void find_cost(int n, const int* starts, const int* columns, BorderedOrder& order) {
  std::vector<int> place(at(n));
  for (int k = 0; k < n; ++k) place[at(order.unknowns[at(k)])] = k;
  std::vector<std::vector<int>> rows(at(n));  // left of the diagonal
  for (int j = 0; j < n; ++j)
    for (int p = starts[j]; p < starts[j + 1]; ++p) {
      const auto [first, last] = std::minmax({place[at(columns[p])], place[at(j)]});
      if (first != last) rows[at(last)].push_back(first);
    }
  std::vector<int> parent(at(n), -1), seen(at(n), -1), below(at(n), 0);
  for (int k = 0; k < n; ++k) {
    seen[at(k)] = k;
    for (const int entry : rows[at(k)])
      for (int i = entry; seen[at(i)] != k; i = parent[at(i)]) {
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
