#include "solvers/constraints/constrained_mass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "kernel/collective_errors.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/newton/by_kind.hpp"
#include "solvers/newton/diagnosis.hpp"
#include "solvers/newton/finite_numbers.hpp"
#include "solvers/newton/residual_origin.hpp"
#include "solvers/ranks/rank_totals.hpp"
#include "trammel/index.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

// The gradient of velocity constraints comes from D. This factor makes D negligible in all other rows [s].
constexpr double faint = 1e-9;

}  // namespace

void move_block(const UnknownBlock& u, const double* x, double part, State& state) {
  double* value = state.value.data() + u.offset.value;
  if (u.kind != BlockKind::rotation) {
    double* compensation = state.compensation.data() + u.offset.dof;
    for (int k = 0; k < u.size; ++k)
      if (u.kind == BlockKind::position)
        set_sum(value[k], compensation[k], value[k], compensation[k], part * x[k]);
      else
        value[k] += part * x[k];
    return;
  }
  const Vec3 theta = part * Eigen::Map<const Vec3>(x);
  set_rotation(value, (quaternion_of(value) * so3::exp_quaternion(theta)).normalized());
}

ConstrainedMass::ConstrainedMass(Assembler& assembler, const ModelScales& scales, Timings& timings)
    : assembler_(assembler), scales_(scales), timings_(timings) {
  revise();
}

void ConstrainedMass::revise() {
  ++preparation_;
  const Layout& layout = assembler_.layout();
  knows_inertia_ = knows_massless_ = false;
  J_.reset();
  part_.reset();
  filled_.reset();
  ksp_.reset();
  mains_.reset();
  r_ = OwnedVec(layout.create_vector());
  main_of_.clear();
  std::vector<PetscInt> global;
  PetscInt size = 0;
  int found[2] = {0, 0};  // velocity constraints, compliant constraints
  for (const UnknownBlock& u : layout.unknowns()) {
    if (u.kind == BlockKind::velocity_multiplier) found[0] = 1;
    if (u.kind == BlockKind::multiplier &&
        std::ranges::any_of(assembler_.model().block(u.block).rows, &Row::compliant))
      found[1] = 1;
    if (u.owned) size += u.size;
    for (int k = 0; layout.stabilized() && u.owned && k < u.size; ++k) {
      main_of_.push_back(u.local + k);
      global.push_back(u.global + k);
    }
  }
  x_.reset();
  in_place_ = layout.ranks() == 1 && !layout.stabilized();
  if (in_place_) {
    local_.assign(at(size), 0.0);
    TRAMMEL_PETSC(VecCreateSeqWithArray(layout.comm(), 1, size, local_.data(), x_.fill()));
  } else {
    TRAMMEL_PETSC(VecCreate(layout.comm(), x_.fill()));
    TRAMMEL_PETSC(VecSetSizes(x_.get(), size, PETSC_DETERMINE));
    TRAMMEL_PETSC(VecSetType(x_.get(), layout.ranks() == 1 ? VECSEQ : VECMPI));
  }
  b_.reset();
  if (layout.stabilized()) {
    TRAMMEL_PETSC(VecDuplicate(x_.get(), b_.fill()));
    TRAMMEL_PETSC(ISCreateGeneral(layout.comm(), size, global.data(), PETSC_COPY_VALUES, mains_.fill()));
  }
  MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_INT, MPI_MAX, layout.comm());
  has_velocity_constraints_ = found[0] != 0;
  has_compliant_ = found[1] != 0;
}

TangentWeights ConstrainedMass::weights() const {
  TangentWeights weights;
  weights.stiffness = 0;
  weights.mass = 1;
  weights.state_rate = 1;
  weights.hold_algebraic = true;
  for (const BlockKind kind : {BlockKind::multiplier, BlockKind::velocity_multiplier})
    weights.column[kind_at(kind)] = scales_.mass;
  weights.row[kind_at(BlockKind::multiplier)] = scales_.mass;
  weights.damping = damping_;
  if (has_velocity_constraints_)
    weights.row[kind_at(BlockKind::velocity_multiplier)] = scales_.mass / damping_;
  return weights;
}

