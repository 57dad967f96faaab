#include "solvers/start/consistent_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "solvers/newton/motion_copy.hpp"
#include "solvers/newton/residual_origin.hpp"
#include "solvers/reviews/row_switches.hpp"
#include "solvers/start/algorithmic_start.hpp"
#include "solvers/start/model_energy.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// A unilateral row opens at an impact if its impulse is tensile and larger than the part `pulls` of the largest impulse of such
// rows, and than the part `no_impulse` of a typical mass times the model's length per second.
constexpr double pulls = 1e-3;
constexpr double no_impulse = 1e-9;
// Times that the laws of rows are asked at a restart.
constexpr int most_rounds = 50;
}  // namespace

ConsistentStart::ConsistentStart(ModelHistory& history, const ModelScales& scales, Timings& timings)
    : history_(history),
      assembler_(history.assembler()),
      scales_(scales),
      mass_(assembler_, scales, timings),
      algebraic_(assembler_, timings) {}

void ConsistentStart::prepare(const State& state) {
  if (!mass_.prepare(state)) throw Error("at the start " + mass_.why());
}

void ConsistentStart::solve(bool forces) {
  if (!mass_.solve(forces)) throw Error("at the start " + mass_.why());
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
      const Block& block = assembler_.model().block(u.block);
      for (int k = 0; k < u.size; ++k) {
        if (u.kind != BlockKind::multiplier)
          rows[k] = 0;
        else
          violation = std::max(violation, std::abs(rows[k]) / typical_size(block.measure(k)));
        rows[k] = -rows[k];
      }
    });
    MPI_Allreduce(MPI_IN_PLACE, &violation, 1, MPI_DOUBLE, MPI_MAX, layout.comm());
    if (iteration == 0) first = violation;
    if (violation <= options.tolerance * scales_.length) return first;
    if (iteration >= options.max_iterations || !std::isfinite(violation)) {
      std::array<double, block_kinds> kinds{};
      kinds.fill(1e300);
      kinds[static_cast<std::size_t>(BlockKind::multiplier)] = 1;
      const WorstResidual worst = worst_residual(assembler_, state, ConstraintLevel::position, kinds);
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

void ConsistentStart::close_gaps(State& state) {
  constexpr int passes = 3;
  constexpr double closed = 1e-15;  // of the model's length
  for (int pass = 0; pass < passes; ++pass) {
    residual(state, ConstraintLevel::position);
    mass_.zero_redundant();
    double open = 0;
    mass_.each_owned([&](const UnknownBlock& u, double* rows) {
      for (int k = 0; k < u.size; ++k) {
        rows[k] = u.kind == BlockKind::multiplier ? -rows[k] : 0.0;
        open = std::max(open, std::abs(rows[k]));
      }
    });
    MPI_Allreduce(MPI_IN_PLACE, &open, 1, MPI_DOUBLE, MPI_MAX, assembler_.layout().comm());
    if (open <= closed * scales_.length) return;
    prepare(state);
    solve();
    mass_.move(state, 1);
  }
}

void ConsistentStart::close(const State& state, ConstraintLevel level) {
  residual(state, level);
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k) rows[k] = is_multiplier(u.kind) ? -rows[k] : 0.0;
  });
  solve();
}

bool ConsistentStart::find_compliant() {
  compliant_.assign(static_cast<std::size_t>(assembler_.layout().owned_size()), 0);
  int any = 0;
  const Model& model = assembler_.model();
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned || u.kind != BlockKind::multiplier) continue;
    const std::vector<Row>& rows = model.block(u.block).rows;
    for (int k = 0; k < u.size; ++k) {
      if (!rows[at(k)].compliant || assembler_.statuses().inactive(u.block, k)) continue;
      compliant_[at(u.local + k)] = 1;
      any = 1;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, assembler_.layout().comm());
  return any != 0;
}

void ConsistentStart::set_massless_rates(State& state) {
  if (!find_compliant()) return;
  prepare(state);
  solve_massless_rates(state);
}

void ConsistentStart::solve_massless_rates(State& state) {
  close(state, ConstraintLevel::velocity);
  mass_.change_massless_constrained(&State::rate, state);
  close(state, ConstraintLevel::acceleration);
  mass_.change_massless_constrained(&State::acceleration, state);
}

double ConsistentStart::velocities(State& state) {
  const double before = model_energy(assembler_, state).energy.kinetic;
  prepare(state);
  close(state, ConstraintLevel::velocity);
  mass_.change_velocities(state);
  return model_energy(assembler_, state).energy.kinetic - before;
}

