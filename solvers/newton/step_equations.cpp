#include "solvers/newton/step_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/collective_errors.hpp"
#include "kernel/rank_exchange.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/newton/by_kind.hpp"
#include "solvers/newton/frame_norms.hpp"
#include "solvers/newton/motion_copy.hpp"
#include "solvers/newton/position_corrections.hpp"
#include "solvers/newton/residual_origin.hpp"
#include "solvers/newton/unknown_runs.hpp"
#include "trammel/index.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

/// The residual field and increment field of a kind of block.
FieldNorms::Residual residual_field(BlockKind kind) { return static_cast<FieldNorms::Residual>(kind); }

// In statics the damping matrix enters rows of velocity constraints alone; elsewhere it is made negligible.
constexpr double faint = 1e-9;
// Of the length of the model.
constexpr double position_rounding = 4 * std::numeric_limits<double>::epsilon();
// Part of the largest rotation of a step: bodies that turn by less hardly turn.
constexpr double turns = 1e-3;

}  // namespace

StepEquations::StepEquations(Assembler& assembler, const ModelScales& scales, ConstraintLevel level)
    : assembler_(assembler), scales_(scales), level_(level) {
  revise();
}

void StepEquations::revise() {
  const Layout& layout = assembler_.layout();
  const auto unknowns = layout.unknowns();
  trial_is_complete_ = false;
  stale_.clear();
  const auto size = static_cast<std::size_t>(layout.local_size());
  runs_ = block_runs_of(layout);
  for (NumbersAfterFrames* numbers : {&metres_, &of_row_, &typical_}) numbers->assign(layout, runs_, 1.0);
  rotations_.clear();
  rounding_.assign(size, 0.0);
  const bool has_states =
      std::ranges::find(unknowns, BlockKind::state, &UnknownBlock::kind) != unknowns.end();
  state_gain_.assign(has_states ? unknowns.size() : 0, 0.0);
  known_to_.assign(state_gain_.size(), 0.0);
  rate_offset_.assign(layout.dof_count(), 0.0);
  acceleration_offset_.assign(layout.dof_count(), 0.0);
  const bool reads_local = layout.stabilized() || layout.ranks() > 1;
  local_.assign(reads_local ? size : 0, 0.0);
  corrections_.assign(layout.stabilized() ? size : 0, 0.0);
  algebraic_ = {};
  algebraic_row_.clear();
  algebraic_column_.clear();
  if (assembler_.has_algebraic()) algebraic_row_ = algebraic_column_ = std::vector<double>(size, 1.0);
  int found = 0;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const UnknownBlock& u = unknowns[i];
    const Block& block = assembler_.model().block(u.block);
    for (int k = 0; metres_.has(u.local) && k < u.size; ++k) {
      const std::size_t place = at(u.local + k);
      const Measure measure = block.measure(k);
      typical_[place] = typical_size(measure);
      if (u.kind == BlockKind::algebraic) {
        algebraic_column_[place] = 1 / measure.metres(scales_.length);
        typical_[place] = scales_.length * algebraic_column_[place];
      }
      if (u.kind == BlockKind::state || u.kind == BlockKind::algebraic) continue;
      metres_[place] = measure.metres(scales_.length);
      // Everything in newtons and metres: generalized forces of an angle are moments.
      of_row_[place] = is_kinematic(u.kind) ? 1 / metres_[place] : metres_[place];
    }
    if (u.kind == BlockKind::rotation) rotations_.push_back({static_cast<int>(i), u.offset.value});
    if (scales_.rounding != nullptr)
      std::fill_n(rounding_.begin() + u.local, u.size, (*scales_.rounding)[u.block]);
    if (has_states && scales_.state_gain != nullptr) state_gain_[i] = (*scales_.state_gain)[u.block];
    if (u.kind == BlockKind::velocity_multiplier) found = 1;
  }
  turned_.assign(rotations_.empty() ? 0 : at(rotations_.back().unknown + 1), Vec3::Zero());
  if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, layout.comm());
  has_velocity_constraints_ = found != 0;
  take_redundant();
}

