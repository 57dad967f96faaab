#include "kernel/instance_plan.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>

#include "trammel/error.hpp"

namespace trammel {

StabilizingParts::StabilizingParts(const StencilBlock& row, const StencilBlock& column) {
  const bool moves = is_kinematic(column.kind) && column.stabilizing;
  const bool constraint = row.kind == BlockKind::multiplier && row.stabilizing;
  correction_column = moves;
  velocity_row = constraint && is_kinematic(column.kind);
  velocity_correction = constraint && moves;
  correction_row =
      is_kinematic(row.kind) && row.stabilizing && column.kind == BlockKind::multiplier && column.stabilizing;
  velocity_own = constraint && column.kind == BlockKind::multiplier && column.stabilizing;
}

namespace {

/// Returns how many gradients of the pair are kept.
std::size_t append_pair(MatrixPattern& pattern, std::span<const UnknownBlock> unknowns,
                        const StencilBlock& row, const StencilBlock& column) {
  const UnknownBlock& r = unknowns[at(row.unknown)];
  const UnknownBlock& c = unknowns[at(column.unknown)];
  const StabilizingParts parts(row, column);
  const auto append = [&](int rows, PetscInt columns) { pattern.append(rows, r.size, columns, c.size); };
  append(r.local, c.global);
  if (parts.correction_column) append(r.local, c.stabilizing_global);
  if (parts.velocity_row) append(r.stabilizing_local, c.global);
  if (parts.velocity_correction) append(r.stabilizing_local, c.stabilizing_global);
  if (parts.correction_row) append(r.stabilizing_local, c.stabilizing_global);
  if (parts.velocity_own) append(r.stabilizing_local, c.stabilizing_global);
  return parts.correction_row ? static_cast<std::size_t>(r.size * c.size) : 0;
}

/// Whether the rows of stencil block k are this instance's to write.
bool writes(const ElementRange& range, int i, int k, int count) {
  for (int column = 0; column < count; ++column)
    if (range.couples(i, k, column)) return true;
  return false;
}

bool is_nominal(const Row& row) { return row.measure.dimension == Dimension::nominal; }

void find_traits(const Model& model, RangePlan& plan) {
  plan.traits.resize(at(plan.range->size()));
  for (const int i : plan.instances) {
    InstanceTraits& traits = plan.traits[at(i)];
    const int entity = plan.range->entity(i);
    const std::size_t begin = plan.block_begin[at(i)], end = plan.block_begin[at(i) + 1];
    for (std::size_t k = begin; k < end; ++k) {
      StencilBlock& b = plan.blocks[k];
      const Block& block = model.block(b.id);
      if (block.entity != entity ||
          !(is_multiplier(b.kind) || b.kind == BlockKind::coordinate || b.kind == BlockKind::algebraic))
        continue;
      if (!writes(*plan.range, i, static_cast<int>(k - begin), static_cast<int>(end - begin))) continue;
      b.own = true;
      if (!is_multiplier(b.kind)) continue;
      for (std::size_t a = 0; a < block.rows.size(); ++a) {
        b.may_rest = b.may_rest || block.rows[a].may_rest();
        if (block.rows[a].compliant) b.rows = block.rows.data();
      }
      traits.may_rest = traits.may_rest || b.may_rest;
      traits.compliant = traits.compliant || b.is_compliant();
    }
    if (traits.may_rest || traits.compliant) plan.special.push_back(i);
  }
}

/// Lists, of which those that are the same stand once: compared with the last few different ones.
template <class T>
class SharedLists {
 public:
  explicit SharedLists(std::vector<T>& all) : all_(all) {}

  /// Where `list` begins among all. `same(a, b)`: for two of the numbers.
  template <class Same>
  std::uint32_t begin_of(std::span<const T> list, Same&& same) {
    for (const Known& known : last_)
      if (known.size == list.size() && std::equal(list.begin(), list.end(), all_.begin() + known.begin, same))
        return known.begin;
    Known& next = last_[at(next_++ % static_cast<int>(last_.size()))];
    next = {static_cast<std::uint32_t>(all_.size()), list.size()};
    all_.insert(all_.end(), list.begin(), list.end());
    return next.begin;
  }

