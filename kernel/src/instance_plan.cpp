#include "instance_plan.hpp"

namespace trammel {

CompanionParts::CompanionParts(const StencilBlock& row, const StencilBlock& column) {
  const bool moves = is_kinematic(column.kind) && column.companion;
  const bool constraint = row.kind == BlockKind::multiplier && row.companion;
  correction_column = moves;
  velocity_row = constraint && is_kinematic(column.kind);
  velocity_correction = constraint && moves;
  correction_row =
      is_kinematic(row.kind) && row.companion && column.kind == BlockKind::multiplier && column.companion;
  velocity_own = constraint && column.kind == BlockKind::multiplier && column.companion;
}

namespace {

void append_block(EntryPattern& pattern, PetscInt row, int rows, PetscInt column, int columns) {
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) {
      pattern.rows.push_back(row + i);
      pattern.columns.push_back(column + j);
    }
}

void append_pair(EntryPattern& pattern, std::span<const UnknownBlock> unknowns, const StencilBlock& row,
                 const StencilBlock& column) {
  const UnknownBlock& r = unknowns[static_cast<std::size_t>(row.unknown)];
  const UnknownBlock& c = unknowns[static_cast<std::size_t>(column.unknown)];
  const CompanionParts parts(row, column);
  append_block(pattern, r.global, r.size, c.global, c.size);
  if (parts.correction_column) append_block(pattern, r.global, r.size, c.companion_global, c.size);
  if (parts.velocity_row) append_block(pattern, r.companion_global, r.size, c.global, c.size);
  if (parts.velocity_correction)
    append_block(pattern, r.companion_global, r.size, c.companion_global, c.size);
  if (parts.correction_row) {
    append_block(pattern, r.companion_global, r.size, c.companion_global, c.size);
    pattern.kept += static_cast<std::size_t>(r.size * c.size);
  }
  if (parts.velocity_own) append_block(pattern, r.companion_global, r.size, c.companion_global, c.size);
}

}  // namespace

std::vector<RangePlan> plan_ranges(const Model& model, const Layout& layout, EntryPattern& pattern) {
  std::vector<RangePlan> plans;
  const auto unknowns = layout.unknowns();
  for (const Model::Range& source : model.ranges) {
    RangePlan plan;
    plan.range = source.instances.get();
    const int n = plan.range->size();
    for (int i = 0; i < n; ++i) {
      plan.block_begin.push_back(plan.blocks.size());
      int offset = 0;
      for (const BlockId id : plan.range->stencil(i)) {
        const Block& block = model.block(id);
        const BlockRoot& root = model.root(id);
        StencilBlock b;
        b.kind = block.kind;
        b.size = static_cast<std::int16_t>(block.size);
        b.offset = static_cast<std::int16_t>(offset);
        if (const UnknownBlock* u = layout.unknown_of(id)) {
          b.unknown = static_cast<std::int32_t>(u - unknowns.data());
          b.companion = u->companion_local >= 0;
        }
        if (root.rotated) b.Q = &root.Q;
        if (b.kind == BlockKind::multiplier) plan.has_constraints = true;
        offset += block.size;
        plan.blocks.push_back(b);
        plan.places.push_back(layout.place(id));
      }
    }
    plan.block_begin.push_back(plan.blocks.size());
    for (int i = 0; i < n; ++i) {
      plan.place_of.push_back(plan.places.data() + plan.block_begin[static_cast<std::size_t>(i)]);
      plan.pair_begin.push_back(plan.pairs.size());
      plan.entry_begin.push_back(pattern.rows.size());
      plan.kept_begin.push_back(pattern.kept);
      const auto blocks = plan.stencil(i);
      const int count = static_cast<int>(blocks.size());
      for (int c = 0; c < count; ++c)
        for (int r = 0; r < count; ++r) {
          const StencilBlock &row = blocks[static_cast<std::size_t>(r)],
                             &column = blocks[static_cast<std::size_t>(c)];
          if (row.unknown < 0 || column.unknown < 0 || !plan.range->couples(i, r, c)) continue;
          plan.pairs.push_back({static_cast<std::int16_t>(r), static_cast<std::int16_t>(c)});
          append_pair(pattern, unknowns, row, column);
        }
    }
    plan.pair_begin.push_back(plan.pairs.size());
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace trammel
