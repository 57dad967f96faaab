#include "solvers/newton/block_runs.hpp"

#include <span>

#include "trammel/index.hpp"

namespace trammel {

namespace {

/// Whether the numbers of `next` lie behind those of `u`.
bool goes_on(const UnknownBlock& u, const UnknownBlock& next) {
  return next.owned == u.owned && next.local == u.local + u.size &&
         next.offset.dof == u.offset.dof + u.size &&
         next.offset.value == u.offset.value + value_size(u.kind, u.size);
}

/// The run of block i: alone, or with the rotation behind it.
BlockRun run_at(std::span<const UnknownBlock> unknowns, int i) {
  using enum BlockRun::Of;
  const UnknownBlock& u = unknowns[at(i)];
  BlockRun run{others, i, i + 1, u.owned, u.local, u.size, u.offset.value, u.offset.dof};
  if (u.stabilizing_local >= 0 || u.size == 0) return run;
  if (u.kind == BlockKind::multiplier) run.of = multipliers;
  if (u.kind == BlockKind::velocity_multiplier) run.of = velocity_multipliers;
  if (u.kind != BlockKind::position || at(run.last) == unknowns.size()) return run;
  const UnknownBlock& next = unknowns[at(run.last)];
  if (next.kind != BlockKind::rotation || next.stabilizing_local >= 0 || !goes_on(u, next)) return run;
  run.of = frames;
  run.last = i + 2;
  run.size = frame_size;
  return run;
}

}  // namespace

std::vector<BlockRun> block_runs_of(const Layout& layout) {
  const auto unknowns = layout.unknowns();
  std::vector<BlockRun> runs;
  for (int i = 0; at(i) < unknowns.size();) {
    const BlockRun next = run_at(unknowns, i);
    i = next.last;
    if (!runs.empty() && runs.back().of == next.of && runs.back().owned == next.owned) {
      BlockRun& run = runs.back();
      if (next.of == BlockRun::Of::others || goes_on(unknowns[at(run.last - 1)], unknowns[at(next.first)])) {
        run.last = next.last;
        run.size += next.size;
        continue;
      }
    }
    runs.push_back(next);
  }
  return runs;
}

}  // namespace trammel
