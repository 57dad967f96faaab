#include "solvers/newton/step_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "kernel/collective_errors.hpp"
#include "kernel/rank_exchange.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/newton/motion_copy.hpp"
#include "solvers/newton/residual_origin.hpp"
#include "trammel/index.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

std::size_t kind_at(BlockKind kind) { return static_cast<std::size_t>(kind); }

/// The residual field and increment field of a kind of block.
FieldNorms::Residual residual_field(BlockKind kind) { return static_cast<FieldNorms::Residual>(kind); }

/// Takes what is no number for infinite, so that no number replaces it.
void take_larger(double& largest, double r) {
  if (!(r <= largest)) largest = std::isnan(r) ? HUGE_VAL : r;
}

/// Calls use(size), with 3, the size of most blocks, as a constant.
template <class Use>
void of_size(int size, Use&& use) {
  if (size == 3)
    use(std::integral_constant<int, 3>());
  else
    use(size);
}

// In statics the damping matrix enters rows of velocity constraints alone; elsewhere it is made negligible.
constexpr double faint = 1e-9;

}  // namespace

StepEquations::StepEquations(Assembler& assembler, const ModelScales& scales, ConstraintLevel level)
    : assembler_(assembler), scales_(scales), level_(level) {
  revise();
}

void StepEquations::revise() {
  const Layout& layout = assembler_.layout();
  const auto unknowns = layout.unknowns();
  metres_.assign(static_cast<std::size_t>(layout.local_size()), 1.0);
  of_row_ = typical_ = metres_;
  turned_.assign(unknowns.size(), Vec3::Zero());
  rotations_.clear();
  rounding_.assign(unknowns.size(), 0.0);
  const bool has_states =
      std::ranges::find(unknowns, BlockKind::state, &UnknownBlock::kind) != unknowns.end();
  state_gain_.assign(has_states ? unknowns.size() : 0, 0.0);
  known_to_.assign(state_gain_.size(), 0.0);
  rate_offset_.assign(layout.dof_count(), 0.0);
  acceleration_offset_.assign(layout.dof_count(), 0.0);
  const bool reads_local = layout.stabilized() || layout.ranks() > 1;
  local_.assign(reads_local ? metres_.size() : 0, 0.0);
  corrections_.assign(layout.stabilized() ? metres_.size() : 0, 0.0);
  algebraic_ = {};
  algebraic_row_.clear();
  algebraic_column_.clear();
  if (assembler_.has_algebraic())
    algebraic_row_ = algebraic_column_ = std::vector<double>(metres_.size(), 1.0);
  int found = 0;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const UnknownBlock& u = unknowns[i];
    const Block& block = assembler_.model().block(u.block);
    for (int k = 0; k < u.size; ++k) {
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
    if (scales_.rounding != nullptr) rounding_[i] = (*scales_.rounding)[u.block];
    if (has_states && scales_.state_gain != nullptr) state_gain_[i] = (*scales_.state_gain)[u.block];
    if (u.kind == BlockKind::velocity_multiplier) found = 1;
  }
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
  copy_motion(base, trial_);
  trial_.time = end;
  coefficients_ = coefficients;
  stiffness_ = stiffness;
  // Where an element refuses the base, the sizes before have to do; the solve tells.
  if (assembler_.has_algebraic()) {
    algebraic_sizes(assembler_, base, algebraic_);
    algebraic_.equation.resize(metres_.size(), 0.0);
    algebraic_.rounding.resize(metres_.size(), 0.0);
    for (double& size : algebraic_.equation)
      if (!(size > 0)) size = 1;
  }
}

void StepEquations::rescale() {
  for (std::size_t i = 0; i < algebraic_row_.size(); ++i)
    algebraic_row_[i] = stiffness_ * scales_.length / algebraic_.equation[i];
}

