#include "solvers/constrained_mass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/diagnosis.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/named_blocks.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
std::size_t kind_at(BlockKind kind) { return static_cast<std::size_t>(kind); }

// Velocity constraints bring their gradient through D, which enters the other rows too: made negligible there
// [s].
constexpr double faint = 1e-9;

}  // namespace

void move_block(const UnknownBlock& u, const double* x, double part, State& state) {
  double* value = state.value.data() + u.place.value;
  if (u.kind != BlockKind::rotation) {
    double* remainder = state.remainder.data() + u.place.dof;
    for (int k = 0; k < u.size; ++k)
      if (u.kind == BlockKind::position)
        set_sum(value[k], remainder[k], value[k], remainder[k], part * x[k]);
      else
        value[k] += part * x[k];
    return;
  }
  const Vec3 theta = part * Eigen::Map<const Vec3>(x);
  set_rotation(value, (quaternion_of(value) * so3::exp_quaternion(theta)).normalized());
}

ConstrainedMass::ConstrainedMass(Assembler& assembler, const ModelScales& scales, Timings& timings)
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

TangentWeights ConstrainedMass::weights() const {
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
  return weights;
}

bool ConstrainedMass::prepare(const State& state) {
  const Layout& layout = assembler_.layout();
  time_ = state.time;
  prepared_at_ = &state;
  if (!J_ || altered_) {
    J_ = OwnedMat(assembler_.create_matrix());
    ksp_.reset();
    altered_ = false;
  }
  outside_ = !assembler_.tangent(state, weights(), J_.get());
  if (outside_) return false;
  find_massless();
  if (!ksp_) {
    TRAMMEL_PETSC(KSPCreate(layout.comm(), ksp_.fill()));
    TRAMMEL_PETSC(KSPSetOptionsPrefix(ksp_.get(), "start_"));
    set_default_solver(ksp_.get(), layout.ranks());
    TRAMMEL_PETSC(KSPSetFromOptions(ksp_.get()));
  }
  TRAMMEL_PETSC(KSPSetOperators(ksp_.get(), J_.get(), J_.get()));
  bool broken = false;
  const double begin = MPI_Wtime();
  ++timings_.factorizations;
  const bool fine = factorize(ksp_.get(), broken);
  timings_.factorization += MPI_Wtime() - begin;
  if (broken) ksp_.reset();
  return fine;
}

std::string ConstrainedMass::why() const {
  if (outside_) return fmt::format("at t = {:g} {}", time_, assembler_.rejection());
  for (const ConstraintLevel level : {ConstraintLevel::velocity, ConstraintLevel::acceleration})
    if (const std::string who = assembler_.not_finite(*prepared_at_, level, weights()); !who.empty())
      return who + " has a number that is not finite";
  return "the equations of accelerations and multipliers are singular: " +
         describe_singular(assembler_, assembler_.layout(), J_.get(), Search::certain);
}

