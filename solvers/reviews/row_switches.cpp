#include "solvers/reviews/row_switches.hpp"

#include <cstdint>

#include "kernel/rank_exchange.hpp"

namespace trammel {

std::vector<RowSwitch> switches_of_all_ranks(const std::map<ConstraintRow, RowStatus>& mine, MPI_Comm comm) {
  std::vector<std::int64_t> flat;  // block, component, status, ...
  for (const auto& [row, status] : mine)
    flat.insert(flat.end(), {row.block, row.component, static_cast<int>(status)});
  flat = of_all_ranks(flat, comm);
  std::map<ConstraintRow, RowStatus> all;
  for (std::size_t i = 0; i + 2 < flat.size(); i += 3)
    all[{flat[i], static_cast<int>(flat[i + 1])}] = static_cast<RowStatus>(flat[i + 2]);
  std::vector<RowSwitch> rows;
  for (const auto& [row, status] : all) rows.push_back({row, status});
  return rows;
}

}  // namespace trammel
