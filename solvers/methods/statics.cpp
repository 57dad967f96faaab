#include "solvers/methods/statics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/index.hpp"

namespace trammel {

namespace {

// Most increments that a prediction extrapolates. With n increments, errors of the solutions enter with a factor of up to 2^n.
constexpr std::size_t most_increments = 5;

/// Weights of the increments of the steps `before`, the newest first, in the increment of the next step of size h: it follows the
/// polynomial through the ends of these steps.
template <class Steps>
std::vector<double> continuation(const Steps& before, double h) {
  const std::size_t n = before.size();
  std::vector<double> ends(n), weights(n, 0.0);  // ends: times of the steps' begins, from now back
  for (std::size_t i = 0; i < n; ++i) ends[i] = (i > 0 ? ends[i - 1] : 0.0) - before[i].step;
  for (std::size_t k = 0; k < n; ++k) {
    double basis = h / ends[k];
    for (std::size_t j = 0; j < n; ++j)
      if (j != k) basis *= (h - ends[j]) / (ends[k] - ends[j]);
    for (std::size_t i = 0; i <= k; ++i) weights[i] -= basis;
  }
  return weights;
}

}  // namespace

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

std::vector<Statics::Before> Statics::steps_before(const State& now) const {
  std::vector<Before> all;
  if (!memory_.predicts) return all;
  all.push_back({memory_.last_step, &now.predictor});
  if (!(memory_.step_before > 0)) return all;
  all.push_back({memory_.step_before, &now.algorithmic});
  for (const Increment& each : older_) all.push_back({each.step, &each.x});
  return all;
}

void Statics::predict(const State& now, bool extrapolate) {
  std::vector<Before> before;
  if (extrapolate) before = steps_before(now);
  const std::size_t order = std::min(before.size(), at(std::max(order_, memory_.bends ? 2 : 1)));
  before.resize(order);
  const std::vector<double> weights = continuation(before, step_);
  PetscScalar* x = nullptr;
  TRAMMEL_PETSC(VecGetArray(newton_.x(), &x));
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned) break;
    for (std::size_t k = 0; k < at(u.size); ++k) {
      const std::size_t i = at(u.local) + k;
      const std::size_t dof = at(u.offset.dof) + k;
      x[i] = 0;
      for (std::size_t n = 0; n < order; ++n) x[i] += weights[n] * (*before[n].x)[dof];
      if (is_multiplier(u.kind)) x[i] += now.value[at(u.offset.value) + k] / equations_.multiplier_scale();
    }
  }
  TRAMMEL_PETSC(VecRestoreArray(newton_.x(), &x));
}

int Statics::best_order(std::span<const Before> before) const {
  std::vector<std::vector<double>> weights;
  for (std::size_t n = 1; n <= before.size(); ++n) weights.push_back(continuation(before.first(n), step_));
  const double L = equations_.scales().length;
  std::array<double, most_increments> errors{};  // squares
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned) break;
    if (!is_kinematic(u.kind)) continue;
    const double size = u.kind == BlockKind::position ? 1.0 : L;
    for (std::size_t k = 0; k < at(u.size); ++k) {
      const std::size_t dof = at(u.offset.dof) + k;
      for (std::size_t n = 0; n < weights.size(); ++n) {
        double error = predictor_[dof];
        for (std::size_t j = 0; j <= n; ++j) error -= weights[n][j] * (*before[j].x)[dof];
        errors[n] += size * size * error * error;
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, errors.data(), most_increments, MPI_DOUBLE, MPI_SUM,
                assembler_.layout().comm());
  const auto end = errors.begin() + static_cast<std::ptrdiff_t>(weights.size());
  return 1 + static_cast<int>(std::min_element(errors.begin(), end) - errors.begin());
}

void Statics::accept(State& now, RankTotals& /*totals*/) {
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
  const std::vector<Before> steps = steps_before(now);
  order_ = steps.empty() ? 1 : best_order(steps);
  if (memory_.step_before > 0 && memory_.predicts) {
    older_.insert(older_.begin(), {memory_.step_before, now.algorithmic});
    if (older_.size() > most_increments - 2) older_.pop_back();
  } else {
    older_.clear();
  }
  std::swap(before_, now.predictor);
  now = equations_.trial();
  std::swap(now.predictor, predictor_);
  std::swap(now.algorithmic, before_);
  memory_ = {.last_step = step_,
             .first = false,
             .prepares_start = false,
             .predicts = step_ > 0,
             .step_before = before,
             .bends = order_ > 1};
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

void Statics::restart(State&) {
  memory_ = {};
  older_.clear();
  order_ = 1;
}

void Statics::drop_factorization() {
  newton_.drop_factorization();
  older_.clear();
  order_ = 1;
}

void Statics::forget() {
  memory_.predicts = false;
  memory_.step_before = 0;
  memory_.bends = false;
  older_.clear();
  order_ = 1;
}

void Statics::revise() {
  forget();
  equations_.revise();
  newton_.reset();
}

void Statics::take_redundant() {
  forget();
  equations_.take_redundant();
  newton_.drop_tangent();
}

Violations Statics::violations() const {
  return {
      .position = equations_.largest_constraint(), .rate = 0, .redundant = equations_.largest_redundant()};
}

}  // namespace trammel
