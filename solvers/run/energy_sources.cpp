#include "solvers/run/energy_sources.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/instance_plan.hpp"

namespace trammel {

namespace {

/// The power that one instance's rows take from the motion.
class PowerSink final : public ContributionSink {
 public:
  explicit PowerSink(const State& state) : state_(state) {}

  void begin(const RangePlan& plan) { plan_ = &plan; }
  void add(int i, LocalSystem& contribution) override {
    power = 0;
    const auto r = contribution.residual();
    const BlockOffset* offsets = plan_->offset_of[static_cast<std::size_t>(i)];
    const std::span<const StencilBlock> blocks = plan_->stencil(i);
    for (std::size_t k = 0; k < blocks.size(); ++k)
      if (is_kinematic(blocks[k].kind))
        power += r.segment(blocks[k].offset, blocks[k].size)
                     .dot(ConstVectorMap(state_.rate.data() + offsets[k].dof, blocks[k].size));
  }

  double power = 0;  ///< of the last instance [W]

 private:
  const State& state_;
  const RangePlan* plan_ = nullptr;
};

/// The state with multipliers of zero.
State without_multipliers(State state, const Assembler& assembler) {
  for (const RangePlan& plan : assembler.plans())
    for (const int i : plan.instances) {
      const std::span<const StencilBlock> blocks = plan.stencil(i);
      const BlockOffset* offsets = plan.offset_of[static_cast<std::size_t>(i)];
      for (std::size_t k = 0; k < blocks.size(); ++k)
        if (is_multiplier(blocks[k].kind))
          std::fill_n(state.value.begin() + offsets[k].value, blocks[k].size, 0.0);
    }
  return state;
}

}  // namespace

EnergySources::Account EnergySources::account(const State& state) const {
  const std::size_t entities = assembler_.model().entities.size();
  Account a{std::vector<double>(entities), std::vector<double>(entities), std::vector<double>(entities)};
  const State free = without_multipliers(state, assembler_);
  PowerSink all(state), own(state);
  const bool accepted = assembler_.each_instance(state, [&](const RangePlan& plan, int i,
                                                            const LocalState& x) {
    const int entity = plan.range->entity(i);
    if (entity < 0 || assembler_.asleep(plan, i)) return;
    const auto e = static_cast<std::size_t>(entity);
    const Energy energy = plan.range->energy(i, x);
    all.begin(plan);
    own.begin(plan);
    plan.range->evaluate(i, i + 1, state, plan.offset_of, Request{}, all);
    plan.range->evaluate(i, i + 1, free, plan.offset_of, Request{}, own);
    a.stored[e] += energy.kinetic + energy.strain + energy.potential;
    a.dissipated_less_work[e] += energy.dissipated_power - all.power;
    if (energy.kinetic == 0 && energy.strain == 0 && energy.potential == 0 && energy.dissipated_power == 0)
      a.silent[e] += own.power;
  });
  if (!accepted) assembler_.throw_refused(state);
  return a;
}

void EnergySources::add(const State& before, const State& after, double h) {
  const Account from = account(before), to = account(after);
  gained_.resize(from.stored.size());
  silent_work_.resize(from.stored.size());
  for (std::size_t e = 0; e < from.stored.size(); ++e) {
    gained_[e] +=
        to.stored[e] - from.stored[e] + 0.5 * h * (from.dissipated_less_work[e] + to.dissipated_less_work[e]);
    silent_work_[e] += 0.5 * h * (from.silent[e] + to.silent[e]);
  }
}

std::vector<double> EnergySources::over_ranks(std::vector<double> mine) const {
  if (assembler_.layout().ranks() > 1)
    MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM,
                  assembler_.layout().comm());
  return mine;
}

void EnergySources::serialize(Archive& archive) {
  for (std::vector<double>* numbers : {&gained_, &silent_work_}) {
    std::vector<double> all = archive.reads() ? *numbers : over_ranks(*numbers);
    archive(all);
    if (!archive.reads()) continue;
    *numbers = std::move(all);
    if (assembler_.layout().rank() != 0) std::ranges::fill(*numbers, 0.0);
  }
}

EnergySources::Source EnergySources::largest() const {
  const std::vector<double> all = over_ranks(gained_);
  const auto most = std::ranges::max_element(all);
  if (most == all.end()) return {};
  return {static_cast<int>(most - all.begin()), *most};
}

std::vector<int> EnergySources::silent(double least) const {
  const std::vector<double> work = over_ranks(silent_work_);
  std::vector<int> found;
  for (std::size_t e = 0; e < work.size(); ++e)
    if (std::abs(work[e]) > least) found.push_back(static_cast<int>(e));
  return found;
}

}  // namespace trammel
