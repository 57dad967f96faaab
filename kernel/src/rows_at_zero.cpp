#include "rows_at_zero.hpp"

#include <algorithm>

#include "trammel/plugin_call.hpp"

namespace trammel {

Eigen::VectorXd acceleration_rows(const RangePlan& plan, int i, const State& state, LocalSystem& share,
                                  const StencilBlock& row, const MatrixMap& gradient) {
  Eigen::VectorXd out = share.bias().segment(row.offset, row.size);
  const BlockPlace* places = plan.place_of[static_cast<std::size_t>(i)];
  const auto blocks = plan.stencil(i);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (!is_kinematic(blocks[k].kind)) continue;
    const ConstVectorMap a(state.acceleration.data() + places[k].dof, blocks[k].size);
    out += gradient.block(row.offset, blocks[k].offset, row.size, blocks[k].size) * a;
  }
  return out;
}

void RowsAtZero::add(int i, LocalSystem& share) {
  const BlockPlace* places = plan_->place_of[static_cast<std::size_t>(i)];
  const auto blocks = plan_->stencil(i);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const StencilBlock& b = blocks[k];
    if (b.kind != BlockKind::multiplier) continue;
    const Eigen::VectorXd rows =
        level_ == ConstraintLevel::position   ? share.residual().segment(b.offset, b.size)
        : level_ == ConstraintLevel::velocity ? Eigen::VectorXd(share.rate().segment(b.offset, b.size))
                                              : acceleration_rows(*plan_, i, *state_, share, b, share.K());
    for (int j = 0; j < b.size; ++j) {
      const auto at = static_cast<std::size_t>(places[k].dof + j);
      if (rows[j] == 0 && r_[at] == state_->value[static_cast<std::size_t>(places[k].value + j)]) continue;
      r_[at] = rows[j];
      if (level_ == ConstraintLevel::position) rates_[at] = share.rate()[b.offset + j];
    }
  }
}

void RowCopies::add(int, LocalSystem& share) {
  ConstraintRows& rows = copies.emplace_back();
  rows.K = share.K();
  if (share.has_rate_gradient()) rows.rate_gradient = share.rate_gradient();
}

void CompliantInstances::find(std::span<const RangePlan> plans, const Layout& layout) {
  places_.clear();
  for (std::size_t p = 0; p < plans.size(); ++p)
    for (int i = 0; i < plans[p].range->size(); ++i)
      if (std::ranges::any_of(plans[p].coupled(i), [&](const BlockPair& pair) {
            const auto blocks = plans[p].stencil(i);
            return pair.row == pair.column &&
                   blocks[static_cast<std::size_t>(pair.row)].kind == BlockKind::multiplier;
          }))
        places_.push_back({p, i});
  int found = places_.empty() ? 0 : 1;
  if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, layout.comm());
  any_ = found != 0;
}

void CompliantInstances::evaluate(std::span<const RangePlan> plans, const Model& model, int rank,
                                  const State& state, const Request& request, ShareSink& sink,
                                  LocalFault& fault,
                                  const std::function<void(const RangePlan&)>& begin) const {
  int entity = -1;
  try {
    State still = state;
    for (const auto& [p, i] : places_) {
      const RangePlan& plan = plans[p];
      entity = plan.range->entity(i);
      const auto blocks = plan.stencil(i);
      const BlockPlace* places = plan.place_of[static_cast<std::size_t>(i)];
      for (std::size_t k = 0; k < blocks.size(); ++k)
        if (blocks[k].kind == BlockKind::multiplier)
          std::fill_n(still.value.begin() + places[k].value, blocks[k].size, 0.0);
      begin(plan);
      const PluginCall call(model, *plan.range, i);
      plan.range->evaluate(i, i + 1, still, plan.place_of, request, sink);
    }
  } catch (...) {
    fault.capture(entity < 0 ? nullptr : &model.entities[static_cast<std::size_t>(entity)], rank, state.time);
  }
}

}  // namespace trammel