void StepEquations::take_redundant() {
  const Layout& layout = assembler_.layout();
  redundant_.clear();
  for (const ConstraintRow& row : assembler_.redundant_rows()) {
    const UnknownBlock* u = layout.knows(row.block) ? layout.unknown_of(row.block) : nullptr;
    if (u == nullptr || !u->owned) continue;
    const int stabilizing = u->stabilizing_local < 0 ? -1 : u->stabilizing_local + row.component;
    redundant_.push_back({u->local + row.component, stabilizing});
  }
}

void StepEquations::zero_redundant(double* f) {
  largest_redundant_ = 0;
  for (const RedundantRow& row : redundant_) {
    largest_redundant_ = std::max(largest_redundant_, std::abs(f[row.row]) / typical_[at(row.row)]);
    f[row.row] = 0;
    if (row.stabilizing >= 0) f[row.stabilizing] = 0;
  }
}

void StepEquations::begin(const State& base, double end, const StepCoefficients& coefficients,
                          double stiffness) {
  base_ = &base;
  if (trial_is_complete_ && trial_.value.size() == base.value.size())
    copy_what_is_not_moved(base);
  else
    copy_motion(base, trial_);
  trial_is_complete_ = true;
  trial_.time = end;
  coefficients_ = coefficients;
  stiffness_ = stiffness;
  // Where an element refuses the base, the sizes before have to do; the solve tells.
  if (assembler_.has_algebraic()) {
    algebraic_sizes(assembler_, base, algebraic_);
    algebraic_.equation.resize(rounding_.size(), 0.0);
    algebraic_.rounding.resize(rounding_.size(), 0.0);
    for (double& size : algebraic_.equation)
      if (!(size > 0)) size = 1;
  }
}

void StepEquations::copy_what_is_not_moved(const State& base) {
  const auto unknowns = assembler_.layout().unknowns();
  const auto copy = [](const std::vector<double>& from, std::vector<double>& to, int begin, int size) {
    std::copy_n(from.begin() + begin, size, to.begin() + begin);
  };
  const auto copy_by_dof = [&](int begin, int size) {
    copy(base.rate, trial_.rate, begin, size);
    copy(base.acceleration, trial_.acceleration, begin, size);
    copy(base.compensation, trial_.compensation, begin, size);
  };
  for (const BlockRun& run : runs_) {
    if (run.of == BlockRun::Of::frames) continue;
    if (run.of != BlockRun::Of::others) {
      copy_by_dof(run.dof, run.size);
      continue;
    }
    for (const UnknownBlock& u : unknowns.subspan(at(run.first), at(run.last - run.first))) {
      copy(base.value, trial_.value, u.offset.value, value_size(u.kind, u.size));
      copy_by_dof(u.offset.dof, u.size);
    }
  }
}

void StepEquations::rescale() {
  for (std::size_t i = 0; i < algebraic_row_.size(); ++i)
    algebraic_row_[i] = stiffness_ * scales_.length / algebraic_.equation[i];
}

bool StepEquations::move_here(Vec x) {
  Layout& layout = assembler_.layout();
  const bool alone = layout.ranks() == 1;
  const PetscScalar* values = nullptr;
  if (!alone) layout.to_local(x, local_);
  TRAMMEL_PETSC(VecGetArrayRead(x, &values));
  const bool fine = update(alone ? values : local_.data());
  if (alone && layout.stabilized()) std::copy_n(values, local_.size(), local_.begin());
  TRAMMEL_PETSC(VecRestoreArrayRead(x, &values));
  return fine;
}

bool StepEquations::move_to(Vec x) {
  int fine = move_here(x) ? 1 : 0;
  const Layout& layout = assembler_.layout();
  if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, layout.comm());
  return fine != 0;
}

