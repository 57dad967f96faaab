#include "solvers/consistent_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/row_units.hpp"

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
    throw Error(fmt::format("at the start, t = {:g}, {}", state.time, assembler_.rejection()));
}

double ConsistentStart::assemble(State& state, const AssembleStage& options) {
  const Layout& layout = assembler_.layout();
  double first = 0;
  for (int iteration = 0;; ++iteration) {
    if (!assembler_.residual(state, ConstraintLevel::position, mass_.r()))
      throw Error("positions cannot be assembled: " + assembler_.rejection());
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

void ConsistentStart::close(const State& state, ConstraintLevel level) {
  residual(state, level);
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k) rows[k] = is_multiplier(u.kind) ? -rows[k] : 0.0;
  });
  solve();
}

bool ConsistentStart::find_giving(const State& state) {
  State free = state;
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    if (is_multiplier(u.kind)) std::fill_n(free.value.data() + u.place.value, u.size, 0.0);
  assembler_.layout().update_shared(free);
  gives_.assign(static_cast<std::size_t>(assembler_.layout().owned_size()), 0);
  std::vector<double> loaded(gives_.size());
  residual(state, ConstraintLevel::position);
  mass_.each_owned(
      [&](const UnknownBlock& u, double* rows) { std::copy_n(rows, u.size, &loaded[at(u.local)]); });
  if (!assembler_.residual(free, ConstraintLevel::position, mass_.r())) return false;
  int any = 0;
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k) {
      if (u.kind != BlockKind::multiplier || rows[k] == loaded[at(u.local + k)]) continue;
      gives_[at(u.local + k)] = 1;
      any = 1;
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, assembler_.layout().comm());
  return any != 0;
}

void ConsistentStart::settle(State& state) {
  if (!find_giving(state)) return;
  prepare(state);
  settle_giving(state);
}

void ConsistentStart::settle_giving(State& state) {
  close(state, ConstraintLevel::velocity);
  mass_.push_bare(&State::rate, state);
  close(state, ConstraintLevel::acceleration);
  mass_.push_bare(&State::acceleration, state);
}

double ConsistentStart::velocities(State& state) {
  const double before = assembler_.energy(state).kinetic;
  prepare(state);
  close(state, ConstraintLevel::velocity);
  mass_.push(state);
  return assembler_.energy(state).kinetic - before;
}

std::array<double, 2> ConsistentStart::impulse(const std::vector<BlockId>& multipliers) const {
  const Layout& layout = assembler_.layout();
  std::array<double, 2> sums{0, 0};
  for (const BlockId id : multipliers) {
    const UnknownBlock* u = layout.knows(id) ? layout.unknown_of(id) : nullptr;
    if (u == nullptr || !u->owned) continue;
    for (int k = 0; k < u->size; ++k) {
      const std::string_view unit = row_unit(assembler_.model().block(id), k);
      sums[unit == "m" || unit == "m/s" ? 0 : 1] +=
          std::pow(scales_.mass * mass_.solution()[at(u->local + k)], 2);
    }
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

bool ConsistentStart::differentiate(const State& state, double h) {
  // B v'' is minus the rate of B v' + bias along the motion with v' held.
  constexpr double part = 0.1;  // of a step
  const double tau = part * h;
  const Layout& layout = assembler_.layout();
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
  if (!now || !then || !with || !without) return false;
  jerk_.resize(now->size());
  turning_.resize(now->size());
  for (std::size_t i = 0; i < jerk_.size(); ++i) {
    jerk_[i] = -((*then)[i] - (*now)[i]) / tau;
    turning_[i] = (*with)[i] - (*without)[i];
  }
  return true;
}

std::vector<double> ConsistentStart::spread(double kappa) const {
  std::vector<double> rows(jerk_.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = kappa * jerk_[i] + turning_[i];
  return rows;
}

void ConsistentStart::lead(State& state, std::vector<double>& algorithmic, double h, double lead,
                           double kappa) {
  prepare(state);
  if (!differentiate(state, h)) return;
  solve_for(jerk_, false);
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    if (is_kinematic(u.kind))
      for (int k = 0; k < u.size; ++k)
        algorithmic[at(u.place.dof + k)] += lead * h * mass_.solution()[at(u.local + k)];
  std::vector<double> rows = spread(kappa);
  for (double& row : rows) row *= h * h;
  solve_for(rows, true);
  mass_.push(state);
}

void ConsistentStart::change_step(State& state, double from, double to, double kappa) {
  const bool gives = find_giving(state);
  prepare(state);
  if (gives && to > from) settle_giving(state);
  std::vector<double> given(gives_.size(), 0.0);
  if (gives && differentiate(state, std::max(from, to))) given = spread(kappa);
  residual(state, ConstraintLevel::velocity);
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k) {
      const double error = gives_[at(u.local + k)] != 0 ? from * from * given[at(u.local + k)] : rows[k];
      rows[k] = is_multiplier(u.kind) ? (to * to / (from * from) - 1) * error : 0.0;
    }
  });
  solve();
  mass_.push(state);
}

}  // namespace trammel
