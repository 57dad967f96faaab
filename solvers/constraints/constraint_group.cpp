#include "solvers/constraints/constraint_group.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernel/rank_exchange.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// Rows with a larger weight than this belong to a linear combination.
constexpr double takes_part = 1e-6;

}  // namespace

std::vector<int> ConstraintGroup::taking_part(int combination) const {
  const int from = null.begin[at(combination)], to = null.begin[at(combination + 1)];
  double largest = 0;
  for (int i = from; i < to; ++i) largest = std::max(largest, std::abs(null.value[at(i)]));
  std::vector<int> out;
  for (int i = from; i < to; ++i)
    if (std::abs(null.value[at(i)]) > takes_part * largest) out.push_back(null.row[at(i)]);
  return out;
}

void share(std::vector<ConstraintGroup>& groups, std::span<const ConstraintGroup> mine, bool with_rows,
           MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) return;
  std::vector<std::int64_t> rows;  // number in a group, then block, component, entity of each
  std::vector<int> found;  // number of dependent rows, those rows, and where columns begin and entries stand
  std::vector<double> values;
  for (const ConstraintGroup& g : mine) {
    if (with_rows) rows.push_back(static_cast<std::int64_t>(g.rows.size()));
    for (const ConstraintGroup::Row& row : g.rows) {
      if (!with_rows) break;
      rows.insert(rows.end(), {row.at.block, row.at.component, row.entity});
      values.push_back(row.scale);
    }
    found.push_back(static_cast<int>(g.dependent.size()));
    found.insert(found.end(), g.dependent.begin(), g.dependent.end());
    found.insert(found.end(), g.null.begin.begin(), g.null.begin.end());
    found.insert(found.end(), g.null.row.begin(), g.null.row.end());
    values.insert(values.end(), g.null.value.begin(), g.null.value.end());
    values.insert(values.end(), {g.weakest, g.weakest_of_kept});
  }
  if (with_rows) rows = of_all_ranks(rows, comm);
  found = of_all_ranks(found, comm);
  values = of_all_ranks(values, comm);
  auto row = rows.begin();
  auto number = found.begin();
  auto value = values.begin();
  const auto next = [](auto& from, auto count, auto& to) {
    to.assign(from, from + static_cast<std::ptrdiff_t>(count));
    from += static_cast<std::ptrdiff_t>(count);
  };
  for (std::size_t k = with_rows ? groups.size() : 0; number != found.end(); ++k) {
    if (with_rows) groups.emplace_back().rows.resize(static_cast<std::size_t>(*row++));
    ConstraintGroup& g = groups[k];
    for (ConstraintGroup::Row& its : g.rows) {
      if (!with_rows) break;
      its = {{row[0], static_cast<int>(row[1])}, static_cast<int>(row[2]), *value++};
      row += 3;
    }
    const int dependent = *number++;
    next(number, dependent, g.dependent);
    g.null.rows = static_cast<int>(g.rows.size());
    next(number, dependent + 1, g.null.begin);
    next(number, g.null.begin.back(), g.null.row);
    next(value, g.null.begin.back(), g.null.value);
    g.weakest = *value++;
    g.weakest_of_kept = *value++;
  }
}

}  // namespace trammel