std::array<double, 2> ConsistentStart::impulse(const std::vector<BlockId>& multipliers) const {
  const Layout& layout = assembler_.layout();
  std::array<double, 2> sums{0, 0};
  for (const BlockId id : multipliers) {
    const UnknownBlock* u = layout.knows(id) ? layout.unknown_of(id) : nullptr;
    if (u == nullptr || !u->owned) continue;
    for (int k = 0; k < u->size; ++k) {
      const Measure measure = assembler_.model().block(id).measure(k);
      sums[measure.is_length() ? 0 : 1] +=
          std::pow(typical_size(measure) * scales_.mass * mass_.solution()[at(u->local + k)], 2);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, layout.comm());
  return {std::sqrt(sums[0]), std::sqrt(sums[1])};
}

std::vector<RowSwitch> ConsistentStart::pulling() const {
  const Layout& layout = assembler_.layout();
  const Model& model = assembler_.model();
  const auto each = [&](auto&& use) {
    for (const UnknownBlock& u : layout.unknowns())
      if (u.owned && u.kind == BlockKind::multiplier)
        for (int k = 0; k < u.size; ++k)
          if (model.block(u.block).rows[at(k)].law == RowLaw::unilateral &&
              !assembler_.statuses().inactive(u.block, k))
            use(ConstraintRow{u.block, k}, scales_.mass * mass_.solution()[at(u.local + k)]);
  };
  double largest = no_impulse * scales_.mass * scales_.length / pulls;
  each([&](const ConstraintRow&, double impulse) { largest = std::max(largest, std::abs(impulse)); });
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, layout.comm());
  std::map<ConstraintRow, RowStatus> rows;
  each([&](const ConstraintRow& row, double impulse) {
    if (impulse > pulls * largest) rows[row] = RowStatus::inactive;
  });
  return switches_of_all_ranks(rows, layout.comm());
}

double ConsistentStart::impact(State& state, const Begin& how, const Switched& switched) {
  for (State before = state;; state = before) {
    const double added = velocities(state);
    const std::vector<RowSwitch> rows = pulling();
    if (rows.empty()) return added;
    history_.switch_rows(rows, before, how);
    switched(rows);
  }
}

void ConsistentStart::accelerations(State& state, const Begin& how, const Switched& switched, bool prepared) {
  algebraic_.require(state);
  // Friction whose normal force has just begun to act first sticks or slips according to its velocity.
  for (int round = 0; round < most_rounds; ++round) {
    const LawChange change = history_.settle_laws(state, how);
    if (!change.rows.empty()) switched(change.rows);
    if (round > 0 && change.rows.empty() && !change.turned) return;
    if (round > 0 || !prepared || !change.rows.empty()) prepare(state);
    solve_accelerations(state);
  }
  throw Error(
      fmt::format("at t = {:g} contacts that open and friction that slips find no status in which all laws "
                  "hold at once",
                  state.time));
}

void ConsistentStart::accelerations(State& state) {
  algebraic_.require(state);
  prepare(state);
  solve_accelerations(state);
}

void ConsistentStart::solve_accelerations(State& state) {
  // The system is linear; a second pass removes what the neglected part of D and rounding left.
  for (int pass = 0; pass < 2; ++pass) {
    residual(state, ConstraintLevel::acceleration);
    TRAMMEL_PETSC(VecScale(mass_.r(), -1));
    solve(true);
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

std::optional<ConsistentStart::Derivatives> ConsistentStart::differentiate(const State& state, double h) {
  // B v'' is minus the rate of B v' + bias along the motion with v' held.
  constexpr double part = 0.1;  // of a step
  const double tau = part * h;
  const Layout& layout = assembler_.layout();
  State later;
  copy_motion(state, later);
  later.time += tau;
  std::vector<double> turns(state.acceleration.size(), 0.0);
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!is_kinematic(u.kind)) continue;
    Eigen::Map<Eigen::VectorXd> v(later.rate.data() + u.offset.dof, u.size);
    const Eigen::Map<const Eigen::VectorXd> a(state.acceleration.data() + u.offset.dof, u.size);
    move_block(u, Eigen::VectorXd(tau * v + 0.5 * tau * tau * a).data(), 1, later);
    v += tau * a;
    if (u.kind != BlockKind::rotation) continue;
    const Eigen::Map<const Vec3> w(state.rate.data() + u.offset.dof), dw(a.data());
    Eigen::Map<Vec3>(turns.data() + u.offset.dof) = w.cross(dw) / 12;
  }
  layout.update_shared(later);
  const auto now = acceleration_rows(state), then = acceleration_rows(later);
  if (!now || !then) return {};
  Derivatives found{std::vector<double>(now->size()), std::vector<double>(now->size(), 0.0)};
  for (std::size_t i = 0; i < now->size(); ++i) found.jerk[i] = -((*then)[i] - (*now)[i]) / tau;
  int any = std::ranges::any_of(turns, [](double x) { return x != 0; }) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, layout.comm());
  if (any == 0) return found;
  State& turned = later;
  copy_motion(state, turned);
  std::ranges::fill(turned.acceleration, 0.0);
  const auto without = acceleration_rows(turned);
  turned.acceleration = turns;
  layout.update_shared(turned);
  const auto with = acceleration_rows(turned);
  if (!with || !without) return {};
  for (std::size_t i = 0; i < with->size(); ++i) found.turning[i] = (*with)[i] - (*without)[i];
  return found;
}

