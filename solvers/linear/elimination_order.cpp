#include "solvers/linear/elimination_order.hpp"

#include <camd.h>

#include <algorithm>

#include "solvers/linear/branches_in_turns.hpp"
#include "solvers/linear/elimination_tree.hpp"
#include "solvers/linear/thin_cut.hpp"
#include "trammel/index.hpp"

namespace trammel {

EliminationOrder elimination_order(int n, const int* starts, const int* columns,
                                   std::span<const std::vector<int>> border, std::span<const int> last) {
  const int all = n + static_cast<int>(border.size());
  std::vector<int> all_starts(starts, starts + n + 1), all_columns(columns, columns + starts[n]);
  for (const std::vector<int>& coupled : border) {
    all_columns.insert(all_columns.end(), coupled.begin(), coupled.end());
    all_starts.push_back(static_cast<int>(all_columns.size()));
  }
  std::vector<int> group(at(all), 0);
  std::fill(group.begin() + n, group.end(), last.empty() ? 1 : 2);
  for (const int unknown : last) group[at(unknown)] = 1;
  // With a border the half beside it would be coupled to it all along.
  if (border.empty() && last.empty())
    for (const int unknown : thin_cut(n, starts, columns)) group[at(unknown)] = 1;
  EliminationOrder order;
  order.unknowns.resize(at(all));
  const int status = camd_order(all, all_starts.data(), all_columns.data(), order.unknowns.data(), nullptr,
                                nullptr, group.data());
  if (status != CAMD_OK && status != CAMD_OK_BUT_JUMBLED) return {};
  order.unknowns.resize(at(n));
  const EliminationTree tree(n, starts, columns, order.unknowns);
  for (const double its : tree.below) {
    order.entries += its + 1;
    order.operations += its + 2 * its * its;
  }
  std::vector<int> turns = branches_in_turns(tree);
  for (int& place : turns) place = order.unknowns[at(place)];
  order.unknowns = std::move(turns);
  return order;
}

}  // namespace trammel
