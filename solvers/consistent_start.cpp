#include "solvers/consistent_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/diagnosis.hpp"
#include "solvers/linear_solver.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

std::size_t kind_at(BlockKind kind) { return static_cast<std::size_t>(kind); }

// Velocity constraints bring their gradient through D, which enters the other rows too: made negligible there
// [s].
constexpr double faint = 1e-9;

}  // namespace

ConsistentStart::ConsistentStart(Assembler& assembler, const ModelScales& scales, Timings& timings)
    : assembler_(assembler), scales_(scales), timings_(timings) {
  const Layout& layout = assembler_.layout();
  r_ = OwnedVec(layout.create_vector());
  x_ = OwnedVec(layout.create_vector());
  int found = 0;
  for (const UnknownBlock& u : layout.unknowns())
    if (u.kind == BlockKind::velocity_multiplier) found = 1;
  MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, layout.comm());
  has_velocity_constraints_ = found != 0;
}

template <class Use>
void ConsistentStart::each_owned(Vec x, Use&& use) const {
  PetscScalar* values = nullptr;
  TRAMMEL_PETSC(VecGetArray(x, &values));
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    if (u.owned) use(u, values + u.local);
  TRAMMEL_PETSC(VecRestoreArray(x, &values));
}

void ConsistentStart::prepare(const State& state) {
  const Layout& layout = assembler_.layout();
  TangentWeights weights;
  weights.stiffness = 0;
  weights.mass = 1;
  weights.state_rate = 1;
  for (const BlockKind kind : {BlockKind::multiplier, BlockKind::velocity_multiplier})
    weights.column[kind_at(kind)] = scales_.mass;
  weights.row[kind_at(BlockKind::multiplier)] = scales_.mass;
  if (has_velocity_constraints_) {
    weights.damping = faint;
    weights.row[kind_at(BlockKind::velocity_multiplier)] = scales_.mass / faint;
  }
  J_ = OwnedMat(assembler_.create_matrix());
  if (!assembler_.tangent(state, weights, J_.get()))
    throw Error(fmt::format("the start at t = {:g} is outside the domain of an element", state.time));
  find_massless();
  TRAMMEL_PETSC(KSPCreate(layout.comm(), ksp_.fill()));
  TRAMMEL_PETSC(KSPSetOptionsPrefix(ksp_.get(), "start_"));
  set_default_solver(ksp_.get(), layout.ranks());
  TRAMMEL_PETSC(KSPSetFromOptions(ksp_.get()));
  TRAMMEL_PETSC(KSPSetOperators(ksp_.get(), J_.get(), J_.get()));
  bool broken = false;
  const double begin = MPI_Wtime();
  ++timings_.factorizations;
  const bool fine = factorize(ksp_.get(), broken);
  timings_.factorization += MPI_Wtime() - begin;
  if (!fine)
    throw Error("the equations of the start are singular: " +
                describe_singular(assembler_, layout, J_.get(), Search::certain));
}

void ConsistentStart::find_massless() {
  const Layout& layout = assembler_.layout();
  free_.assign(static_cast<std::size_t>(layout.owned_size()), 0);
  PetscInt first = 0, last = 0;
  TRAMMEL_PETSC(MatGetOwnershipRange(J_.get(), &first, &last));
  std::vector<PetscInt> rows;
  massless_.clear();
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned || !is_kinematic(u.kind)) continue;
    bool named = false;
    for (int k = 0; k < u.size; ++k) {
      PetscInt n = 0;
      const PetscScalar* values = nullptr;
      TRAMMEL_PETSC(MatGetRow(J_.get(), first + u.local + k, &n, nullptr, &values));
      const bool empty =
          std::all_of(values, values + n, [&](double v) { return std::abs(v) <= 1e-14 * scales_.mass; });
      TRAMMEL_PETSC(MatRestoreRow(J_.get(), first + u.local + k, &n, nullptr, &values));
      if (!empty) continue;
      free_[static_cast<std::size_t>(u.local + k)] = 1;
      rows.push_back(first + u.local + k);
      if (!named)
        massless_ += (massless_.empty() ? "'" : ", '") + assembler_.model().block(u.block).name + "'";
      named = true;
    }
  }
  int any = rows.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, layout.comm());
  if (any == 0) return;
  TRAMMEL_PETSC(MatSetOption(J_.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (const PetscInt row : rows) TRAMMEL_PETSC(MatSetValue(J_.get(), row, row, scales_.mass, ADD_VALUES));
  TRAMMEL_PETSC(MatAssemblyBegin(J_.get(), MAT_FINAL_ASSEMBLY));
  TRAMMEL_PETSC(MatAssemblyEnd(J_.get(), MAT_FINAL_ASSEMBLY));
}

void ConsistentStart::silence_left_out() {
  PetscScalar* rows = nullptr;
  const Layout& layout = assembler_.layout();
  TRAMMEL_PETSC(VecGetArray(r_.get(), &rows));
  for (const ConstraintRow& row : assembler_.left_out()) {
    const UnknownBlock* u = layout.knows(row.block) ? layout.unknown_of(row.block) : nullptr;
    if (u == nullptr || !u->owned) continue;
    rows[u->local + row.component] = 0;
    if (u->companion_local >= 0) rows[u->companion_local + row.component] = 0;
  }
  TRAMMEL_PETSC(VecRestoreArray(r_.get(), &rows));
}

void ConsistentStart::solve() {
  each_owned(r_.get(), [&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k)
      if (free_[static_cast<std::size_t>(u.local + k)]) rows[k] = 0;
    if (is_multiplier(u.kind))
      for (int k = 0; k < u.size; ++k) rows[k] *= scales_.mass;
  });
  silence_left_out();
  const double begin = MPI_Wtime();
  PetscErrorCode code = 0;
  {
    const QuietErrors quiet;
    code = KSPSolve(ksp_.get(), r_.get(), x_.get());
  }
  timings_.solve += MPI_Wtime() - begin;
  PetscReal norm = 0;
  if (code == 0) TRAMMEL_PETSC(VecNorm(x_.get(), NORM_INFINITY, &norm));
  if (code != 0 || !std::isfinite(norm))
    throw Error("the equations of the start are singular: " +
                describe_singular(assembler_, assembler_.layout(), J_.get(), Search::certain));
  assembler_.layout().to_local(x_.get(), local_);
}

