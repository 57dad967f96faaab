#include "kernel/row_evaluation.hpp"

#include "kernel/slipping_rows.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

/// Makes `row` of a contribution say that `value` is zero.
void write_zero(LocalSystem& contribution, int row, double value, bool multiplier) {
  contribution.residual()[row] = value;
  if (contribution.request.tangent) {
    contribution.K().row(row).setZero();
    contribution.K()(row, row) = 1;
    if (contribution.has_D()) contribution.D().row(row).setZero();
    if (contribution.has_M()) contribution.M().row(row).setZero();
  }
  if (!multiplier) return;
  if (contribution.request.rates) {
    contribution.rate()[row] = 0;
    if (contribution.request.tangent) contribution.rate_gradient().row(row).setZero();
  }
  // The equation at acceleration level is B a + bias = 0.
  if (contribution.request.bias) contribution.bias()[row] = value;
}

/// Takes the compliant rows of an instance from its evaluation with multipliers of zero.
class CompliantRows final : public ContributionSink {
 public:
  CompliantRows(std::span<const StencilBlock> blocks, LocalSystem& into) : blocks_(blocks), into_(into) {}

  void add(int, LocalSystem& contribution) override {
    for (const StencilBlock& b : blocks_)
      for (int a = 0; a < b.size; ++a)
        if (b.is_compliant(a)) take(contribution, b.offset + a);
  }

 private:
  void take(LocalSystem& contribution, int row) {
    into_.residual()[row] = contribution.residual()[row];
    if (contribution.has_rate()) into_.rate()[row] = contribution.rate()[row];
    if (contribution.has_bias()) into_.bias()[row] = contribution.bias()[row];
    if (contribution.has_K()) {
      into_.K().row(row) = contribution.K().row(row);
      for (const StencilBlock& b : blocks_)
        if (b.own && is_multiplier(b.kind)) into_.K().row(row).segment(b.offset, b.size).setZero();
    }
    if (contribution.has_rate_gradient())
      into_.rate_gradient().row(row) = contribution.rate_gradient().row(row);
  }

  std::span<const StencilBlock> blocks_;
  LocalSystem& into_;
};

}  // namespace

bool RowEvaluation::asleep(const RangePlan& plan, int i) const {
  if (!plan.traits[at(i)].may_rest) return false;
  for (const StencilBlock& b : plan.stencil(i))
    if (b.own && is_multiplier(b.kind) && !statuses_.all_inactive(b.id, b.size)) return false;
  return true;
}

void RowEvaluation::evaluate(const RangePlan& plan, int i, const State& state, const State* at_zero,
                             const Request& request, ContributionSink& sink) const {
  const auto blocks = plan.stencil(i);
  const BlockOffset* offsets = plan.offset_of[at(i)];
  if (asleep(plan, i)) {
    thread_local LocalSystems systems;
    LocalSystem& contribution = systems.of(request);
    const StencilBlock& last = blocks.back();
    contribution.begin(last.offset + last.size);
    if (request.rates) contribution.rate();
    if (request.bias) contribution.bias();
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const StencilBlock& b = blocks[k];
      if (!b.own) continue;
      const bool multiplier = is_multiplier(b.kind);
      const auto held = multiplier ? held_.end() : held_.find(b.id);
      for (int a = 0; a < b.size; ++a) {
        const double value = state.value[at(offsets[k].value + a)];
        const double from = held == held_.end() ? 0.0 : held->second[at(a)];
        write_zero(contribution, b.offset + a, multiplier ? value : value - from, multiplier);
      }
    }
    sink.add(i, contribution);
    return;
  }

  class AsTheyStand final : public ContributionSink {
   public:
    AsTheyStand(const RowEvaluation& rows, const RangePlan& plan, const State& state, const State* at_zero,
                ContributionSink& to)
        : rows_(rows), plan_(plan), state_(state), at_zero_(at_zero), to_(to) {}
    void add(int i, LocalSystem& contribution) override {
      const auto blocks = plan_.stencil(i);
      const BlockOffset* offsets = plan_.offset_of[at(i)];
      if (at_zero_ != nullptr && plan_.traits[at(i)].compliant) {
        CompliantRows compliant(blocks, contribution);
        Request beside =
            contribution.request;  // another one, so that the range does not use the same contribution
        beside.rigid = false;
        plan_.range->evaluate(i, i + 1, *at_zero_, plan_.offset_of, beside, compliant);
      }
      for (std::size_t k = 0; k < blocks.size(); ++k) {
        const StencilBlock& b = blocks[k];
        if (!b.may_rest || rows_.statuses_.all_active(b.id)) continue;
        for (int a = 0; a < b.size; ++a)
          if (rows_.statuses_.inactive(b.id, a))
            write_zero(contribution, b.offset + a, state_.value[at(offsets[k].value + a)], true);
        if (rows_.statuses_.of(b.id, 0) == RowStatus::slips)
          write_slipping_rows(rows_.model_.frictions.at(b.id), rows_.slip_directions_.at(b.id), blocks, k,
                              state_, offsets, contribution);
      }
      to_.add(i, contribution);
    }

   private:
    const RowEvaluation& rows_;
    const RangePlan& plan_;
    const State& state_;
    const State* at_zero_;
    ContributionSink& to_;
  } as_they_stand(*this, plan, state, at_zero, sink);
  plan.range->evaluate(i, i + 1, state, plan.offset_of, request, as_they_stand);
}

}  // namespace trammel
