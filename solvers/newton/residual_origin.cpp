#include "solvers/newton/residual_origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernel/instance_plan.hpp"
#include "kernel/rank_exchange.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/newton/algebraic_sizes.hpp"
#include "solvers/newton/first_block.hpp"

namespace trammel {

namespace {

int kind_index(BlockKind kind) { return static_cast<int>(kind); }

// Contributions that differ only by rounding count as equal, so that a message names the same one on any number of
// ranks: the first.
constexpr double as_large = 1 - 1e-9;

/// Remembers which instance contributes most to the rows of one unknown block.
class WorstContributionSink final : public ContributionSink {
 public:
  WorstContributionSink(std::int32_t unknown, int component) : unknown_(unknown), component_(component) {}

  void begin(const RangePlan& plan) { plan_ = &plan; }
  void add(int i, LocalSystem& contribution) override {
    for (const StencilBlock& b : plan_->stencil(i)) {
      if (b.unknown != unknown_) continue;
      double value = std::abs(contribution.residual()[b.offset + component_]);
      if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
      if (value > largest || entity < 0) {
        largest = value;
        entity = plan_->range->entity(i);
      }
    }
  }

  double largest = -1;
  int entity = -1;

 private:
  const RangePlan* plan_ = nullptr;
  std::int32_t unknown_;
  int component_;
};

/// Whether an instance's numbers are finite, those of its tangent by the weights that they get.
class FiniteSink final : public ContributionSink {
 public:
  explicit FiniteSink(const TangentWeights& weights) : weights_(weights) {}

  void add(int, LocalSystem& contribution) override {
    residual = contribution.residual().allFinite() &&
               (!contribution.has_rate() || contribution.rate().allFinite()) &&
               (!contribution.has_bias() || contribution.bias().allFinite());
    tangent = (!contribution.has_K() || (weights_.stiffness * contribution.K()).allFinite()) &&
              (!contribution.has_D() || (weights_.damping * contribution.D()).allFinite()) &&
              (!contribution.has_M() || (weights_.mass * contribution.M()).allFinite()) &&
              (!contribution.has_rate_gradient() || contribution.rate_gradient().allFinite());
  }

  bool residual = true, tangent = true;