bool StepEquations::residual(Vec x, Vec f) {
  RankTotals totals;
  LocalFault& fault = totals.fault;
  if (!move_here(x)) fault.refuse("an increment turns a body by half a turn or more");
  Layout& layout = assembler_.layout();
  const bool alone = layout.ranks() == 1;
  const PetscScalar* values = nullptr;
  OwnedVec moving;
  if (coefficients_.constraint_velocity > 0 && has_velocity_constraints_) {
    TRAMMEL_PETSC(VecDuplicate(f, moving.fill()));
    moving_ = trial_;
    TRAMMEL_PETSC(VecGetArrayRead(x, &values));
    const double* all = alone ? values : local_.data();
    for (const UnknownBlock& u : layout.unknowns())
      if (is_kinematic(u.kind))
        for (int k = 0; k < u.size; ++k)
          moving_.rate[at(u.offset.dof + k)] = coefficients_.constraint_velocity * all[u.local + k];
    TRAMMEL_PETSC(VecRestoreArrayRead(x, &values));
    layout.update_shared(moving_);
    assembler_.residual(moving_, ConstraintLevel::position, moving.get(), fault);
  }
  assembler_.residual(trial_, level_, f, fault);
  if (layout.stabilized()) {
    std::ranges::fill(corrections_, 0.0);
    add_position_corrections(assembler_, -coefficients_.step * stabilizing_scale(), local_, corrections_);
  }

  PetscScalar* rows = nullptr;
  TRAMMEL_PETSC(VecGetArray(f, &rows));
  if (moving) {
    const PetscScalar* other = nullptr;
    TRAMMEL_PETSC(VecGetArrayRead(moving.get(), &other));
    for (const UnknownBlock& u : layout.unknowns())
      if (u.owned && u.kind == BlockKind::velocity_multiplier)
        std::copy_n(other + u.local, u.size, rows + u.local);
    TRAMMEL_PETSC(VecRestoreArrayRead(moving.get(), &other));
  }
  zero_redundant(rows);
  scale_rows(rows, local_.data());
  TRAMMEL_PETSC(VecRestoreArray(f, &rows));
  norms_.change = carried_.change;
  norms_.stop = carried_.stop;
  carried_ = {};
  FieldNorms::Numbers all = norms_.numbers();
  totals.add_maxima(all);
  if (StaleRows::follows(layout)) totals.add_maxima(stale_.to_tell(layout));
  if (add_) add_(f, totals);
  const bool fine = totals.agree(assembler_);
  norms_.set(all);
  return fine;
}

TangentWeights StepEquations::weights(std::span<const Mat3> T) const {
  const StepCoefficients& c = coefficients_;
  TangentWeights w;
  w.stiffness = 1;
  w.damping = c.velocity;
  w.mass = c.acceleration + c.inertia;
  w.state_rate = c.state_rate;
  w.T = T;
  for (const BlockKind kind : {BlockKind::multiplier, BlockKind::velocity_multiplier})
    w.row[kind_at(kind)] = w.column[kind_at(kind)] = stiffness_;
  if (c.velocity > 0) w.row[kind_at(BlockKind::velocity_multiplier)] = stiffness_ / c.velocity;
  if (level_ == ConstraintLevel::acceleration) w.bias_rate = c.velocity / c.acceleration;
  if (c.state_rate > 0) w.row[kind_at(BlockKind::state)] = stiffness_ / c.state_rate;
  w.algebraic_row = algebraic_row_;
  w.algebraic_column = algebraic_column_;
  w.step = c.step;
  w.stabilizing_row_velocity = rate_stiffness();
  w.stabilizing_row_mu = stiffness_;
  w.stabilizing_column_mu = 1;
  w.stabilizing_column_eta = stabilizing_scale();
  return w;
}

void StepEquations::scale_rows(double* f, const double* x) {
  const TangentWeights w = weights({});
  largest_constraint_ = largest_rate_ = 0;
  const bool some_rest = !assembler_.statuses().rows().empty();
  for (const BlockRun& run : runs_) {
    if (!run.owned) break;
    if (run.of == BlockRun::Of::frames)
      measure_frames(run, f + run.local);
    else if (run.of != BlockRun::Of::others && !some_rest)
      scale_constraints(run, w, f + run.local);
    else
      for (int i = run.first; i < run.last; ++i) scale_block(i, w, f, x);
  }
}

