#include "solvers/run/snapshot_transfer.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kernel/block_table.hpp"
#include "kernel/rank_exchange.hpp"
#include "kernel/row_statuses.hpp"
#include "solvers/ranks/stencil_bytes.hpp"

namespace trammel {

namespace {

/// Numbers of entities, and of their blocks, in another model.
class Numbers {
 public:
  explicit Numbers(std::span<const int> by_old) : by_old_(by_old) {}

  int entity(int old) const {
    return old >= 0 && old < static_cast<int>(by_old_.size()) ? by_old_[static_cast<std::size_t>(old)] : -1;
  }
  std::optional<BlockId> block(BlockId old) const {
    const int now = entity(entity_of(old));
    if (now < 0) return {};
    return block_id(now, static_cast<int>(old & 0xFFFFFFFF));
  }
  std::optional<ConstraintRow> row(ConstraintRow old) const {
    const auto now = block(old.block);
    if (!now) return {};
    return ConstraintRow{*now, old.component};
  }

 private:
  std::span<const int> by_old_;
};

/// The entries whose keys have a new number.
template <class K, class V, class Renumber>
std::map<K, V> renumbered(std::map<K, V>& all, const Renumber& number) {
  std::map<K, V> kept;
  for (auto& [key, value] : all)
    if (const std::optional<K> now = number(key)) kept.emplace(*now, std::move(value));
  return kept;
}

std::vector<std::byte> renumbered_rows(const std::vector<std::byte>& bytes, const Numbers& numbers) {
  Archive in(bytes);
  RowStates old;
  in(old);
  const auto block = [&](BlockId id) { return numbers.block(id); };
  RowStates now;
  for (const auto& [row, status] : old.statuses.rows())
    if (const auto at = numbers.row(row)) now.statuses.set(*at, status);
  now.held = renumbered(old.held, block);
  now.slip_directions = renumbered(old.slip_directions, block);
  Archive out;
  out(now);
  return out.bytes();
}

/// Numbers that a state has of a block: with all its fields, and of an identified one.
std::pair<std::size_t, std::size_t> counts_of(const Block& b) {
  const auto value = static_cast<std::size_t>(value_size(b.kind, b.size)),
             dofs = static_cast<std::size_t>(b.size);
  return {value + State::fields_by_dof().size() * dofs, value + 2 * dofs};
}

}  // namespace

void renumber(SnapshotContents& contents, std::span<const int> by_old) {
  const Numbers numbers(by_old);
  const auto block = [&](BlockId id) { return numbers.block(id); };
  contents.blocks = renumbered(contents.blocks, block);
  contents.identified = renumbered(contents.identified, block);
  contents.rows = renumbered_rows(contents.rows, numbers);
  contents.run.clear();
  InstanceHistories kept;
  for (const auto& [name, bytes] : contents.histories) {
    const int entity = numbers.entity(name.entity);
    StencilBytes saved(bytes);
    bool whole = entity >= 0;
    for (BlockId& id : saved.blocks) {
      const auto now = numbers.block(id);
      whole = whole && now;
      id = now.value_or(no_block);
    }
    if (whole) kept.emplace(InstanceName{entity, name.type, name.ordinal}, saved.joined());
  }
  contents.histories = std::move(kept);
}

Untransferred drop_what_does_not_fit(SnapshotContents& contents, const Model& model, const Layout& layout) {
  const auto mine = [&](int entity) {
    return model.partition.whole() || model.partition.speaker(entity) == layout.rank();
  };
  std::set<int> misfits;
  const auto judge = [&](const std::map<BlockId, std::vector<double>>& saved, bool identified) {
    for (const auto& [id, numbers] : saved) {
      const int entity = entity_of(id);
      if (!mine(entity)) continue;
      bool fits = model.knows(id);
      if (fits) {
        const auto [all, few] = counts_of(model.block(id));
        fits = numbers.size() == (identified ? few : all);
      }
      if (!fits) misfits.insert(entity);
    }
  };
  judge(contents.blocks, false);
  judge(contents.identified, true);
  for (const BlockId id : model.blocks.ids()) {
    const int entity = entity_of(id);
    if (!is_multiplier(model.block(id).kind) && mine(entity) && !contents.blocks.contains(id) &&
        !contents.identified.contains(id))
      misfits.insert(entity);
  }
  const auto unite = [&] {
    const std::vector<int> all =
        of_all_ranks(std::vector<int>(misfits.begin(), misfits.end()), layout.comm());
    misfits.insert(all.begin(), all.end());
  };
  unite();
  // The coordinates of a joint belong to the poses of its bodies.
  std::set<int> followers;
  for (std::size_t r = 0; r < model.ranges.size(); ++r) {
    const ElementRange& range = *model.ranges[r].instances;
    for (const int i : layout.instances(r)) {
      const auto stencil = range.stencil(i);
      const int entity = range.entity(i);
      const bool owns = std::ranges::any_of(stencil, [&](BlockId id) {
        return entity_of(id) == entity && !is_multiplier(model.block(id).kind);
      });
      if (owns && std::ranges::any_of(stencil, [&](BlockId id) { return misfits.contains(entity_of(id)); }))
        followers.insert(entity);
    }
  }
  misfits.merge(followers);
  unite();

  const auto misfit = [&](BlockId id) { return misfits.contains(entity_of(id)); };
  std::erase_if(contents.blocks, [&](const auto& item) { return misfit(item.first); });
  std::erase_if(contents.identified, [&](const auto& item) { return misfit(item.first); });
  std::set<int> remember;  // entities whose instances have histories
  std::erase_if(contents.histories, [&](const auto& item) {
    const StencilBytes saved(item.second);
    const bool drops = misfits.contains(item.first.entity) || std::ranges::any_of(saved.blocks, misfit);
    if (drops && !saved.history.empty()) remember.insert(item.first.entity);
    return drops;
  });
  Untransferred left;
  left.states.assign(misfits.begin(), misfits.end());
  for (const int entity : remember)
    if (!misfits.contains(entity)) left.histories.push_back(entity);
  return left;
}

}  // namespace trammel
