#include "solvers/statics.hpp"

#include <algorithm>
#include <cmath>

#include "trammel/index.hpp"

namespace trammel {

Statics::Statics(Assembler& assembler, const ModelScales& scales, double stiffness, const StaticStage& stage,
                 Timings& timings)
    : assembler_(assembler),
      stiffness_(stiffness),
      equations_(assembler, scales),
      newton_(equations_, stage.newton, timings) {}

NewtonResult Statics::attempt(const State& now, double end, double h) {
  rest_ = now;
  std::ranges::fill(rest_.rate, 0.0);
  std::ranges::fill(rest_.acceleration, 0.0);
  step_ = h;
  StepCoefficients step;
  step.step = h;
  step.constraint_velocity = h > 0 ? 1 / h : 0;
  equations_.begin(rest_, end, step, stiffness_);
  const bool extrapolate = memory_.predicts;
  predict(rest_, extrapolate);
  // Half of the iterations is for the second way.
  const int all = newton_.most_iterations();
  NewtonResult result = newton_.solve((all + 1) / 2);
  if (!result.converged && !extrapolate) return with_inertia(result, end, step);
  if (result.converged || !extrapolate || result.iterations >= all) return result;
  equations_.begin(rest_, end, step, stiffness_);
  predict(rest_, false);
  const NewtonResult again = newton_.solve(all - result.iterations);
  return {again.converged, result.iterations + again.iterations, result.factorizations + again.factorizations,
          again.singular};
}

/// Newton's method with inertia added to the tangent, for models without stiffness, such as a pendulum or a slack
/// rope: pseudo-transient continuation (Kelley and Keyes, SIAM J. Numer. Anal. 35, 1998). At first there is so much
/// inertia that the largest force moves a typical mass by the model's length; it decreases with the forces. The
/// last iterations use no inertia.
NewtonResult Statics::with_inertia(const NewtonResult& before, double end, StepCoefficients step) {
  const int all = newton_.most_iterations();
  const int most = std::min(40, (all - before.iterations) / 2);
  constexpr double near = 1e-3;
  equations_.begin(rest_, end, step, stiffness_);
  predict(rest_, false);
  const OwnedVec f(assembler_.layout().create_vector());
  if (!equations_.residual(newton_.x(), f.get())) return before;
  NewtonResult result = before;
  const auto go_on = [&](auto&& solve) {
    equations_.begin(rest_, end, step, stiffness_);
    const NewtonResult next = solve();
    result = {next.converged, result.iterations + next.iterations,
              result.factorizations + next.factorizations, next.singular};
  };
  const ModelScales& scales = equations_.scales();
  const OwnedVec kept(assembler_.layout().create_vector());
  const double first = largest_force();
  constant_load_ = std::abs(first - failed_at_) <= 1e-9 * first;
  failed_at_ = first;
  double force = first, caution = 1;
  for (int i = 0; i < most && force > near * first; ++i) {
    TRAMMEL_PETSC(VecCopy(newton_.x(), kept.get()));
    step.inertia = caution * force / (scales.mass * scales.length);
    const int done = result.iterations;
    go_on([&] { return newton_.approach(1); });
    if (result.singular) return result;
    if (result.iterations == done) {  // it led outside the domain of an element
      TRAMMEL_PETSC(VecCopy(kept.get(), newton_.x()));
      caution *= 10;
      continue;
    }
    force = largest_force();
  }
  step.inertia = 0;
  if (result.iterations < all) go_on([&] { return newton_.solve(all - result.iterations); });
  return result;
}

double Statics::largest_force() const {
  const FieldNorms& norms = equations_.norms();
  double force = std::max({norms.residual[FieldNorms::force], norms.residual[FieldNorms::moment],
                           norms.residual[FieldNorms::generalized]});
  MPI_Allreduce(MPI_IN_PLACE, &force, 1, MPI_DOUBLE, MPI_MAX, assembler_.layout().comm());
  return force;
}

void Statics::predict(const State& now, bool extrapolate) {
  // The rate of change is that of the last step, at its middle, and grows as it did from the step before.
  const double last = memory_.last_step, before = memory_.step_before;
  const double part = extrapolate ? step_ / last : 0.0;
  const double growth = extrapolate && memory_.bends ? (step_ + last) / (last + before) : 0.0;
  PetscScalar* x = nullptr;
  TRAMMEL_PETSC(VecGetArray(newton_.x(), &x));
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned) break;
    for (std::size_t k = 0; k < at(u.size); ++k) {
      const std::size_t i = at(u.local) + k;
      const std::size_t dof = at(u.offset.dof) + k;
      x[i] = 0;
      if (part > 0) x[i] = part * (1 + growth) * now.predictor[dof];
      if (growth > 0) x[i] -= growth * step_ / before * now.algorithmic[dof];
      if (is_multiplier(u.kind)) x[i] += now.value[at(u.offset.value) + k] / equations_.multiplier_scale();
    }
  }
  TRAMMEL_PETSC(VecRestoreArray(newton_.x(), &x));
}