 private:
  const TangentWeights& weights_;
};

}  // namespace

std::string not_finite(Assembler& assembler, const State& state, ConstraintLevel level,
                       const TangentWeights& weights) {
  const Layout& layout = assembler.layout();
  Request request;
  request.tangent = true;
  request.rates = layout.stabilized() || level == ConstraintLevel::velocity;
  request.bias = level == ConstraintLevel::acceleration;
  constexpr int none = std::numeric_limits<int>::max();
  int first[2] = {none, none};  // entities: residual, tangent
  FiniteSink sink(weights);
  for (const RangePlan& plan : assembler.plans())
    for (const int i : plan.instances) {
      sink.residual = sink.tangent = true;
      try {
        if (assembler.asleep(plan, i)) continue;
        plan.range->evaluate(i, i + 1, state, plan.offset_of, request, sink);
      } catch (...) {  // has been reported where it was evaluated first
        continue;
      }
      const int entity = plan.range->entity(i);
      if (!sink.residual) first[0] = std::min(first[0], entity);
      if (!sink.tangent) first[1] = std::min(first[1], entity);
    }
  MPI_Allreduce(MPI_IN_PLACE, first, 2, MPI_INT, MPI_MIN, layout.comm());
  const int found = first[0] != none ? first[0] : first[1];
  if (found == none) return {};
  const Entity& e = assembler.model().entities[static_cast<std::size_t>(found)];
  const std::string where = e.where.text();
  return fmt::format("the {} of {} '{}' (type '{}' of plugin '{}'{}{})",
                     first[0] != none ? "residual" : "tangent", e.category, e.name, e.type, e.plugin,
                     where.empty() ? "" : ", ", where);
}

WorstResidual worst_residual(Assembler& assembler, const State& state, ConstraintLevel level,
                             std::span<const double> kind_scale) {
  const Layout& layout = assembler.layout();
  const Model& model = assembler.model();
  const OwnedVec r(layout.create_vector());
  std::vector<double> local;
  WorstResidual result;
  if (!assembler.residual(state, level, r.get())) return result;
  layout.to_local(r.get(), local);
  AlgebraicSizes algebraic;
  if (assembler.has_algebraic()) algebraic_sizes(assembler, state, algebraic);
  // A number with a nominal size is divided by this size, and its generalized force multiplied by it.
  const auto size_of = [&](const UnknownBlock& u, int k) {
    double value = std::abs(local[static_cast<std::size_t>(u.local + k)]);
    const Measure measure = model.block(u.block).measure(k);
    if (u.kind == BlockKind::algebraic) {
      const auto i = static_cast<std::size_t>(u.local + k);
      if (i < algebraic.equation.size() && algebraic.equation[i] > 0) value /= algebraic.equation[i];
    } else if (measure.dimension == Dimension::nominal)
      value = is_kinematic(u.kind) ? value * measure.size : value / measure.size;
    const double scaled = value / std::max(kind_scale[static_cast<std::size_t>(kind_index(u.kind))], 1e-300);
    return std::isnan(scaled) ? std::numeric_limits<double>::infinity() : scaled;
  };
  double largest = -1;
  for (const UnknownBlock& u : layout.unknowns())
    for (int k = 0; u.owned && k < u.size; ++k) largest = std::max(largest, size_of(u, k));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, layout.comm());
  BlockId mine = no_block;
  int component = 0;
  double raw = 0;
  for (const UnknownBlock& u : layout.unknowns())
    for (int k = 0; u.owned && k < u.size; ++k)
      if ((mine == no_block || u.block < mine) && size_of(u, k) >= as_large * largest) {
        mine = u.block;
        component = k;
        raw = std::abs(local[static_cast<std::size_t>(u.local + k)]);
      }
  const auto [block, from] = first_block(mine, layout.comm());
  if (block == no_block) return result;
  MPI_Bcast(&component, 1, MPI_INT, from, layout.comm());
  MPI_Bcast(&raw, 1, MPI_DOUBLE, from, layout.comm());
  result.value = raw;
  result.block = block;
  result.component = component;
  // Other ranks need not know the block.
  std::string about;
  if (from == layout.rank()) {
    const Block& b = model.block(result.block);
    const std::string unit = is_multiplier(b.kind) ? b.measure(result.component).unit() : b.unit;
    about = static_cast<char>('0' + kind_index(b.kind)) + unit + '\n' + model.block_name(result.block);
  }
  broadcast_text(about, from, layout.comm());
  const std::size_t end = about.find('\n');
  result.kind = static_cast<BlockKind>(about[0] - '0');
  result.unit = about.substr(1, end - 1);
  result.name = about.substr(end + 1);

  const UnknownBlock* u = layout.knows(result.block) ? layout.unknown_of(result.block) : nullptr;
  const std::int32_t unknown = u == nullptr ? -2 : static_cast<std::int32_t>(u - layout.unknowns().data());
  WorstContributionSink sink(unknown, component);
  for (const RangePlan& plan : assembler.plans())
    for (const int i : plan.instances) {
      sink.begin(plan);
      try {
        if (!assembler.asleep(plan, i))
          plan.range->evaluate(i, i + 1, state, plan.offset_of, Request{}, sink);
      } catch (...) {  // has been reported where it was evaluated first
      }
    }
  double largest_partition = sink.largest;
  MPI_Allreduce(MPI_IN_PLACE, &largest_partition, 1, MPI_DOUBLE, MPI_MAX, layout.comm());
  constexpr int none = std::numeric_limits<int>::max();
  int entity = sink.entity >= 0 && sink.largest >= as_large * largest_partition ? sink.entity : none;
  MPI_Allreduce(MPI_IN_PLACE, &entity, 1, MPI_INT, MPI_MIN, layout.comm());
  if (entity != none) {
    const Entity& e = model.entities[static_cast<std::size_t>(entity)];
    result.entity = fmt::format("{} '{}' ({})", e.category, e.name, e.type);
    result.where = e.where;
  }
  return result;
}

}  // namespace trammel