void StepEquations::measure_frames(const BlockRun& run, const double* rows) {
  // Forces are in newtons as they are: TangentWeights::row is 1 for them.
  // Moments are divided by the model's length, by which rotations are multiplied.
  const double* rounding = rounding_.data() + run.local;
  FrameNumbers of_row = FrameNumbers::Ones();
  of_row.tail<3>() = 1 / scales_.length;
  FrameResiduals residuals;
  for (int k = 0; k < run.size; k += frame_size)
    residuals.take(frame_at(rows + k).abs() * of_row, frame_at(rounding + k));
  residuals.add_to(norms_);
}

void StepEquations::scale_constraints(const BlockRun& run, const TangentWeights& w, double* rows) {
  const bool differentiated = level_ == ConstraintLevel::acceleration;
  const BlockKind kind =
      run.of == BlockRun::Of::multipliers ? BlockKind::multiplier : BlockKind::velocity_multiplier;
  RunNumbers its(rows, run.size);
  const ConstRunNumbers of_row(of_row_.from(run.local), run.size);
  const ConstRunNumbers typical(typical_.from(run.local), run.size);
  if (differentiated) its /= coefficients_.acceleration;
  take_larger(kind == BlockKind::multiplier ? largest_constraint_ : largest_rate_,
              (its.abs() / typical).maxCoeff<Eigen::PropagateNaN>());
  take_larger(norms_.residual[differentiated ? FieldNorms::constraint : residual_field(kind)],
              (its.abs() * of_row).maxCoeff<Eigen::PropagateNaN>());
  its *= differentiated ? stiffness_ : w.row[kind_at(kind)];
}

void StepEquations::scale_block(int i, const TangentWeights& w, double* f, const double* x) {
  const UnknownBlock& u = assembler_.layout().unknowns()[at(i)];
  if (u.size == 0) return;
  const double *of_row = of_row_.from(u.local), *typical = typical_.from(u.local);
  double* rows = f + u.local;
  double largest = 0;
  FieldNorms::Residual field = residual_field(u.kind);
  if (is_kinematic(u.kind)) {
    for (int k = 0; k < u.size; ++k) {
      take_larger(largest, std::abs(rows[k]) * of_row[k]);
      rows[k] *= w.row[kind_at(u.kind)];
    }
    double& beyond = norms_.beyond_rounding[field];
    beyond = std::max(beyond, largest - rounding_[at(u.local)]);
  } else if (u.kind == BlockKind::state) {
    for (int k = 0; k < u.size; ++k) {
      // No state's row can fall below its own rounding; that of another does not count.
      const double r = std::abs(rows[k]);
      if (!(r <= known_to_[at(i)] * typical[k])) take_larger(largest, r * of_row[k]);
      rows[k] *= w.row[kind_at(u.kind)];
    }
  } else if (u.kind == BlockKind::algebraic) {
    for (int k = 0; k < u.size; ++k) {
      const std::size_t place = at(u.local + k);
      const double r = std::abs(rows[k]);
      if (!(r <= algebraic_.rounding[place])) take_larger(largest, r / algebraic_.equation[place]);
      rows[k] *= algebraic_row_[place];
    }
  } else {
    const bool differentiated = level_ == ConstraintLevel::acceleration;
    if (differentiated) field = FieldNorms::constraint;
    const double of_force = w.row[kind_at(u.kind)], scale = differentiated ? stiffness_ : of_force;
    const RowStatuses& statuses = assembler_.statuses();
    double open = 0;
    for (int k = 0; k < u.size; ++k) {
      if (differentiated) rows[k] /= coefficients_.acceleration;
      if (statuses.of(u.block, k) != RowStatus::active) {
        // The row is one of forces: lambda = 0, or lambda = F.
        if (differentiated) rows[k] *= coefficients_.acceleration;
        take_larger(norms_.residual[FieldNorms::force], std::abs(rows[k]) / of_row[k]);
        rows[k] *= of_force;
        continue;
      }
      take_larger(open, std::abs(rows[k]) / typical[k]);
      take_larger(largest, std::abs(rows[k]) * of_row[k]);
      rows[k] *= scale;
    }
    take_larger(u.kind == BlockKind::multiplier ? largest_constraint_ : largest_rate_, open);
  }
  take_larger(norms_.residual[field], largest);
  if (u.stabilizing_local >= 0) scale_stabilizing(u, w, f, x);
}

