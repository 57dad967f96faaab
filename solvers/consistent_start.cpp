#include "solvers/consistent_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

ConsistentStart::ConsistentStart(Assembler& assembler, const ModelScales& scales, Timings& timings)
    : assembler_(assembler), scales_(scales), mass_(assembler, scales, timings) {}

void ConsistentStart::prepare(const State& state) {
  if (!mass_.prepare(state)) throw Error("at the start " + mass_.why());
}

void ConsistentStart::solve() {
  if (!mass_.solve()) throw Error("at the start " + mass_.why());
}

void ConsistentStart::residual(const State& state, ConstraintLevel level) {
  if (!assembler_.residual(state, level, mass_.r()))
    throw Error(fmt::format("the start at t = {:g} is outside the domain of an element", state.time));
}

double ConsistentStart::assemble(State& state, const AssembleStage& options) {
  const Layout& layout = assembler_.layout();
  double first = 0;
  for (int iteration = 0;; ++iteration) {
    if (!assembler_.residual(state, ConstraintLevel::position, mass_.r()))
      throw Error("the positions to be assembled are outside the domain of an element");
    double violation = 0;
    mass_.each_owned([&](const UnknownBlock& u, double* rows) {
      for (int k = 0; k < u.size; ++k) {
        if (u.kind != BlockKind::multiplier)
          rows[k] = 0;
        else
          violation = std::max(violation, std::abs(rows[k]));
        rows[k] = -rows[k];
      }
    });
    MPI_Allreduce(MPI_IN_PLACE, &violation, 1, MPI_DOUBLE, MPI_MAX, layout.comm());
    if (iteration == 0) first = violation;
    if (violation <= options.tolerance * scales_.length) return first;
    if (iteration >= options.max_iterations || !std::isfinite(violation)) {
      std::array<double, 6> kinds{};
      kinds.fill(1e300);
      kinds[static_cast<std::size_t>(BlockKind::multiplier)] = 1;
      const WorstResidual worst = assembler_.worst(state, ConstraintLevel::position, kinds);
      throw Error(worst.where, fmt::format("the model cannot be assembled: after {} "
                                           "iterations {} is still open by {:.3g}",
                                           iteration, worst.entity, worst.value));
    }
    prepare(state);
    solve();
    double turn = 0;
    for (const UnknownBlock& u : layout.unknowns())
      if (u.kind == BlockKind::rotation)
        for (int k = 0; k < u.size; ++k) turn = std::max(turn, std::abs(mass_.solution()[at(u.local + k)]));
    MPI_Allreduce(MPI_IN_PLACE, &turn, 1, MPI_DOUBLE, MPI_MAX, layout.comm());
    mass_.move(state, std::min(1.0, 0.5 / std::max(turn, 1e-300)));
  }
}

void ConsistentStart::scale_violation(State& state, double factor) {
  residual(state, ConstraintLevel::velocity);
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k) rows[k] = is_multiplier(u.kind) ? (factor - 1) * rows[k] : 0.0;
  });
  prepare(state);
  solve();
  mass_.push(state);
}

double ConsistentStart::velocities(State& state) {
  const double before = assembler_.energy(state).kinetic;
  scale_violation(state, 0);
  return assembler_.energy(state).kinetic - before;
}

std::array<double, 2> ConsistentStart::impulse(const std::vector<BlockId>& multipliers) const {
  const Layout& layout = assembler_.layout();
  std::array<double, 2> sums{0, 0};
  for (const BlockId id : multipliers) {
    const UnknownBlock* u = layout.knows(id) ? layout.unknown_of(id) : nullptr;
    if (u == nullptr || !u->owned) continue;
    const std::string& unit = assembler_.model().block(id).unit;
    double& sum = sums[unit == "m" || unit == "m/s" ? 0 : 1];
    for (int k = 0; k < u->size; ++k) sum += std::pow(scales_.mass * mass_.solution()[at(u->local + k)], 2);
  }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, layout.comm());
  return {std::sqrt(sums[0]), std::sqrt(sums[1])};
}

void ConsistentStart::accelerations(State& state) {
  prepare(state);
  // The system is linear; a second pass removes what the neglected part of D and rounding left.
  for (int pass = 0; pass < 2; ++pass) {
    residual(state, ConstraintLevel::acceleration);
    TRAMMEL_PETSC(VecScale(mass_.r(), -1));
    solve();
    mass_.accelerate(state);
  }
}

std::optional<std::vector<double>> ConsistentStart::acceleration_rows(const State& state) {
  if (!assembler_.residual(state, ConstraintLevel::acceleration, mass_.r())) return std::nullopt;
  std::vector<double> rows(static_cast<std::size_t>(assembler_.layout().owned_size()), 0.0);
  mass_.each_owned([&](const UnknownBlock& u, double* r) {
    if (is_multiplier(u.kind)) std::copy_n(r, u.size, &rows[at(u.local)]);
  });
  return rows;
}

void ConsistentStart::solve_for(const std::vector<double>& rows, bool position_only) {
  mass_.each_owned([&](const UnknownBlock& u, double* r) {
    const bool take =
        u.kind == BlockKind::multiplier || (!position_only && u.kind == BlockKind::velocity_multiplier);
    for (int k = 0; k < u.size; ++k) r[k] = take ? rows[at(u.local + k)] : 0.0;
  });
  solve();
}

void ConsistentStart::lead(State& state, std::vector<double>& algorithmic, double h, double lead,
                           double spread) {
  // B v'' is minus the rate of B v' + bias along the motion with v' held.
  constexpr double part = 0.1;  // of a step
  const double tau = part * h;
  const Layout& layout = assembler_.layout();
  prepare(state);
  State later = state, turned = state, still = state;
  later.time += tau;
  std::ranges::fill(turned.acceleration, 0.0);
  std::ranges::fill(still.acceleration, 0.0);
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!is_kinematic(u.kind)) continue;
    Eigen::Map<Eigen::VectorXd> v(later.rate.data() + u.place.dof, u.size);
    const Eigen::Map<const Eigen::VectorXd> a(state.acceleration.data() + u.place.dof, u.size);
    move_block(u, Eigen::VectorXd(tau * v + 0.5 * tau * tau * a).data(), 1, later);
    v += tau * a;
    if (u.kind != BlockKind::rotation) continue;
    const Eigen::Map<const Vec3> w(state.rate.data() + u.place.dof), dw(a.data());
    Eigen::Map<Vec3>(turned.acceleration.data() + u.place.dof) = w.cross(dw) / 12;
  }
  layout.update_shared(later);
  layout.update_shared(turned);
  const auto now = acceleration_rows(state), then = acceleration_rows(later),
             with = acceleration_rows(turned), without = acceleration_rows(still);
  if (!now || !then || !with || !without) return;

  std::vector<double> jerk(now->size());
  for (std::size_t i = 0; i < jerk.size(); ++i) jerk[i] = -((*then)[i] - (*now)[i]) / tau;
  solve_for(jerk, false);
  for (const UnknownBlock& u : layout.unknowns())
    if (is_kinematic(u.kind))
      for (int k = 0; k < u.size; ++k)
        algorithmic[at(u.place.dof + k)] += lead * h * mass_.solution()[at(u.local + k)];
  for (std::size_t i = 0; i < jerk.size(); ++i)
    jerk[i] = h * h * (spread * jerk[i] + (*with)[i] - (*without)[i]);
  solve_for(jerk, true);
  mass_.push(state);
}

}  // namespace trammel