std::vector<double> ConsistentStart::Derivatives::spread(double kappa) const {
  std::vector<double> rows(jerk.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = kappa * jerk[i] + turning[i];
  return rows;
}

void ConsistentStart::start_algorithmic(State& state, std::vector<double>& algorithmic, double h,
                                        double shift, std::optional<double> kappa) {
  prepare(state);
  start_ = mass_.preparation();
  const auto derivatives = differentiate(state, h);
  if (!derivatives) return;
  solve_for(derivatives->jerk, false);
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    if (is_kinematic(u.kind))
      for (int k = 0; k < u.size; ++k)
        algorithmic[at(u.offset.dof + k)] += shift * h * mass_.solution()[at(u.local + k)];
  if (!kappa) return;
  std::vector<double> rows = derivatives->spread(*kappa);
  for (double& row : rows) row *= h * h;
  solve_for(rows, true);
  mass_.change_velocities(state);
}

bool ConsistentStart::follow_motion(State& state, const State& end, double shift, double state_shift,
                                    std::vector<double>& algorithmic) {
  if (start_ == 0) return false;
  if (start_ != mass_.preparation()) prepare(state);
  start_ = 0;
  const Layout& layout = assembler_.layout();
  // Coordinates without mass follow from the others where constraints determine them, and have no motion elsewhere.
  const OwnedVec changes(layout.create_vector());
  PetscScalar* own = nullptr;
  TRAMMEL_PETSC(VecGetArray(changes.get(), &own));
  for (const UnknownBlock& u : layout.unknowns())
    if (u.owned)
      for (int k = 0; k < u.size; ++k) {
        const std::size_t i = at(u.offset.dof + k);
        const bool has_mass = is_kinematic(u.kind) && !mass_.is_massless(u, k);
        own[u.local + k] = has_mass ? end.acceleration[i] - state.acceleration[i] : 0.0;
      }
  TRAMMEL_PETSC(VecRestoreArray(changes.get(), &own));
  std::vector<double> moves;
  layout.to_local(changes.get(), moves);
  // Not in a copy of the state: the largest memory of a run is needed here.
  std::vector<double> own_accelerations(state.acceleration.size(), 0.0);
  state.acceleration.swap(own_accelerations);
  auto rows = acceleration_rows(state);
  for (const UnknownBlock& u : layout.unknowns())
    if (is_kinematic(u.kind))
      for (int k = 0; k < u.size; ++k) state.acceleration[at(u.offset.dof + k)] = moves[at(u.local + k)];
  layout.update_shared(state);
  // The part along the constraints is that of the index-3 solution, which is wrong by a quantity of order h; the
  // start values contain the right one.
  const auto with = acceleration_rows(state);
  state.acceleration.swap(own_accelerations);
  if (!with || !rows) return false;
  for (std::size_t i = 0; i < rows->size(); ++i) (*rows)[i] -= (*with)[i];
  solve_for(*rows, false);
  std::vector<double> better = algorithmic;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!has_rate(u.kind)) continue;
    for (int k = 0; k < u.size; ++k) {
      const std::size_t i = at(u.offset.dof + k);
      better[i] += u.kind == BlockKind::state
                       ? state_shift * (end.rate[i] - state.rate[i])
                       : shift * (moves[at(u.local + k)] + mass_.solution()[at(u.local + k)]);
    }
  }
  return replace_algorithmic(assembler_, state, better, algorithmic);
}

void ConsistentStart::change_step(State& state, double from, double to, double kappa) {
  const bool compliant = find_compliant();
  prepare(state);
  if (compliant && to > from) solve_massless_rates(state);
  std::vector<double> given(compliant_.size(), 0.0);
  if (compliant)
    if (const auto derivatives = differentiate(state, std::max(from, to))) given = derivatives->spread(kappa);
  residual(state, ConstraintLevel::velocity);
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k) {
      const double error = compliant_[at(u.local + k)] != 0 ? from * from * given[at(u.local + k)] : rows[k];
      rows[k] = is_multiplier(u.kind) ? (to * to / (from * from) - 1) * error : 0.0;
    }
  });
  solve();
  mass_.change_velocities(state);
}

}  // namespace trammel