bool Statics::curve_predicts(const State& now) const {
  const double last = memory_.last_step, before = memory_.step_before, L = equations_.scales().length;
  const double growth = (step_ + last) / (last + before);
  double errors[2] = {0, 0};  // squares, by a line and by a curve
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned) break;
    if (!is_kinematic(u.kind)) continue;
    const double size = u.kind == BlockKind::position ? 1.0 : L;
    for (std::size_t k = 0; k < at(u.size); ++k) {
      const std::size_t dof = at(u.offset.dof) + k;
      const double rate = now.predictor[dof] / last, rate_before = now.algorithmic[dof] / before;
      const double by_line = size * (predictor_[dof] - step_ * rate);
      const double by_curve = by_line - size * step_ * growth * (rate - rate_before);
      errors[0] += by_line * by_line;
      errors[1] += by_curve * by_curve;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, errors, 2, MPI_DOUBLE, MPI_SUM, assembler_.layout().comm());
  return errors[1] < errors[0];
}

void Statics::accept(State& now) {
  const Layout& layout = assembler_.layout();
  layout.to_local(newton_.x(), local_);
  predictor_.resize(layout.dof_count());
  for (const UnknownBlock& u : layout.unknowns())
    for (std::size_t k = 0; k < at(u.size); ++k) {
      double& last = predictor_[at(u.offset.dof) + k];
      last = local_[at(u.local) + k];
      if (is_multiplier(u.kind)) last -= now.value[at(u.offset.value) + k] / equations_.multiplier_scale();
    }
  const double before = memory_.predicts ? memory_.last_step : 0.0;
  const bool bends = before > 0 && memory_.step_before > 0 && curve_predicts(now);
  std::swap(before_, now.predictor);
  now = equations_.trial();
  std::swap(now.predictor, predictor_);
  std::swap(now.algorithmic, before_);
  memory_ = {.last_step = step_,
             .first = false,
             .prepares_start = false,
             .predicts = step_ > 0,
             .step_before = before,
             .bends = bends};
  failed_at_ = 0;
  constant_load_ = false;
}

std::string Statics::failure(bool thorough) {
  return newton_.failure(thorough) +
         (constant_load_ && thorough
              ? "; what loads the system does not grow with the step: let it follow the clock, such as "
                "`factor: t`, for small steps to be of use"
              : "");
}

void Statics::revise() {
  memory_.predicts = false;
  memory_.step_before = 0;
  memory_.bends = false;
  equations_.revise();
  newton_.reset();
}

void Statics::take_redundant() {
  memory_.predicts = false;
  memory_.step_before = 0;
  memory_.bends = false;
  equations_.take_redundant();
  newton_.drop_tangent();
}

Violations Statics::violations() const {
  double all[2] = {equations_.largest_constraint(), equations_.largest_redundant()};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_MAX, assembler_.layout().comm());
  return {.position = all[0], .rate = 0, .redundant = all[1]};
}

}  // namespace trammel