bool ConstrainedMass::prepare(const State& state, const SystemTerms& terms) {
  ++preparation_;
  damping_ = terms.damping > 0 ? terms.damping : has_velocity_constraints_ ? faint : 0;
  const Layout& layout = assembler_.layout();
  time_ = state.time;
  prepared_at_ = &state;
  if (!ksp_) {
    TRAMMEL_PETSC(KSPCreate(layout.comm(), ksp_.fill()));
    TRAMMEL_PETSC(KSPSetOptionsPrefix(ksp_.get(), "start_"));
    set_default_solver(ksp_.get(), layout.ranks(), &timings_.substructuring);
    TRAMMEL_PETSC(KSPSetFromOptions(ksp_.get()));
  }
  if (!J_) J_ = OwnedMat(assembler_.create_matrix(!reads_once(ksp_.get())));
  keeps_compliant_ = terms.keep_compliant && has_compliant_;
  outside_ = keeps_compliant_ && !knows_inertia_ && !find_inertia(state);
  if (outside_) return false;
  LocalFault fault;
  assembler_.tangent(state, weights(), J_.get(), fault);
  if (keeps_compliant_) {
    outside_ = !assembler_.agree(fault);
    if (outside_) return false;
    keep_compliant();
  }
  Mat system = J_.get();
  if (mains_) {
    const MatReuse reuse = part_ ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX;
    TRAMMEL_PETSC(MatCreateSubMatrix(J_.get(), mains_.get(), mains_.get(), reuse, part_.slot()));
    system = part_.get();
  }
  const std::vector<NamedBlock> massless = find_massless(system);
  std::array any{massless.empty() ? 0.0 : 1.0};
  outside_ = !agree(assembler_, fault, any);
  if (outside_) return false;
  knows_massless_ = true;
  massless_.clear();
  if (any[0] > 0) {
    massless_ = joined_names(massless, std::numeric_limits<std::size_t>::max(), layout.comm());
    fill_massless(system);
    system = filled_.get();
  }
  if (!terms.factorize) return true;
  TRAMMEL_PETSC(KSPSetOperators(ksp_.get(), system, system));
  bool broken = false;
  const double begin = MPI_Wtime();
  ++timings_.factorizations;
  const bool fine = factorize(ksp_.get(), broken);
  timings_.factorization += MPI_Wtime() - begin;
  if (broken) ksp_.reset();
  return fine;
}

bool ConstrainedMass::find_inertia(const State& state) {
  TangentWeights weights = this->weights();
  weights.damping = 0;
  weights.row[kind_at(BlockKind::velocity_multiplier)] = 0;
  if (!assembler_.tangent(state, weights, J_.get())) return false;
  const OwnedVec diagonal(assembler_.layout().create_vector());
  TRAMMEL_PETSC(MatGetDiagonal(J_.get(), diagonal.get()));
  assembler_.layout().to_local(diagonal.get(), inertia_);
  knows_inertia_ = true;
  return true;
}