double ConsistentStart::assemble(State& state, const AssembleStage& options) {
  const Layout& layout = assembler_.layout();
  double first = 0;
  for (int iteration = 0;; ++iteration) {
    if (!assembler_.residual(state, ConstraintLevel::position, r_.get()))
      throw Error("the positions to be assembled are outside the domain of an element");
    double violation = 0;
    each_owned(r_.get(), [&](const UnknownBlock& u, double* rows) {
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
      kinds[kind_at(BlockKind::multiplier)] = 1;
      const WorstResidual worst = assembler_.worst(state, ConstraintLevel::position, kinds);
      throw Error(worst.where,
                  fmt::format("the model cannot be assembled: after {} iterations {} is still open by {:.3g}",
                              iteration, worst.entity, worst.value));
    }
    prepare(state);
    solve();
    double turn = 0;
    for (const UnknownBlock& u : layout.unknowns())
      if (u.kind == BlockKind::rotation)
        for (int k = 0; k < u.size; ++k)
          turn = std::max(turn, std::abs(local_[static_cast<std::size_t>(u.local + k)]));
    MPI_Allreduce(MPI_IN_PLACE, &turn, 1, MPI_DOUBLE, MPI_MAX, layout.comm());
    const double part = std::min(1.0, 0.5 / std::max(turn, 1e-300));
    for (const UnknownBlock& u : layout.unknowns()) {
      if (!is_kinematic(u.kind)) continue;
      const double* x = local_.data() + u.local;
      double* value = state.value.data() + u.place.value;
      if (u.kind == BlockKind::rotation) {
        const Quaternion q = (Quaternion(value[9], value[10], value[11], value[12]) *
                              so3::exp_quaternion(Vec3(part * Eigen::Map<const Vec3>(x))))
                                 .normalized();
        Eigen::Map<Mat3> R(value);
        R = q.toRotationMatrix();
        value[9] = q.w();
        value[10] = q.x();
        value[11] = q.y();
        value[12] = q.z();
      } else {
        for (int k = 0; k < u.size; ++k) value[k] += part * x[k];
      }
    }
    layout.update_shared(state);
  }
}

void ConsistentStart::scale_violation(State& state, double factor) {
  const Layout& layout = assembler_.layout();
  if (!assembler_.residual(state, ConstraintLevel::velocity, r_.get()))
    throw Error(fmt::format("the start at t = {:g} is outside the domain of an element", state.time));
  each_owned(r_.get(), [&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k) rows[k] = is_multiplier(u.kind) ? (factor - 1) * rows[k] : 0.0;
  });
  prepare(state);
  solve();
  for (const UnknownBlock& u : layout.unknowns())
    if (is_kinematic(u.kind))
      for (int k = 0; k < u.size; ++k)
        state.rate[static_cast<std::size_t>(u.place.dof + k)] +=
            local_[static_cast<std::size_t>(u.local + k)];
  layout.update_shared(state);
}

double ConsistentStart::velocities(State& state) {
  const double before = assembler_.energy(state).kinetic;
  scale_violation(state, 0);
  return assembler_.energy(state).kinetic - before;
}

void ConsistentStart::accelerations(State& state) {
  const Layout& layout = assembler_.layout();
  prepare(state);
  // The system is linear; a second pass removes what the neglected part of D and rounding left.
  for (int pass = 0; pass < 2; ++pass) {
    if (!assembler_.residual(state, ConstraintLevel::acceleration, r_.get()))
      throw Error(fmt::format("the start at t = {:g} is outside the domain of an element", state.time));
    TRAMMEL_PETSC(VecScale(r_.get(), -1));
    solve();
    for (const UnknownBlock& u : layout.unknowns()) {
      const double* x = local_.data() + u.local;
      double* to = is_multiplier(u.kind)        ? state.value.data() + u.place.value
                   : u.kind == BlockKind::state ? state.rate.data() + u.place.dof
                                                : state.acceleration.data() + u.place.dof;
      const double scale = is_multiplier(u.kind) ? scales_.mass : 1.0;
      for (int k = 0; k < u.size; ++k) to[k] += scale * x[k];
    }
    layout.update_shared(state);
  }
}

}  // namespace trammel
