#include "solvers/start/start_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/linear/petsc_owned.hpp"
#include "solvers/newton/residual_origin.hpp"

namespace trammel {

namespace {

// A gap of the model's length, and a rate of the largest velocity, that a start may have. Joints that are read with
// gaps of this size are taken to be closed.
constexpr double allowed_gap = 1e-5;
constexpr double allowed_rate = 1e-6;

WorstResidual worst_constraint(Assembler& assembler, const State& state, ConstraintLevel level) {
  std::array<double, block_kinds> kinds{};
  kinds.fill(1e300);
  kinds[static_cast<std::size_t>(BlockKind::multiplier)] = 1;
  WorstResidual worst = worst_residual(assembler, state, level, kinds);
  if (worst.block == no_block || worst.kind != BlockKind::multiplier) worst.value = 0;
  return worst;
}

std::string unit_of(const WorstResidual& worst) {
  return worst.unit.empty() ? std::string() : " " + worst.unit;
}

bool is_open(const WorstResidual& worst, const ModelScales& scales) {
  return worst.value > allowed_gap * std::max(scales.length, 1.0);
}

}  // namespace

bool is_closed(Assembler& assembler, const State& state, const ModelScales& scales) {
  return !is_open(worst_constraint(assembler, state, ConstraintLevel::position), scales);
}

void require_closed(Assembler& assembler, const State& state, const ModelScales& scales) {
  const WorstResidual worst = worst_constraint(assembler, state, ConstraintLevel::position);
  if (!is_open(worst, scales)) return;
  throw Error(worst.where,
              fmt::format("{} is open by {:.6g}{} at the start, t = {:g}: it would jump. Let it begin where "
                          "the model stands, or let a stage of type assemble come before",
                          worst.entity, worst.value, unit_of(worst), state.time));
}

void require_closed_rates(Assembler& assembler, const State& state) {
  double fastest = 0;
  for (const UnknownBlock& u : assembler.layout().unknowns()) {
    if (!is_kinematic(u.kind)) continue;
    const Block& block = assembler.model().block(u.block);
    for (int k = 0; k < u.size; ++k)
      fastest = std::max(fastest, std::abs(state.rate[static_cast<std::size_t>(u.offset.dof + k)]) /
                                      typical_size(block.measure(k)));
  }
  MPI_Allreduce(MPI_IN_PLACE, &fastest, 1, MPI_DOUBLE, MPI_MAX, assembler.layout().comm());
  const WorstResidual worst = worst_constraint(assembler, state, ConstraintLevel::velocity);
  if (!(worst.value > allowed_rate * fastest + 1e-12)) return;
  const std::string unit = unit_of(worst);
  throw Error(
      worst.where,
      fmt::format("{} opens at {:.6g}{} at the start, t = {:g}: its velocity would jump. Give velocities "
                  "that fit, or `start: consistent`",
                  worst.entity, worst.value, unit.empty() ? unit : unit + "/s", state.time));
}

}  // namespace trammel