bool StepEquations::update(const double* x) {
  const StepCoefficients& c = coefficients_;
  norms_ = {};
  too_far_ = -1;
  const auto unknowns = assembler_.layout().unknowns();
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const UnknownBlock& u = unknowns[i];
    const double* from = x + u.local;
    const double* base = base_->value.data() + u.offset.value;
    double* value = trial_.value.data() + u.offset.value;
    if (is_multiplier(u.kind)) {
      for (int k = 0; k < u.size; ++k) value[k] = stiffness_ * from[k];
      continue;
    }
    if (u.kind == BlockKind::algebraic) {
      double& size = norms_.size[FieldNorms::algebraic_increment];
      for (int k = 0; k < u.size; ++k) {
        const std::size_t place = at(u.local + k);
        const double increment = algebraic_column_[place] * from[k];
        value[k] = base[k] + increment;
        const double its_size = std::max({typical_[place], std::abs(base[k]), std::abs(value[k])});
        metres_[place] = algebraic_column_[place] / its_size;
        size = std::max(size, std::abs(increment) / its_size);
      }
      continue;
    }
    double* rate = trial_.rate.data() + u.offset.dof;
    const double* v0 = rate_offset_.data() + u.offset.dof;
    if (u.kind == BlockKind::state) {
      double &size = norms_.size[FieldNorms::state_increment], &largest = norms_.state_rate;
      double far = 0;
      for (int k = 0; k < u.size; ++k) {
        const std::size_t place = at(u.local + k);
        value[k] = base[k] + from[k];
        rate[k] = c.state_rate * from[k] + v0[k];
        // A state larger than its nominal size is compared with its own magnitude.
        const double its_size = std::max({typical_[place], std::abs(base[k]), std::abs(value[k])});
        metres_[place] = of_row_[place] = 1 / its_size;
        size = std::max(size, std::abs(from[k]) / its_size);
        // The rate that changes y by itself in a step counts: a state that stands still has no other scale.
        largest =
            std::max({largest, std::abs(rate[k]) / its_size, c.state_rate * std::abs(value[k]) / its_size});
        far = std::max(far, std::abs(value[k]) / typical_[place]);
      }
      known_to_[i] = rounding_[i] + std::numeric_limits<double>::epsilon() * state_gain_[i] * far;
      continue;
    }
    double* acceleration = trial_.acceleration.data() + u.offset.dof;
    const double* a0 = acceleration_offset_.data() + u.offset.dof;
    const double* metres = metres_.data() + u.local;
    double size = 0, fastest = 0, speed = 0;
    of_size(u.size, [&](auto n) {
      for (int k = 0; k < n; ++k) {
        const double v = c.velocity * from[k] + v0[k], a = c.acceleration * from[k] + a0[k];
        size = std::max(size, std::abs(from[k]) * metres[k]);
        fastest = std::max(fastest, std::abs(a));
        speed = std::max(speed, std::abs(v));
        rate[k] = v;
        acceleration[k] = a;
      }
    });
    const double* mu = u.stabilizing_local >= 0 ? x + u.stabilizing_local : nullptr;
    if (u.kind == BlockKind::rotation) {
      Vec3 theta(from[0], from[1], from[2]);
      if (mu != nullptr) theta -= Eigen::Map<const Vec3>(mu);
      if (!turns_.empty()) theta = turns_[i];
      // Beyond half a turn the increment is not the only one that leads there.
      if (!(theta.squaredNorm() < std::numbers::pi * std::numbers::pi)) too_far_ = static_cast<int>(i);
      turned_[i] = theta;
      norms_.angular_acceleration = std::max(norms_.angular_acceleration, fastest + speed * speed);
      double& rotation = norms_.size[FieldNorms::rotation];
      rotation = std::max(rotation, size);
    } else {
      const bool position = u.kind == BlockKind::position;
      const double* base_compensation = base_->compensation.data() + u.offset.dof;
      double* compensation = trial_.compensation.data() + u.offset.dof;
      of_size(u.size, [&](auto n) {
        for (int k = 0; k < n; ++k) {
          const double moved = from[k] - (mu != nullptr ? mu[k] : 0.0);
          if (position)
            set_sum(value[k], compensation[k], base[k], base_compensation[k], moved);
          else
            value[k] = base[k] + moved;
        }
      });
      if (position) {
        norms_.acceleration = std::max(norms_.acceleration, fastest);
      } else {
        double& largest = norms_.generalized_acceleration;
        const double* typical = typical_.data() + u.local;
        for (int k = 0; k < u.size; ++k) largest = std::max(largest, std::abs(acceleration[k]) / typical[k]);
      }
      double& moved = norms_.size[position ? FieldNorms::displacement : FieldNorms::coordinate];
      moved = std::max(moved, size);
    }
  }
  turn_rotations(rotations_, turned_, base_->value.data(), trial_.value.data());
  assembler_.layout().update_shared(trial_);
  return too_far_ < 0;
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
    assembler_.add_corrections(-coefficients_.step * stabilizing_scale(), local_, corrections_);
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
  const RowStatuses& statuses = assembler_.statuses();
  const bool some_rest = !statuses.rows().empty();
  const auto unknowns = assembler_.layout().unknowns();
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const UnknownBlock& u = unknowns[i];
    if (!u.owned) break;
    double scale = w.row[kind_at(u.kind)];
    const bool differentiated = is_multiplier(u.kind) && level_ == ConstraintLevel::acceleration;
    if (differentiated) {
      for (int k = 0; k < u.size; ++k) f[u.local + k] /= coefficients_.acceleration;
      scale = stiffness_;
    }
    const double *of_row = of_row_.data() + u.local, *typical = typical_.data() + u.local;
    double largest = 0;
    double* rows = f + u.local;
    if (is_kinematic(u.kind)) {
      of_size(u.size, [&](auto n) {
        for (int k = 0; k < n; ++k) {
          const double r = rows[k];
          take_larger(largest, std::abs(r) * of_row[k]);
          rows[k] = r * scale;
        }
      });
    } else if (u.kind == BlockKind::state) {
      for (int k = 0; k < u.size; ++k) {
        // No state's row can fall below its own rounding; that of another does not count.
        const double r = std::abs(rows[k]);
        if (!(r <= known_to_[i] * typical[k])) take_larger(largest, r * of_row[k]);
        rows[k] *= scale;
      }
    } else if (u.kind == BlockKind::algebraic) {
      for (int k = 0; k < u.size; ++k) {
        const std::size_t place = at(u.local + k);
        const double r = std::abs(rows[k]);
        if (!(r <= algebraic_.rounding[place])) take_larger(largest, r / algebraic_.equation[place]);
        rows[k] *= algebraic_row_[place];
      }
    } else {
      double open = 0;
      of_size(u.size, [&](auto n) {
        for (int k = 0; k < n; ++k) {
          if (some_rest && statuses.of(u.block, k) != RowStatus::active) {
            // The row is one of forces: lambda = 0, or lambda = F.
            if (differentiated) rows[k] *= coefficients_.acceleration;
            take_larger(norms_.residual[FieldNorms::force], std::abs(rows[k]) / of_row[k]);
            rows[k] *= w.row[kind_at(u.kind)];
            continue;
          }
          const double r = rows[k];
          take_larger(open, std::abs(r) / typical[k]);
          take_larger(largest, std::abs(r) * of_row[k]);
          rows[k] = r * scale;
        }
      });
      take_larger(u.kind == BlockKind::multiplier ? largest_constraint_ : largest_rate_, open);
    }
    double& norm = norms_.residual[differentiated ? FieldNorms::constraint : residual_field(u.kind)];
    norm = std::max(norm, largest);
    if (is_kinematic(u.kind)) {
      double& beyond = norms_.beyond_rounding[residual_field(u.kind)];
      beyond = std::max(beyond, largest - rounding_[i]);
    }
    if (u.stabilizing_local < 0) continue;

    double* stabilizing = f + u.stabilizing_local;
    largest = 0;
    const double* metres = metres_.data() + u.local;
    const bool constraint = u.kind == BlockKind::multiplier;
    for (int k = 0; k < u.size; ++k) {
      if (!constraint)
        stabilizing[k] = x[u.stabilizing_local + k] + corrections_[at(u.stabilizing_local + k)];
      const double r = std::abs(stabilizing[k]);
      take_larger(largest, r * metres[k]);
      if (constraint) take_larger(largest_rate_, r / typical[k]);
      stabilizing[k] *= constraint ? w.stabilizing_row_velocity : w.stabilizing_row_mu;
    }
    double& other = norms_.residual[constraint ? FieldNorms::rate : FieldNorms::correction];
    other = std::max(other, largest);
  }
}