 private:
  struct Known {
    std::uint32_t begin = 0;
    std::size_t size = 0;
  };
  std::vector<T>& all_;
  std::array<Known, 8> last_{};
  int next_ = 0;
};

/// Whether the rows of both blocks are written alike. Rows of their own, or that may rest, are those of one instance.
bool have_same_shape(const StencilBlock& a, const StencilBlock& b) {
  const auto alone = [](const StencilBlock& block) {
    return block.may_rest || block.nominal() != nullptr || block.is_compliant();
  };
  return a.kind == b.kind && a.size == b.size && a.offset == b.offset && a.own == b.own &&
         a.stabilizing == b.stabilizing && a.begins_frame == b.begins_frame && !alone(a) && !alone(b);
}

void share_shapes(RangePlan& plan) {
  SharedLists<StencilBlock> lists(plan.shapes);
  for (int i = 0; i < plan.range->size(); ++i)
    plan.shape_begin.push_back(lists.begin_of(plan.stencil(i), have_same_shape));
  plan.shapes.shrink_to_fit();
}

void find_runs(const Layout& layout, std::size_t range, RangePlan& plan) {
  auto special = plan.special.begin();
  for (const int i : plan.instances) {
    const bool is_special = special != plan.special.end() && *special == i;
    if (is_special) ++special;
    if (layout.has_equations(range, i)) append(plan.runs, i, is_special);
  }
}

/// Marks, of the instances of an entity that may rest, the one with the first such multiplier: the same on all ranks.
void tell_first(const Model& model, std::vector<RangePlan>& plans) {
  std::map<int, BlockId> first;  // by entity
  for (const BlockId id : model.blocks.ids()) {
    const Block& block = model.block(id);
    if (!is_multiplier(block.kind) || std::ranges::none_of(block.rows, &Row::may_rest)) continue;
    const auto [known, fresh] = first.try_emplace(block.entity, id);
    if (!fresh) known->second = std::min(known->second, id);
  }
  for (RangePlan& plan : plans)
    for (const int i : plan.special)
      for (const StencilBlock& b : plan.stencil(i))
        if (b.may_rest && first.at(plan.range->entity(i)) == b.id) plan.traits[at(i)].first_of_entity = true;
}

}  // namespace

std::vector<RangePlan> plan_ranges(const Model& model, const Layout& layout, MatrixPattern& pattern,
                                   std::size_t& kept) {
  kept = 0;
  std::vector<RangePlan> plans;
  const auto unknowns = layout.unknowns();
  for (std::size_t r = 0; r < model.ranges.size(); ++r) {
    RangePlan plan;
    plan.range = model.ranges[r].instances.get();
    plan.instances = layout.instances(r);
    const int n = plan.range->size();
    for (auto* begins : {&plan.block_begin, &plan.shape_begin, &plan.pair_begin, &plan.pair_count,
                         &plan.slot_begin, &plan.kept_begin})
      begins->reserve(at(n) + 1);
    plan.offset_of.reserve(at(n));
    auto mine = plan.instances.begin();
    for (int i = 0; i < n; ++i) {
      plan.block_begin.emplace_back(plan.blocks.size());
      if (mine == plan.instances.end() || *mine != i) continue;
      ++mine;
      int offset = 0;
      for (const BlockId id : plan.range->stencil(i)) {
        const Block& block = model.block(id);
        StencilBlock b{.id = id,
                       .kind = block.kind,
                       .size = static_cast<std::int16_t>(block.size),
                       .offset = static_cast<std::int16_t>(offset),
                       .rows = nullptr};
        if (b.kind == BlockKind::rotation) b.turn = layout.root(id).Q;
        if (const UnknownBlock* u = layout.unknown_of(id)) {
          b.unknown = static_cast<std::int32_t>(u - unknowns.data());
          b.stabilizing = u->stabilizing_local >= 0;
          if (b.kind == BlockKind::algebraic) b.local = u->local;
        }
        const BlockOffset& its = layout.offset(id);
        if (b.kind == BlockKind::rotation && offset > 0 && plan.blocks.back().kind == BlockKind::position)
          plan.blocks.back().begins_frame = its.dof == plan.offsets.back().dof + 3;
        if (b.kind == BlockKind::coordinate && std::ranges::any_of(block.rows, is_nominal))
          b.rows = block.rows.data();
        if (is_multiplier(b.kind)) plan.has_constraints = true;
        if (b.kind == BlockKind::algebraic) plan.has_algebraic = true;
        offset += block.size;
        plan.blocks.push_back(b);
        plan.offsets.push_back(its);
      }
    }
    plan.block_begin.emplace_back(plan.blocks.size());
    plan.blocks.shrink_to_fit();
    plan.offsets.shrink_to_fit();
    find_traits(model, plan);
    share_shapes(plan);
    plan.calls = plan.range->calls();
    if (!plan.special.empty()) plan.calls = {};  // instances that may become inactive are visited
    find_runs(layout, r, plan);
    SharedLists<BlockPair> lists(plan.pairs);
    std::vector<BlockPair> pairs;
    for (int i = 0; i < n; ++i) {
      plan.offset_of.push_back(plan.offsets.data() + plan.block_begin[at(i)]);
      pairs.clear();
      plan.slot_begin.emplace_back(pattern.slot_count());
      plan.kept_begin.emplace_back(kept);
      const auto blocks = plan.stencil(i);
      const int count = static_cast<int>(blocks.size());
      const bool may_rest = plan.traits[at(i)].may_rest;
      for (int c = 0; c < count; ++c)
        for (int b = 0; b < count; ++b) {
          const StencilBlock &row = blocks[at(b)], &column = blocks[at(c)];
          if (row.unknown < 0 || column.unknown < 0) continue;
          // Entries for inactive rows: the pattern does not change with the status of rows.
          const bool friction = row.kind == BlockKind::velocity_multiplier && row.may_rest;
          const bool rests =
              may_rest && row.own && (b == c || (friction && column.own && is_multiplier(column.kind)));
          if (!rests && !plan.range->couples(i, b, c)) continue;
          pairs.push_back({static_cast<std::int16_t>(b), static_cast<std::int16_t>(c)});
          kept += append_pair(pattern, unknowns, row, column);
        }
      plan.pair_begin.push_back(lists.begin_of(pairs, std::equal_to()));
      plan.pair_count.emplace_back(pairs.size());
    }
    plan.pairs.shrink_to_fit();
    plans.push_back(std::move(plan));
  }
  if (std::max(pattern.slot_count(), kept) > std::numeric_limits<std::uint32_t>::max())
    throw Error("a rank's part of the matrix has more than 4.29e9 rows of blocks: use more ranks");
  tell_first(model, plans);
  return plans;
}

}  // namespace trammel
