#include "solvers/reviews/review_merge.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/rank_exchange.hpp"
#include "solvers/ranks/rank_totals.hpp"
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

MergedReview ReviewMerge::over_ranks(Assembler& assembler, LocalFault& fault) const {
  const auto flag = [](bool set) { return set ? 1.0 : 0.0; };
  // The earliest time is the largest negative one.
  std::array all{flag(changed_),           flag(new_stencil_),     flag(event_),
                 flag(!at_begin_.empty()), flag(!at_end_.empty()), -inside_.time};
  MergedReview merged;
  merged.rejected = !agree(assembler, fault, all);
  const double time = -all[5];
  merged.solve_again = all[0] != 0;
  merged.new_stencil = all[1] != 0;
  merged.event = all[2] != 0;
  if (std::isfinite(time)) merged.cut_time = time;
  const Layout& layout = assembler.layout();
  const MPI_Comm comm = layout.comm();
  if (assembler.may_rest() && all[3] != 0) merged.at_begin = rows_of(assembler.plans(), at_begin_, comm);
  if (assembler.may_rest() && all[4] != 0) merged.at_end = rows_of(assembler.plans(), at_end_, comm);
  if (!merged.solve_again && !merged.cut_time) return merged;
  int asker = merged.cut_time ? (inside_.time == time ? inside_.entity : std::numeric_limits<int>::max())
                              : who_changed_;
  if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, &asker, 1, MPI_INT, MPI_MIN, comm);
  merged.asker = asker;
  return merged;
}

}  // namespace trammel