void StepEquations::tangent(Mat J, LocalFault& fault) {
  const auto unknowns = assembler_.layout().unknowns();
  std::vector<Mat3> T(unknowns.size(),
                      Mat3::Identity());  // larger than what is worth keeping from step to step
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    if (unknowns[i].kind == BlockKind::rotation) T[i] = so3::T(turned_[i]);
  TangentWeights w = weights(T);
  if (coefficients_.constraint_velocity > 0 && has_velocity_constraints_) {
    w.damping = faint * coefficients_.constraint_velocity;
    w.row[kind_at(BlockKind::velocity_multiplier)] *= 1 / faint;
  }
  assembler_.tangent(trial_, w, J, fault);
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
  const auto unknowns = assembler_.layout().unknowns();
  for (const UnknownBlock& u : unknowns) {
    if (!u.owned) break;
    if (is_multiplier(u.kind)) continue;
    double largest = 0;
    for (int k = 0; k < u.size; ++k)
      largest = std::max(largest, std::abs(values[u.local + k]) * metres_[at(u.local + k)]);
    const FieldNorms::Increment field = u.kind == BlockKind::position    ? FieldNorms::displacement
                                        : u.kind == BlockKind::rotation  ? FieldNorms::rotation
                                        : u.kind == BlockKind::state     ? FieldNorms::state_increment
                                        : u.kind == BlockKind::algebraic ? FieldNorms::algebraic_increment
                                                                         : FieldNorms::coordinate;
    norms.change[field] = std::max(norms.change[field], largest);
  }
  TRAMMEL_PETSC(VecRestoreArrayRead(change, &values));
}

}  // namespace trammel