void StepEquations::scale_stabilizing(const UnknownBlock& u, const TangentWeights& w, double* f,
                                      const double* x) {
  const double *metres = metres_.from(u.local), *typical = typical_.from(u.local);
  double* stabilizing = f + u.stabilizing_local;
  const bool constraint = u.kind == BlockKind::multiplier;
  double largest = 0;
  for (int k = 0; k < u.size; ++k) {
    if (!constraint) stabilizing[k] = x[u.stabilizing_local + k] + corrections_[at(u.stabilizing_local + k)];
    const double r = std::abs(stabilizing[k]);
    take_larger(largest, r * metres[k]);
    if (constraint) take_larger(largest_rate_, r / typical[k]);
    stabilizing[k] *= constraint ? w.stabilizing_row_velocity : w.stabilizing_row_mu;
  }
  take_larger(norms_.residual[constraint ? FieldNorms::rate : FieldNorms::correction], largest);
}

void StepEquations::look_for_stale_rows(Vec f, StaleRows::Limits most, bool may_be_rounding) {
  const Layout& layout = assembler_.layout();
  if (!StaleRows::follows(layout)) return;
  const TangentWeights w = weights({});
  double& gap = most[kind_at(BlockKind::multiplier)];
  gap = std::max(gap, position_rounding * scales_.length);
  for (std::size_t kind = 0; kind < block_kinds; ++kind) most[kind] *= w.row[kind];
  const PetscScalar* rows = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(f, &rows));
  if (may_be_rounding)
    stale_.look_again(rows, layout, runs_, of_row_, most);
  else
    stale_.look_at(rows, layout, runs_, of_row_, most);
  TRAMMEL_PETSC(VecRestoreArrayRead(f, &rows));
}

bool StepEquations::renew_stale_rows(Mat J, LocalFault& fault) {
  const bool same = coefficients_ == tangent_for_ && stiffness_ == tangent_stiffness_;
  return same && stale_.are_few() && tangent(J, fault, stale_.renewed(assembler_));
}

std::vector<int> StepEquations::turning_rows() const {
  const Layout& layout = assembler_.layout();
  if (!StaleRows::follows(layout)) return {};
  double largest = 0;
  for (const RotationAt& rotation : rotations_)
    largest = std::max(largest, turned_[at(rotation.unknown)].squaredNorm());
  if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, layout.comm());
  std::vector<int> rows;
  for (const RotationAt& rotation : rotations_)
    if (layout.unknowns()[at(rotation.unknown)].owned &&
        turned_[at(rotation.unknown)].squaredNorm() > turns * turns * largest)
      for (int k = 0; k < 3; ++k) rows.push_back(layout.unknowns()[at(rotation.unknown)].local + k);
  if (static_cast<double>(rows.size()) > StaleRows::few * layout.owned_size()) rows.clear();
  return rows;
}

void StepEquations::tangent(Mat J, LocalFault& fault) {
  tangent_for_ = coefficients_;
  tangent_stiffness_ = stiffness_;
  tangent(J, fault, {});
}