void ConstrainedMass::keep_compliant() {
  const Layout& layout = assembler_.layout();
  std::vector<PetscInt> rows;
  std::set<PetscInt> compliant, rigid;  // columns
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!is_multiplier(u.kind)) continue;
    const std::vector<Row>& all = assembler_.model().block(u.block).rows;
    for (int k = 0; k < u.size; ++k) {
      if (assembler_.statuses().of(u.block, k) != RowStatus::active) continue;
      if (u.kind != BlockKind::multiplier || !all[at(k)].compliant) {
        rigid.insert(u.global + k);
        continue;
      }
      compliant.insert(u.global + k);
      if (u.owned) rows.push_back(u.global + k);
    }
  }
  const std::size_t multipliers = rows.size();
  if (!compliant.empty())
    for (const UnknownBlock& u : layout.unknowns()) {
      if (!u.owned || u.kind != BlockKind::coordinate) continue;
      for (int k = 0; k < u.size; ++k) {
        if (std::abs(inertia_[at(u.local + k)]) > 1e-14 * scales_.mass) continue;
        PetscInt n = 0;
        const PetscInt* columns = nullptr;
        const PetscScalar* values = nullptr;
        bool compliant_row = false, held = false;
        TRAMMEL_PETSC(MatGetRow(J_.get(), u.global + k, &n, &columns, &values));
        for (PetscInt j = 0; j < n; ++j) {
          if (std::abs(values[j]) <= 1e-14 * scales_.mass) continue;
          compliant_row = compliant_row || compliant.contains(columns[j]);
          held = held || rigid.contains(columns[j]);
        }
        TRAMMEL_PETSC(MatRestoreRow(J_.get(), u.global + k, &n, &columns, &values));
        if (compliant_row && !held) rows.push_back(u.global + k);
      }
    }
  int any = rows.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, layout.comm());
  if (any == 0) return;
  // Given a diagonal to set, MatZeroRowsColumns wants all rows of the matrix to have one.
  TRAMMEL_PETSC(MatSetOption(J_.get(), MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  TRAMMEL_PETSC(
      MatZeroRowsColumns(J_.get(), static_cast<PetscInt>(rows.size()), rows.data(), 0.0, nullptr, nullptr));
  TRAMMEL_PETSC(MatSetOption(J_.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (std::size_t i = 0; i < multipliers; ++i)
    TRAMMEL_PETSC(MatSetValue(J_.get(), rows[i], rows[i], scales_.mass, INSERT_VALUES));
  TRAMMEL_PETSC(MatAssemblyBegin(J_.get(), MAT_FINAL_ASSEMBLY));
  TRAMMEL_PETSC(MatAssemblyEnd(J_.get(), MAT_FINAL_ASSEMBLY));
}

std::string ConstrainedMass::why() {
  if (outside_) return fmt::format("at t = {:g} {}", time_, assembler_.rejection());
  for (const ConstraintLevel level : {ConstraintLevel::velocity, ConstraintLevel::acceleration})
    if (const std::string who = not_finite(assembler_, *prepared_at_, level, weights()); !who.empty())
      return who + " has a number that is not finite";
  const Layout& layout = assembler_.layout();
  // Its entries may be lost.
  if (assembler_.tangent(*prepared_at_, weights(), J_.get()) && keeps_compliant_) keep_compliant();
  // In the layout's numbering, whose stabilizing unknowns are determined here.
  TRAMMEL_PETSC(MatSetOption(J_.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  std::vector<PetscInt> stabilizing;
  for (const UnknownBlock& u : layout.unknowns())
    for (int k = 0; u.owned && k < u.size; ++k) {
      if (u.stabilizing_local >= 0) stabilizing.push_back(u.stabilizing_global + k);
      if (massless_unconstrained_[at(u.local + k)])
        TRAMMEL_PETSC(MatSetValue(J_.get(), u.global + k, u.global + k, scales_.mass, ADD_VALUES));
    }
  TRAMMEL_PETSC(MatAssemblyBegin(J_.get(), MAT_FINAL_ASSEMBLY));
  TRAMMEL_PETSC(MatAssemblyEnd(J_.get(), MAT_FINAL_ASSEMBLY));
  if (layout.stabilized())
    TRAMMEL_PETSC(MatZeroRowsColumns(J_.get(), static_cast<PetscInt>(stabilizing.size()), stabilizing.data(),
                                     scales_.mass, nullptr, nullptr));
  const std::string who = describe_singular(assembler_, layout, J_.get(), Search::certain);
  revise();
  return "the equations of accelerations and multipliers are singular: " + who;
}

std::vector<NamedBlock> ConstrainedMass::find_massless(Mat system) {
  const Layout& layout = assembler_.layout();
  massless_unconstrained_.assign(static_cast<std::size_t>(layout.owned_size()), 0);
  massless_constrained_ = massless_unconstrained_;
  zeroed_.clear();
  PetscInt row = 0;
  TRAMMEL_PETSC(MatGetOwnershipRange(system, &row, nullptr));
  // Most rows have inertia; only those without are looked at.
  OwnedVec of_system;
  TRAMMEL_PETSC(VecDuplicate(x_.get(), of_system.fill()));
  TRAMMEL_PETSC(MatGetDiagonal(system, of_system.get()));
  const PetscScalar* diagonal = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(of_system.get(), &diagonal));
  const PetscScalar* of_row = diagonal;
  std::vector<NamedBlock> massless;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    if (!is_kinematic(u.kind)) {
      for (int k = 0; u.kind == BlockKind::algebraic && k < u.size; ++k) zeroed_.push_back(u.local + k);
      row += u.size;
      of_row += u.size;
      continue;
    }
    bool named = false;
    for (int k = 0; k < u.size; ++k, ++row) {
      if (std::abs(*of_row++) > 1e-14 * scales_.mass) continue;
      PetscInt n = 0;
      const PetscInt* columns = nullptr;
      const PetscScalar* values = nullptr;
      TRAMMEL_PETSC(MatGetRow(system, row, &n, &columns, &values));
      bool empty = true, inert = false;
      for (PetscInt j = 0; j < n; ++j) {
        const bool zero = std::abs(values[j]) <= 1e-14 * scales_.mass;
        empty = empty && zero;
        inert = inert || (columns[j] == row && !zero);
      }
      TRAMMEL_PETSC(MatRestoreRow(system, row, &n, &columns, &values));
      massless_constrained_[at(u.local + k)] = u.kind == BlockKind::coordinate && !empty && !inert ? 1 : 0;
      if (!empty) continue;
      massless_unconstrained_[at(u.local + k)] = 1;
      zeroed_.push_back(u.local + k);
      if (!named)
        massless.push_back({u.block, 0, fmt::format("'{}'", assembler_.model().block_name(u.block))});
      named = true;
    }
  }
  TRAMMEL_PETSC(VecRestoreArrayRead(of_system.get(), &diagonal));
  if (layout.ranks() > 1) {  // velocities of ghosts change like their owners' blocks
    OwnedVec flags;
    TRAMMEL_PETSC(VecDuplicate(r_.get(), flags.fill()));
    PetscScalar* own = nullptr;
    TRAMMEL_PETSC(VecGetArray(flags.get(), &own));
    std::ranges::copy(massless_constrained_, own);
    TRAMMEL_PETSC(VecRestoreArray(flags.get(), &own));
    std::vector<double> known;
    layout.to_local(flags.get(), known);
    massless_constrained_.assign(known.begin(), known.end());
  }
  return massless;
}

void ConstrainedMass::fill_massless(Mat system) {
  if (filled_) {
    TRAMMEL_PETSC(MatCopy(system, filled_.get(), SUBSET_NONZERO_PATTERN));
  } else {
    TRAMMEL_PETSC(MatDuplicate(system, MAT_COPY_VALUES, filled_.fill()));
    TRAMMEL_PETSC(MatSetOption(filled_.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  }
  PetscInt row = 0, end = 0;
  TRAMMEL_PETSC(MatGetOwnershipRange(system, &row, &end));
  for (std::size_t i = 0; row < end; ++i, ++row)
    if (massless_unconstrained_[main_of_.empty() ? i : at(main_of_[i])])
      TRAMMEL_PETSC(MatSetValue(filled_.get(), row, row, scales_.mass, ADD_VALUES));
  TRAMMEL_PETSC(MatAssemblyBegin(filled_.get(), MAT_FINAL_ASSEMBLY));
  TRAMMEL_PETSC(MatAssemblyEnd(filled_.get(), MAT_FINAL_ASSEMBLY));
}

double ConstrainedMass::zero_redundant() {
  PetscScalar* rows = nullptr;
  double largest = 0;
  const Layout& layout = assembler_.layout();
  TRAMMEL_PETSC(VecGetArray(r_.get(), &rows));
  for (const ConstraintRow& row : assembler_.redundant_rows()) {
    const UnknownBlock* u = layout.knows(row.block) ? layout.unknown_of(row.block) : nullptr;
    if (u == nullptr || !u->owned) continue;
    const double size = typical_size(assembler_.model().block(row.block).measure(row.component));
    largest = std::max(largest, std::abs(rows[u->local + row.component]) / size);
    rows[u->local + row.component] = 0;
    if (u->stabilizing_local >= 0) rows[u->stabilizing_local + row.component] = 0;
  }
  TRAMMEL_PETSC(VecRestoreArray(r_.get(), &rows));
  return largest;
}

bool ConstrainedMass::solve(bool forces) {
  int fine = solve_here(forces) ? 1 : 0;
  const Layout& layout = assembler_.layout();
  if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, layout.comm());
  if (fine == 0) give_up();
  return fine != 0;
}

bool ConstrainedMass::solve_here(bool forces) {
  const Layout& layout = assembler_.layout();
  const RowStatuses& statuses = assembler_.statuses();
  const bool all_active = statuses.rows().empty();
  PetscScalar* rows = nullptr;
  TRAMMEL_PETSC(VecGetArray(r_.get(), &rows));
  for (const int row : zeroed_) rows[row] = 0;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) break;
    if (!is_multiplier(u.kind)) continue;
    double* its = rows + u.local;
    for (int k = 0; k < u.size; ++k) {
      // A row that slips is one of forces, and has the scale of velocity constraints without that of their D.
      const bool slips = !all_active && statuses.of(u.block, k) == RowStatus::slips;
      its[k] *= !slips ? scales_.mass : forces ? scales_.mass / damping_ : 0.0;
    }
  }
  TRAMMEL_PETSC(VecRestoreArray(r_.get(), &rows));
  zero_redundant();
  const double begin = MPI_Wtime();
  const bool whole = !mains_;  // the system is in the layout's numbering
  if (!whole) gather(r_.get(), b_.get());
  const bool solved = trammel::solve(ksp_.get(), whole ? r_.get() : b_.get(), x_.get());
  timings_.solve += MPI_Wtime() - begin;
  if (solved) {
    if (!whole) scatter(x_.get(), r_.get());
    if (!in_place_) layout.to_local(whole ? x_.get() : r_.get(), local_);
  }
  return solved && all_finite(local_);
}

void ConstrainedMass::gather(Vec from, Vec to) const {
  const PetscScalar* all = nullptr;
  PetscScalar* mains = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(from, &all));
  TRAMMEL_PETSC(VecGetArray(to, &mains));
  for (std::size_t i = 0; i < main_of_.size(); ++i) mains[i] = all[main_of_[i]];
  TRAMMEL_PETSC(VecRestoreArray(to, &mains));
  TRAMMEL_PETSC(VecRestoreArrayRead(from, &all));
}

void ConstrainedMass::scatter(Vec from, Vec to) const {
  TRAMMEL_PETSC(VecZeroEntries(to));
  const PetscScalar* mains = nullptr;
  PetscScalar* all = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(from, &mains));
  TRAMMEL_PETSC(VecGetArray(to, &all));
  for (std::size_t i = 0; i < main_of_.size(); ++i) all[main_of_[i]] = mains[i];
  TRAMMEL_PETSC(VecRestoreArray(to, &all));
  TRAMMEL_PETSC(VecRestoreArrayRead(from, &mains));
}

