#include "solvers/newton/stale_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/linear/petsc_owned.hpp"
#include "solvers/newton/by_kind.hpp"
#include "solvers/reactions/instances_with.hpp"
#include "trammel/index.hpp"

namespace trammel {

void StaleRows::mark(const UnknownBlock& block, int unknown) {
  char& its = stale_[at(unknown)];
  if (its == 0) rows_ += block.size;
  its = 1;
}

void StaleRows::look_at(const double* f, const Layout& layout, std::span<const BlockRun> runs,
                        const NumbersAfterFrames& of_row, const Limits& most) {
  const auto unknowns = layout.unknowns();
  if (stale_.empty()) stale_.assign(unknowns.size(), 0);
  for (const BlockRun& run : runs) {
    if (!run.owned || too_many(layout)) break;
    if (run.of == BlockRun::Of::frames)
      look_at_frames(f, unknowns, run, most);
    else if (run.of != BlockRun::Of::others)
      look_at_numbers(f, unknowns, run.first, run.last, of_row, most);
    else
      for (int i = run.first; i < run.last; ++i) look_at_numbers(f, unknowns, i, i + 1, of_row, most);
  }
  if (layout.ranks() == 1) to_tell(layout);
}

void StaleRows::look_at_frames(const double* f, std::span<const UnknownBlock> unknowns, const BlockRun& run,
                               const Limits& most) {
  const auto exceeds = [](const double* numbers, double limit) {
    const auto fits = [limit](double number) { return std::abs(number) <= limit; };
    return !(fits(numbers[0]) && fits(numbers[1]) && fits(numbers[2]));
  };
  const double force = most[kind_at(BlockKind::position)], moment = most[kind_at(BlockKind::rotation)];
  const double* its = f + run.local;
  for (int i = run.first; i < run.last; i += 2, its += frame_size) {
    if (exceeds(its, force)) mark(unknowns[at(i)], i);
    if (exceeds(its + 3, moment)) mark(unknowns[at(i + 1)], i + 1);
  }
}

void StaleRows::look_at_numbers(const double* f, std::span<const UnknownBlock> unknowns, int first, int last,
                                const NumbersAfterFrames& of_row, const Limits& most) {
  const UnknownBlock &begin = unknowns[at(first)], &end = unknowns[at(last - 1)];
  const double limit = most[kind_at(begin.kind)];
  const int size = end.local + end.size - begin.local;
  const double *its = f + begin.local, *factors = of_row.from(begin.local);
  int i = first;
  for (int k = 0; k < size; ++k) {
    if (std::abs(its[k]) * factors[k] <= limit) continue;
    const int place = begin.local + k;
    if (unknowns[at(i)].local + unknowns[at(i)].size <= place) {
      const auto rest = unknowns.subspan(at(i), at(last - i));
      i += static_cast<int>(std::ranges::upper_bound(rest, place, {}, &UnknownBlock::local) - rest.begin()) -
           1;
    }
    mark(unknowns[at(i)], i);
    k = unknowns[at(i)].local + unknowns[at(i)].size - begin.local - 1;
  }
}

void StaleRows::clear() {
  stale_.clear();
  rows_ = 0;
  told_[0] = 0;
}

void StaleRows::look_again(const double* f, const Layout& layout, std::span<const BlockRun> runs,
                           const NumbersAfterFrames& of_row, const Limits& most) {
  StaleRows all = *this;
  all.look_at(f, layout, runs, of_row, most);
  if (!all.too_many(layout) || !are_few_here(layout)) *this = std::move(all);
}

bool StaleRows::too_many(const Layout& layout) const { return rows_ > few * layout.owned_size(); }

bool StaleRows::are_few_here(const Layout& layout) const { return rows_ > 0 && !too_many(layout); }

void StaleRows::cost(double part, const Layout& layout) {
  cost_ = part;
  if (layout.ranks() == 1) told_[1] = part;
}

std::span<double> StaleRows::to_tell(const Layout& layout) {
  told_ = {rows_ > 0 ? rows_ / (few * layout.owned_size()) : 0, cost_};
  return told_;
}

void StaleRows::exchange(const Layout& layout, bool from_ghosts) {
  if (layout.ranks() == 1) return;
  const auto unknowns = layout.unknowns();
  std::vector<double> local(at(layout.local_size()), 0.0);
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    if (unknowns[i].size > 0 && (unknowns[i].owned || from_ghosts)) local[at(unknowns[i].local)] = stale_[i];
  OwnedVec all(layout.create_vector());
  if (from_ghosts) {
    layout.sum_local(local, all.get());
  } else {
    PetscScalar* own = nullptr;
    TRAMMEL_PETSC(VecGetArrayWrite(all.get(), &own));
    std::copy_n(local.begin(), layout.owned_size(), own);
    TRAMMEL_PETSC(VecRestoreArrayWrite(all.get(), &own));
  }
  layout.to_local(all.get(), local);
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    if (unknowns[i].size > 0 && local[at(unknowns[i].local)] > 0) stale_[i] = 1;
}

RenewedRows StaleRows::renewed(Assembler& assembler) {
  const Layout& layout = assembler.layout();
  const auto unknowns = layout.unknowns();
  stale_.resize(unknowns.size(), 0);
  exchange(layout, false);
  const auto is_stale = [&](const StencilBlock& b) { return b.unknown >= 0 && stale_[at(b.unknown)] != 0; };
  for (const RangePlan& plan : assembler.plans())
    for (const int i : plan.instances) {
      const auto blocks = plan.stencil(i);
      if (std::ranges::none_of(blocks, is_stale)) continue;
      for (const StencilBlock& b : blocks)
        if (b.own && b.unknown >= 0 && is_multiplier(b.kind)) mark(unknowns[at(b.unknown)], b.unknown);
    }
  exchange(layout, true);
  instances_ = instances_with(assembler.plans(), is_stale);
  return {stale_, instances_};
}

std::vector<int> StaleRows::numbers(const Layout& layout) const {
  std::vector<int> all;
  const auto unknowns = layout.unknowns();
  for (std::size_t i = 0; i < stale_.size(); ++i)
    for (int k = 0; unknowns[i].owned && stale_[i] != 0 && k < unknowns[i].size; ++k)
      all.push_back(unknowns[i].local + k);
  return all;
}

}  // namespace trammel