bool StepEquations::tangent(Mat J, LocalFault& fault, const RenewedRows& renewed) {
  std::vector<Mat3> T(turned_.size());  // larger than what is worth keeping from step to step
  const auto find = [&](int unknown) { T[at(unknown)] = so3::T(turned_[at(unknown)]); };
  for (const RotationAt& rotation : rotations_)
    if (renewed.unknowns.empty()) find(rotation.unknown);
  for (std::size_t k = 0; k < renewed.instances.size(); ++k)
    for (const InstanceRun& run : renewed.instances[k])
      for (int i = run.first; i < run.last; ++i)
        for (const StencilBlock& b : assembler_.plans()[k].stencil(i))
          if (b.kind == BlockKind::rotation && b.unknown >= 0) find(b.unknown);
  TangentWeights w = weights(T);
  if (coefficients_.constraint_velocity > 0 && has_velocity_constraints_) {
    w.damping = faint * coefficients_.constraint_velocity;
    w.row[kind_at(BlockKind::velocity_multiplier)] *= 1 / faint;
  }
  return assembler_.tangent(trial_, w, J, fault, renewed);
}

void StepEquations::tangent(Mat J, const StepCoefficients& by, std::span<const Mat3> T, LocalFault& fault) {
  TangentWeights w = weights(T);
  w.damping = by.velocity;
  w.mass = by.acceleration;
  w.state_rate = by.state_rate;
  assembler_.tangent(trial_, w, J, fault);
}

std::string StepEquations::turned_too_far() const {
  struct {
    double angle;
    int rank;
  } largest{-1, assembler_.layout().rank()};
  std::string text;
  if (too_far_ >= 0) {
    largest.angle = turned_[at(too_far_)].norm();
    const UnknownBlock& u = assembler_.layout().unknowns()[at(too_far_)];
    text = fmt::format("an increment turns '{}' by {:.3g} rad, half a turn or more",
                       assembler_.model().block_name(u.block), largest.angle);
    if (!std::isfinite(largest.angle)) largest.angle = HUGE_VAL;
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, assembler_.layout().comm());
  broadcast_text(text, largest.rank, assembler_.layout().comm());
  return text;
}

bool StepEquations::residual_is_finite() const {
  const auto finite = [](const std::vector<double>& numbers) {
    return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
  };
  int fine[2] = {std::ranges::all_of(norms_.residual, [](double x) { return std::isfinite(x); }) ? 1 : 0,
                 finite(trial_.value) && finite(trial_.rate) && finite(trial_.acceleration) ? 1 : 0};
  MPI_Allreduce(MPI_IN_PLACE, fine, 2, MPI_INT, MPI_MIN, assembler_.layout().comm());
  return fine[0] != 0 || fine[1] == 0;
}

std::string StepEquations::not_finite() const {
  return trammel::not_finite(assembler_, trial_, level_, weights({}));
}

void StepEquations::measure_change(Vec change, FieldNorms& norms) const {
  const PetscScalar* values = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(change, &values));
  const auto take = [&norms](FieldNorms::Increment field, double largest) {
    norms.change[field] = std::max(norms.change[field], largest);
  };
  const auto unknowns = assembler_.layout().unknowns();
  for (const BlockRun& run : runs_) {
    if (!run.owned) break;
    if (run.of == BlockRun::Of::frames) {
      FrameMaxima largest;
      for (int k = run.local; k < run.local + run.size; k += frame_size)
        largest.take(frame_at(values + k).abs());
      take(FieldNorms::displacement, largest.of_positions());
      take(FieldNorms::rotation, scales_.length * largest.of_rotations());
      continue;
    }
    if (run.of != BlockRun::Of::others) continue;
    for (const UnknownBlock& u : unknowns.subspan(at(run.first), at(run.last - run.first))) {
      if (is_multiplier(u.kind)) continue;
      const FieldNorms::Increment field = u.kind == BlockKind::position    ? FieldNorms::displacement
                                          : u.kind == BlockKind::rotation  ? FieldNorms::rotation
                                          : u.kind == BlockKind::state     ? FieldNorms::state_increment
                                          : u.kind == BlockKind::algebraic ? FieldNorms::algebraic_increment
                                                                           : FieldNorms::coordinate;
      for (int k = u.local; k < u.local + u.size; ++k) take(field, std::abs(values[k]) * metres_[at(k)]);
    }
  }
  TRAMMEL_PETSC(VecRestoreArrayRead(change, &values));
}

}  // namespace trammel
