#include "solvers/reviews/review_merge.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/rank_exchange.hpp"
#include "solvers/reviews/row_switches.hpp"

namespace trammel {

namespace {

// Two times closer than this part of a step are the same.
constexpr double same_time = 1e-9;

/// The statuses that all ranks request, by entity. Collective.
std::map<int, RowStatus> of_all(const std::map<int, RowStatus>& mine, MPI_Comm comm) {
  std::vector<int> flat;
  for (const auto& [entity, status] : mine) flat.insert(flat.end(), {entity, static_cast<int>(status)});
  flat = of_all_ranks(flat, comm);
  std::map<int, RowStatus> all;
  for (std::size_t i = 0; i + 1 < flat.size(); i += 2) all[flat[i]] = static_cast<RowStatus>(flat[i + 1]);
  return all;
}

}  // namespace

void ReviewMerge::add(const Review& answer, int entity) {
  if (answer.new_stencil) new_stencil_ = true;
  if (answer.verdict == Review::Verdict::changed) {
    changed_ = true;
    who_changed_ = std::min(who_changed_, entity);
  }
  if (answer.verdict != Review::Verdict::cut) return;
  const double margin = same_time * step_.size();
  if (answer.cut_time > step_.start + margin && answer.cut_time < step_.end - margin) {
    if (answer.cut_time < inside_.time || (answer.cut_time == inside_.time && entity < inside_.entity))
      inside_ = {answer.cut_time, entity};
  } else if (answer.cut_time >= step_.end - margin) {
    event_ = true;
    if (answer.rows) at_end_[entity] = *answer.rows;
  } else if (answer.rows) {
    at_begin_[entity] = *answer.rows;
  }
}

std::vector<RowSwitch> ReviewMerge::rows_of(std::span<const RangePlan> plans,
                                            const std::map<int, RowStatus>& entities, MPI_Comm comm) const {
  const std::map<int, RowStatus> all = of_all(entities, comm);
  std::map<ConstraintRow, RowStatus> rows;
  for (const RangePlan& plan : plans)
    for (const int i : plan.special) {
      const auto found = all.find(plan.range->entity(i));
      if (found == all.end()) continue;
      for (const StencilBlock& b : plan.stencil(i))
        for (int a = 0; b.may_rest && a < b.size; ++a) rows[{b.id, a}] = found->second;
    }
  return switches_of_all_ranks(rows, comm);
}

MergedReview ReviewMerge::over_ranks(std::span<const RangePlan> plans, bool may_rest, MPI_Comm comm) const {
  int flags[5] = {changed_ ? 1 : 0, new_stencil_ ? 1 : 0, event_ ? 1 : 0, at_begin_.empty() ? 0 : 1,
                  at_end_.empty() ? 0 : 1};
  double time = inside_.time;
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (ranks > 1) {
    MPI_Allreduce(MPI_IN_PLACE, flags, 5, MPI_INT, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MIN, comm);
  }
  MergedReview merged;
  merged.solve_again = flags[0] != 0;
  merged.new_stencil = flags[1] != 0;
  merged.event = flags[2] != 0;
  if (std::isfinite(time)) merged.cut_time = time;
  if (may_rest && flags[3] != 0) merged.at_begin = rows_of(plans, at_begin_, comm);
  if (may_rest && flags[4] != 0) merged.at_end = rows_of(plans, at_end_, comm);
  if (!merged.solve_again && !merged.cut_time) return merged;
  int asker = merged.cut_time ? (inside_.time == time ? inside_.entity : std::numeric_limits<int>::max())
                              : who_changed_;
  if (ranks > 1) MPI_Allreduce(MPI_IN_PLACE, &asker, 1, MPI_INT, MPI_MIN, comm);
  merged.asker = asker;
  return merged;
}

}  // namespace trammel