void ConstrainedMass::find_massless() {
  const Layout& layout = assembler_.layout();
  free_.assign(static_cast<std::size_t>(layout.owned_size()), 0);
  bare_ = free_;
  PetscInt first = 0, last = 0;
  TRAMMEL_PETSC(MatGetOwnershipRange(J_.get(), &first, &last));
  std::vector<PetscInt> rows;
  std::vector<NamedBlock> massless;
  massless_.clear();
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned || !is_kinematic(u.kind)) continue;
    bool named = false;
    for (int k = 0; k < u.size; ++k) {
      PetscInt n = 0;
      const PetscInt row = first + u.local + k, *columns = nullptr;
      const PetscScalar* values = nullptr;
      TRAMMEL_PETSC(MatGetRow(J_.get(), row, &n, &columns, &values));
      bool empty = true, inert = false;
      for (PetscInt j = 0; j < n; ++j) {
        const bool zero = std::abs(values[j]) <= 1e-14 * scales_.mass;
        empty = empty && zero;
        inert = inert || (columns[j] == row && !zero);
      }
      TRAMMEL_PETSC(MatRestoreRow(J_.get(), row, &n, &columns, &values));
      bare_[at(u.local + k)] = u.kind == BlockKind::coordinate && !empty && !inert ? 1 : 0;
      if (!empty) continue;
      free_[at(u.local + k)] = 1;
      rows.push_back(first + u.local + k);
      if (!named)
        massless.push_back({u.block, 0, fmt::format("'{}'", assembler_.model().block(u.block).name)});
      named = true;
    }
  }
  if (layout.ranks() > 1) {  // ghosts are pushed like their owners' blocks
    const OwnedVec flags(layout.create_vector());
    PetscScalar* own = nullptr;
    TRAMMEL_PETSC(VecGetArray(flags.get(), &own));
    std::ranges::copy(bare_, own);
    TRAMMEL_PETSC(VecRestoreArray(flags.get(), &own));
    std::vector<double> known;
    layout.to_local(flags.get(), known);
    bare_.assign(known.begin(), known.end());
  }
  int any = rows.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, layout.comm());
  if (any == 0) return;
  massless_ = joined_names(massless, std::numeric_limits<std::size_t>::max(), layout.comm());
  altered_ = true;
  TRAMMEL_PETSC(MatSetOption(J_.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (const PetscInt row : rows) TRAMMEL_PETSC(MatSetValue(J_.get(), row, row, scales_.mass, ADD_VALUES));
  TRAMMEL_PETSC(MatAssemblyBegin(J_.get(), MAT_FINAL_ASSEMBLY));
  TRAMMEL_PETSC(MatAssemblyEnd(J_.get(), MAT_FINAL_ASSEMBLY));
}

double ConstrainedMass::silence_left_out() {
  PetscScalar* rows = nullptr;
  double largest = 0;
  const Layout& layout = assembler_.layout();
  TRAMMEL_PETSC(VecGetArray(r_.get(), &rows));
  for (const ConstraintRow& row : assembler_.left_out()) {
    const UnknownBlock* u = layout.knows(row.block) ? layout.unknown_of(row.block) : nullptr;
    if (u == nullptr || !u->owned) continue;
    largest = std::max(largest, std::abs(rows[u->local + row.component]));
    rows[u->local + row.component] = 0;
    if (u->companion_local >= 0) rows[u->companion_local + row.component] = 0;
  }
  TRAMMEL_PETSC(VecRestoreArray(r_.get(), &rows));
  return largest;
}

bool ConstrainedMass::solve() {
  each_owned([&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k)
      if (free_[at(u.local + k)]) rows[k] = 0;
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
  if (code != 0 || !std::isfinite(norm)) {
    ksp_.reset();
    return false;
  }
  assembler_.layout().to_local(x_.get(), local_);
  return true;
}

void ConstrainedMass::move(State& state, double part) const {
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    if (is_kinematic(u.kind)) move_block(u, local_.data() + u.local, part, state);
  assembler_.layout().update_shared(state);
}

void ConstrainedMass::push(State& state) const {
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    if (is_kinematic(u.kind))
      for (int k = 0; k < u.size; ++k) state.rate[at(u.place.dof + k)] += local_[at(u.local + k)];
  assembler_.layout().update_shared(state);
}

void ConstrainedMass::push_bare(std::vector<double> State::*to, State& state) const {
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    for (int k = 0; k < u.size; ++k)
      if (bare_[at(u.local + k)]) (state.*to)[at(u.place.dof + k)] += local_[at(u.local + k)];
  assembler_.layout().update_shared(state);
}

void ConstrainedMass::accelerate(State& state) const {
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    const double* x = local_.data() + u.local;
    double* to = is_multiplier(u.kind)        ? state.value.data() + u.place.value
                 : u.kind == BlockKind::state ? state.rate.data() + u.place.dof
                                              : state.acceleration.data() + u.place.dof;
    const double scale = is_multiplier(u.kind) ? scales_.mass : 1.0;
    for (int k = 0; k < u.size; ++k) to[k] += scale * x[k];
  }
  assembler_.layout().update_shared(state);
}

}  // namespace trammel
