#include "kernel/start_rows.hpp"

#include <algorithm>

#include "kernel/rank_exchange.hpp"

namespace trammel {

std::vector<ConstraintRow> rows_of_start(const Model& model, std::span<const StartPhase> phases,
                                         MPI_Comm comm) {
  std::vector<std::int64_t> mine;  // block, size, ...
  for (const Model::Range& range : model.ranges)
    if (const auto* start = dynamic_cast<const StartConditions*>(range.instances.get()))
      for (const StartPhase phase : phases)
        for (const BlockId id : start->rows(phase)) mine.insert(mine.end(), {id, model.block(id).size});
  const std::vector<std::int64_t> all = of_all_ranks(mine, comm);
  std::vector<ConstraintRow> rows;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2)
    for (int component = 0; component < all[i + 1]; ++component) rows.push_back({all[i], component});
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());  // several ranks may have built an instance
  return rows;
}

}  // namespace trammel