void ConstrainedMass::move(State& state, double part) const {
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    if (is_kinematic(u.kind)) move_block(u, local_.data() + u.local, part, state);
  assembler_.layout().update_shared(state);
}

void ConstrainedMass::change_velocities(State& state) const {
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    if (is_kinematic(u.kind))
      for (int k = 0; k < u.size; ++k) state.rate[at(u.offset.dof + k)] += local_[at(u.local + k)];
  assembler_.layout().update_shared(state);
}

void ConstrainedMass::change_massless_constrained(std::vector<double> State::*to, State& state) const {
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    for (int k = 0; k < u.size; ++k)
      if (massless_constrained_[at(u.local + k)])
        (state.*to)[at(u.offset.dof + k)] += local_[at(u.local + k)];
  assembler_.layout().update_shared(state);
}

void ConstrainedMass::accelerate(State& state, double part) const {
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (u.kind == BlockKind::algebraic) continue;
    const double* x = local_.data() + u.local;
    double* to = is_multiplier(u.kind)        ? state.value.data() + u.offset.value
                 : u.kind == BlockKind::state ? state.rate.data() + u.offset.dof
                                              : state.acceleration.data() + u.offset.dof;
    const double scale = is_multiplier(u.kind) ? part * scales_.mass : part;
    for (int k = 0; k < u.size; ++k) to[k] += scale * x[k];
  }
  assembler_.layout().update_shared(state);
}

}  // namespace trammel
