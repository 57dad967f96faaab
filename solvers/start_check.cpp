#include "solvers/start_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/petsc_owned.hpp"

namespace trammel {

namespace {

// A gap of the model's length, and a rate of the largest velocity, that a start may have. Joints that are read with
// gaps of this size are taken to be closed.
constexpr double allowed_gap = 1e-5;
constexpr double allowed_rate = 1e-6;

WorstResidual worst_constraint(Assembler& assembler, const State& state, ConstraintLevel level) {
  std::array<double, 6> kinds{};
  kinds.fill(1e300);
  kinds[static_cast<std::size_t>(BlockKind::multiplier)] = 1;
  WorstResidual worst = assembler.worst(state, level, kinds);
  if (worst.block == no_block || worst.kind != BlockKind::multiplier) worst.value = 0;
  return worst;
}

std::string unit_of(const WorstResidual& worst) {
  return worst.unit.empty() ? std::string() : " " + worst.unit;
}

/// The row of a joint that does not hold at present is its multiplier, which is still that of the time before: it is
/// set to zero. Others stay: the gap of an elastic contact depends on its force.
State without_idle_multipliers(Assembler& assembler, const State& state) {
  const Layout& layout = assembler.layout();
  const OwnedVec r(layout.create_vector());
  State free = state;
  if (!assembler.residual(state, ConstraintLevel::position, r.get())) return free;
  std::vector<double> rows;  // of ghosts too: a joint may be evaluated where its multipliers are ghosts
  layout.to_local(r.get(), rows);
  for (const UnknownBlock& u : layout.unknowns()) {
    if (u.kind != BlockKind::multiplier) continue;
    const auto value = free.value.begin() + u.place.value;
    if (std::equal(value, value + u.size, rows.begin() + u.local)) std::fill_n(value, u.size, 0.0);
  }
  return free;
}

WorstResidual worst_gap(Assembler& assembler, const State& state) {
  return worst_constraint(assembler, without_idle_multipliers(assembler, state), ConstraintLevel::position);
}

bool is_open(const WorstResidual& worst, const ModelScales& scales) {
  return worst.value > allowed_gap * std::max(scales.length, 1.0);
}

}  // namespace

bool is_closed(Assembler& assembler, const State& state, const ModelScales& scales) {
  return !is_open(worst_gap(assembler, state), scales);
}

void require_closed(Assembler& assembler, const State& state, const ModelScales& scales) {
  const WorstResidual worst = worst_gap(assembler, state);
  if (!is_open(worst, scales)) return;
  throw Error(worst.where,
              fmt::format("{} is open by {:.6g}{} at the start, t = {:g}: it would jump. Let it begin where "
                          "the model stands, or let a stage of type assemble come before",
                          worst.entity, worst.value, unit_of(worst), state.time));
}

void require_closed_rates(Assembler& assembler, const State& state) {
  double fastest = 0;
  for (const double v : state.rate) fastest = std::max(fastest, std::abs(v));
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
