#include "solvers/newton/newton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "solvers/linear/known_norm.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/linear/solver_options.hpp"
#include "solvers/linear/substructuring.hpp"
#include "solvers/newton/diagnosis.hpp"
#include "solvers/newton/finite_entries.hpp"
#include "solvers/newton/residual_origin.hpp"

namespace trammel {

namespace {

double now() { return MPI_Wtime(); }

// In statics a step starts with a kept tangent only if its first increment is below this part of the increment of the step, and
// below so many times the correction of the last prediction. A longer one shows that stiff directions have turned.
constexpr double of_step = 0.1, of_correction = 10;
// Full steps are abandoned if so many increments in a row grow, to more than `longer` times the first one.
constexpr int most_longer = 3;
constexpr double longer = 10;
// A residual that an iteration reduces by less does not show the rate of convergence.
constexpr double slow = 0.5;
// A tangent with its stale rows renewed that contracts worse is made again as a whole.
constexpr double poor = 0.1;
// A residual of so many times its scale shows that the tangent was almost singular.
constexpr double divergence = 1e12;
// Part of the tolerance that residuals may be left at without another increment by the tangent at hand. A residual of a constraint
// of 0.03 of the tolerance leaves accelerations with errors of a fourth of the tolerance.
constexpr double enough = 0.003;
// Part of the tolerance: with less of a residual a row of the tangent is not stale. Another part of it would be left by each increment to come.
constexpr double stale = 1e-5;
// Such a part of the forces themselves may be rounding errors.
constexpr double least_stale = 1e-13;
// Part of the tolerance to which accelerations are found: errors of some ten steps add up.
constexpr double known = 0.1;
// Part of the accelerations that rounding errors of an increment may be for increments of later steps to end there.
constexpr double most_noise = 1e-7;
// Of rounding errors that were seen, in each step: they are looked for again.
constexpr double fading = 0.9;

}  // namespace

Newton::Newton(NewtonEquations& equations, const NewtonOptions& options, Timings& timings)
    : equations_(equations), options_(options), timings_(timings) {
  forget_cost();
  equations_.send_along([this](Vec f, RankTotals& totals) { begin_increment(f, totals); });
  create();
}

void Newton::reset() {
  snes_.reset();
  J_.reset();
  x_.reset();
  f_.reset();
  start_.reset();
  correction_.reset();
  drop_tangent();
  broken_ = false;
  create();
}

void Newton::drop_factorization() {
  reset();
  forget_cost();
  second_contraction_ = noise_ = 0;
  forget_contractions();
}

void Newton::create() {
  Layout& layout = equations_.assembler().layout();
  if (!x_) {
    x_ = OwnedVec(equations_.create_vector());
    f_ = OwnedVec(equations_.create_vector());
    start_ = OwnedVec(equations_.create_vector());
    correction_ = OwnedVec(equations_.create_vector());
    TRAMMEL_PETSC(VecZeroEntries(x_.get()));
  }
  TRAMMEL_PETSC(SNESCreate(layout.comm(), snes_.fill()));
  SNES snes = snes_.get();
  TRAMMEL_PETSC(SNESSetFunction(snes, f_.get(), form_function, this));
  TRAMMEL_PETSC(SNESSetTolerances(snes, 0, 0, 0, options_.max_iterations, PETSC_MAX_INT));
  TRAMMEL_PETSC(SNESSetConvergenceTest(
      snes,
      [](SNES s, PetscInt i, PetscReal x, PetscReal step, PetscReal f, SNESConvergedReason* reason,
         void* self) { return test(s, i, x, step, f, reason, self); },
      this, nullptr));
  SNESLineSearch search = nullptr;
  TRAMMEL_PETSC(SNESGetLineSearch(snes, &search));
  TRAMMEL_PETSC(SNESLineSearchSetType(search, SNESLINESEARCHBASIC));
  KSP ksp = nullptr;
  TRAMMEL_PETSC(SNESGetKSP(snes, &ksp));
  check_newton_options(snes);
  set_default_solver(ksp, layout.ranks(), &timings_.substructuring);
  TRAMMEL_PETSC(SNESSetFromOptions(snes));
  PetscInt most = 0;
  TRAMMEL_PETSC(SNESGetTolerances(snes, nullptr, nullptr, nullptr, &most, nullptr));
  most_ = static_cast<int>(most);
  SNESLineSearchType type = nullptr;
  TRAMMEL_PETSC(SNESLineSearchGetType(search, &type));
  line_search_ = type == nullptr ? SNESLINESEARCHBASIC : type;
  lasting_ = !reads_once(ksp) || line_search_ != SNESLINESEARCHBASIC;
  J_ = OwnedMat(equations_.create_matrix(lasting_));
  ordered_ = false;
  TRAMMEL_PETSC(SNESSetJacobian(snes, J_.get(), J_.get(), form_jacobian, this));
  // Convergence is decided by norms of fields. SNES's own norms cost three more reductions over all ranks per
  // iteration and are computed only for -snes_monitor.
  PetscBool watched = PETSC_FALSE;
  TRAMMEL_PETSC(PetscOptionsHasName(nullptr, nullptr, "-snes_monitor", &watched));
  norms_wanted_ = watched == PETSC_TRUE;
  whole_steps_ = line_search_ == SNESLINESEARCHBASIC;
  if (whole_steps_) {
    TRAMMEL_PETSC(SNESLineSearchSetComputeNorms(search, watched));
    TRAMMEL_PETSC(SNESLineSearchSetPreCheck(
        search,
        [](SNESLineSearch, Vec, Vec increment, PetscBool* changed, void* self) {
          Newton& newton = *static_cast<Newton*>(self);
          newton.equations_.measure_change(increment, newton.carried_);
          *changed = PETSC_FALSE;
          return PetscErrorCode(0);
        },
        this));
  }
  PetscBool lag = PETSC_FALSE;
  TRAMMEL_PETSC(PetscOptionsHasName(nullptr, nullptr, "-snes_lag_jacobian", &lag));
  own_lag_ = options_.keep_tangent && lag == PETSC_FALSE;
  if (own_lag_) TRAMMEL_PETSC(SNESSetLagJacobianPersists(snes, PETSC_TRUE));
}

NewtonResult Newton::solve(int most) {
  if (!snes_) create();
  most = most > 0 ? std::min(most, most_) : most_;
  kept_.set_cost(next_cost());
  const bool keep = own_lag_ && has_tangent() && kept_.worth_keeping();
  const bool search = options_.backtracking && line_search_ == SNESLINESEARCHBASIC;
  TRAMMEL_PETSC(VecCopy(x_.get(), start_.get()));
  NewtonResult result;
  bool at_start = true;
  // While there is another way, an attempt gets half of the iterations that are left.
  const auto go = [&](bool fresh, bool damped, bool last) {
    const int left = most - result.iterations;
    if (left < 1) return;
    if (!std::exchange(at_start, false)) TRAMMEL_PETSC(VecCopy(start_.get(), x_.get()));
    const NewtonResult next = attempt(fresh, damped, last ? left : (left + 1) / 2);
    result = {next.converged, result.iterations + next.iterations,
              result.factorizations + next.factorizations, next.singular};
  };
  of_residuals_.step();
  of_increments_.step();
  whole_ = whole_ || !(equations_.coefficients().acceleration > 0);
  go(!keep, false, !keep && !search);
  whole_ = whole_ || !result.converged;
  if (!result.converged && keep) go(true, false, !search);
  if (!result.converged && !result.singular && search) go(true, true, true);
  if (!result.converged) {
    TRAMMEL_PETSC(VecCopy(start_.get(), x_.get()));
    drop_tangent();
  }
  kept_.solved(result.iterations, keep, result.factorizations > 0);
  corrected_ = HUGE_VAL;
  if (result.converged && !(equations_.coefficients().acceleration > 0)) {
    TRAMMEL_PETSC(VecWAXPY(correction_.get(), -1, start_.get(), x_.get()));
    corrected_ = length(correction_.get());
  }
  return result;
}

NewtonResult Newton::attempt(bool fresh, bool damped, int most) {
  if (broken_ || !snes_) {
    snes_.reset();
    J_.reset();
    broken_ = false;
    create();
  }
  SNES snes = snes_.get();
  damped_ = damped;
  kept_now_ = own_lag_ && !fresh;
  damping_ = 1;
  first_length_ = last_length_ = 0;
  lengthened_ = 0;
  if (damped) {
    SNESLineSearch search = nullptr;
    TRAMMEL_PETSC(SNESGetLineSearch(snes, &search));
    TRAMMEL_PETSC(SNESLineSearchSetType(search, SNESLINESEARCHSHELL));
    TRAMMEL_PETSC(SNESLineSearchShellSetUserFunc(
        search, [](SNESLineSearch its_own, void* self) { return damp(its_own, self); }, this));
  }
  // Without norms SNES evaluates no residual in its last iteration; one more iteration is allowed, which is never needed.
  TRAMMEL_PETSC(
      SNESSetTolerances(snes, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, most + 1, PETSC_DEFAULT));
  most_now_ = most;
  // Of a first residual a new tangent is made.
  begins_ = kept_now_ && whole_steps_ && !damped && equations_.coefficients().acceleration > 0;
  fresh_at_ = -1;
  factorizations_ = 0;
  last_iteration_ = 0;
  singular_ = regular_ = rejected_ = end_measured_ = unseen_ = false;
  residual_at_end_ = whole_steps_ && !damped;
  tangent_rejected_.clear();
  not_finite_.clear();
  thrown_ = nullptr;
  convergence_.begin(options_.tolerance, equations_.scales(),
                     equations_.coefficients().acceleration > 0 ? equations_.stiffness() : 0.0,
                     equations_.rate_stiffness(), equations_.level() == ConstraintLevel::acceleration);
  if (own_lag_) want_tangent(snes, fresh);
  // Rows are scaled as the tangent of this solve, which may be a kept one.
  if (fresh && (own_lag_ || !options_.keep_tangent || !have_tangent_)) equations_.rescale();
  mark_ = now();

  PetscErrorCode code = 0;
  {
    const QuietErrors quiet;
    code = SNESSolve(snes, nullptr, x_.get());
  }
  SNESConvergedReason reason = SNES_DIVERGED_LINEAR_SOLVE;
  if (code == 0) TRAMMEL_PETSC(SNESGetConvergedReason(snes, &reason));
  if (code != 0) {
    if (code == PETSC_ERR_MEM && !thrown_) check_petsc(code, "SNESSolve");
    broken_ = true;
    singular_ = true;
  }
  // PETSc 3.18 never clears the mark of a Jacobian's domain error.
  if (reason == SNES_DIVERGED_JACOBIAN_DOMAIN) broken_ = true;
  if (thrown_) {
    broken_ = true;
    std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
  if (damped && !broken_) {
    SNESLineSearch search = nullptr;
    TRAMMEL_PETSC(SNESGetLineSearch(snes, &search));
    TRAMMEL_PETSC(SNESLineSearchSetType(search, line_search_.c_str()));
  }
  if (reason > 0 && !improve(fresh, most)) reason = SNES_DIVERGED_MAX_IT;
  timings_.iterations += last_iteration_;
  if (factorizations_ > 0) {
    have_tangent_ = !singular_;
    coefficients_ = equations_.coefficients();
  }
  singular_ = singular_ || reason == SNES_DIVERGED_LINEAR_SOLVE;
  if (reason <= 0 && not_finite_.empty() && !equations_.residual_is_finite())
    not_finite_ = equations_.not_finite();
  return {reason > 0, last_iteration_, factorizations_, singular_};
}

bool Newton::improve(bool fresh, int most) {
  const bool kept = last_iteration_ > 0 ? fresh_at_ < last_iteration_ - 1 : !fresh;
  if (convergence_.accepted_at_rounding() || (last_iteration_ == 0 && fresh)) return true;
  const bool moves = equations_.coefficients().acceleration > 0;
  const bool open = (kept || moves) && convergence_.excess() > enough / growth_;
  const bool unsure =
      moves && (last_iteration_ == 0 || convergence_.contraction() * last_length_ > enough * allowed_length_);
  if (!open && !unsure) return true;
  double last = last_iteration_ > 0 ? last_length_ : 0;
  if (unseen_) rate_ = of_increments_.estimate();
  noise_ *= fading;
  for (;;) {
    const double begin = now(), counted = residual_time();
    double size = HUGE_VAL;
    const bool taken = take_correction(size);
    timings_.solve += now() - begin - (residual_time() - counted);
    if (last > 0) {
      rate_ = size / last;
      of_increments_.observe(rate_);
    }
    // The error after an increment is at most rate / (1 - rate) times the increment.
    if (!taken) return !unseen_;
    if (!moves || rate_ * size <= (1 - rate_) * std::max(allowed_length_, std::min(noise_, noise_allowed_)))
      return true;
    if (last > 0 && rate_ > slow) {
      noise_ = std::min(size, last);
      return !unseen_;
    }
    if (last_iteration_ >= most) return !unseen_;
    if (!residual(x_.get(), f_.get())) return !unseen_;
    ++last_iteration_;
    last = size;
  }
}

double Newton::length(Vec increment) const {
  FieldNorms norms;
  equations_.measure_change(increment, norms);
  const Layout& layout = equations_.assembler().layout();
  if (layout.ranks() > 1) norms.merge(layout.comm());
  return increment_length(norms, equations_.scales());
}

bool Newton::has_tangent() const { return have_tangent_ && coefficients_ == equations_.coefficients(); }

void Newton::forget_contractions() {
  of_residuals_.forget();
  of_increments_.forget();
}

void Newton::forget_cost() {
  if (StaleRows* const rows = equations_.stale_rows()) rows->forget_cost();
  whole_cost_ = options_.keep_iterations.value_or(KeptTangent::least_cost);
  kept_ = KeptTangent(whole_cost_);
  factorized_ = 0;
}

void Newton::look_for_stale_rows(Vec f, StaleRows::Limits tolerance, bool may_be_rounding) {
  const double part = std::max(stale, least_stale / options_.tolerance);
  for (double& most : tolerance) most *= part;
  equations_.look_for_stale_rows(f, tolerance, may_be_rounding);
}

int Newton::next_cost() const {
  const StaleRows* const rows = equations_.stale_rows();
  if (whole_ || !own_lag_ || options_.keep_iterations || rows == nullptr || !rows->are_few())
    return whole_cost_;
  return std::min(whole_cost_, 1 + static_cast<int>(rows->cost() * whole_cost_));
}

void Newton::follow_cost(KSP ksp) {
  const bool moves = equations_.coefficients().acceleration > 0;
  // Work changes slowly; on several ranks to ask for it is a reduction.
  if (!moves || options_.keep_iterations || !std::has_single_bit(++factorized_)) return;
  if (const LinearWork work = work_of(ksp); work.unknowns > 0) whole_cost_ = KeptTangent::cost_of(work);
}

bool Newton::renew_tangent() {
  mark_ = now();
  have_tangent_ = jacobian(snes_.get()) && !broken_;
  coefficients_ = equations_.coefficients();
  kept_.renewed();
  return have_tangent_;
}

bool Newton::solve_linear(Vec b, Vec y) {
  KSP ksp = nullptr;
  TRAMMEL_PETSC(SNESGetKSP(snes_.get(), &ksp));
  return trammel::solve(ksp, b, y);
}

bool Newton::solve_linear(std::span<const Vec> b, std::span<const Vec> y) {
  KSP ksp = nullptr;
  TRAMMEL_PETSC(SNESGetKSP(snes_.get(), &ksp));
  return trammel::solve(ksp, b, y);
}

bool Newton::take_correction(double& size) {
  end_measured_ = residual_at_end_ = false;
  if (!solve_linear(f_.get(), correction_.get())) return false;
  FieldNorms norms;
  equations_.measure_change(correction_.get(), norms);
  // The ranks learn in one exchange how long the increment is, whether its end is a state, and what the method asks of that.
  const bool moves = std::isfinite(increment_length(norms, equations_.scales()));
  if (moves) TRAMMEL_PETSC(VecAXPY(x_.get(), -1, correction_.get()));
  std::array outside{equations_.move_here(x_.get()) ? 0.0 : 1.0};
  FieldNorms::Numbers of_change = norms.numbers();
  RankTotals totals;
  totals.add_maxima(of_change);
  totals.add_maxima(outside);
  if (measure_end_) measure_end_(totals);
  totals.agree(equations_.assembler());
  norms.set(of_change);
  size = increment_length(norms, equations_.scales());
  end_measured_ = outside[0] == 0 && std::isfinite(size);
  if (end_measured_) return true;
  if (moves) TRAMMEL_PETSC(VecAXPY(x_.get(), 1, correction_.get()));
  equations_.move_here(x_.get());
  if (!std::isfinite(size)) size = HUGE_VAL;
  return false;
}

double Newton::next_length() {
  if (!solve_linear(f_.get(), correction_.get())) return HUGE_VAL;
  const double size = length(correction_.get());
  return std::isfinite(size) ? size : HUGE_VAL;
}

void Newton::want_tangent(SNES snes, bool want) { TRAMMEL_PETSC(SNESSetLagJacobian(snes, want ? -2 : -1)); }

PetscErrorCode Newton::form_function(SNES snes, Vec x, Vec f, void* self) {
  Newton& newton = *static_cast<Newton*>(self);
  try {
    newton.function(snes, x, f);
  } catch (...) {
    newton.thrown_ = std::current_exception();
    return SNESSetFunctionDomainError(snes);
  }
  return 0;
}

double Newton::residual_time() const { return timings_.residual + equations_.assembler().cost().residual; }

bool Newton::residual(Vec x, Vec f) {
  // What begins here of a solution, and the assembler's own part, are counted elsewhere.
  const double begin = now(), counted = residual_time() + timings_.solve;
  ++timings_.residuals;
  const bool inside = equations_.residual(x, f);
  timings_.residual += now() - begin - (residual_time() + timings_.solve - counted);
  return inside;
}

void Newton::function(SNES snes, Vec x, Vec f) {
  timings_.solve += now() - mark_;
  if (request_ != nullptr) carried_.stop = static_cast<double>(request_->asked());
  equations_.carry(std::exchange(carried_, {}));
  const bool inside = residual(x, f);
  begins_ = own_lag_ && whole_steps_ && !damped_ && equations_.coefficients().acceleration > 0;
  if (!inside) {
    rejected_ = true;
    TRAMMEL_PETSC(SNESSetFunctionDomainError(snes));
  } else if (whole_steps_ && !damped_ && !norms_wanted_) {
    // SNES looks at a norm before the first iteration only to see whether it is a number.
    tell_norm(f, *std::ranges::max_element(equations_.norms().residual));
  }
  mark_ = now();
}

// By the kept tangent it nearly always follows: another iteration, or what `improve` takes.
void Newton::begin_increment(Vec f, RankTotals& totals) {
  if (!begins_ || !snes_) return;
  const double begin = now();
  KSP ksp = nullptr;
  TRAMMEL_PETSC(SNESGetKSP(snes_.get(), &ksp));
  begin_solution(ksp, f, totals);
  timings_.solve += now() - begin;
}

PetscErrorCode Newton::form_jacobian(SNES snes, Vec, Mat, Mat, void* self) {
  Newton& newton = *static_cast<Newton*>(self);
  bool made = false;
  try {
    made = newton.jacobian(snes);
  } catch (...) {
    newton.thrown_ = std::current_exception();
  }
  if (made) return 0;
  // All ranks come here together, so SNES need not ask them after every tangent.
  PetscCall(SNESSetCheckJacobianDomainError(snes, PETSC_TRUE));
  return SNESSetJacobianDomainError(snes);
}

std::vector<int> Newton::make_tangent(LocalFault& fault) {
  StaleRows* const stale_rows = equations_.stale_rows();
  const bool part = next_cost() < whole_cost_;
  renewed_ = !std::exchange(whole_, true) && own_lag_ && equations_.renew_stale_rows(J_.get(), fault);
  if (!renewed_) equations_.tangent(J_.get(), fault);
  if (part && !renewed_) stale_rows->cost(1, equations_.assembler().layout());
  if (stale_rows == nullptr) return {};
  std::vector<int> rows;
  if (renewed_) rows = stale_rows->numbers(equations_.assembler().layout());
  stale_rows->clear();
  return rows;
}

bool Newton::jacobian(SNES snes) {
  PetscInt iteration = 0;
  TRAMMEL_PETSC(SNESGetIterationNumber(snes, &iteration));
  fresh_at_ = static_cast<int>(iteration);
  rate_ = 1;
  LocalFault fault;
  const std::vector<int> rows = make_tangent(fault);
  // Some packages factorize such a matrix without a word.
  const bool fine = renewed_ ? has_finite_rows(J_.get(), rows) : has_finite_entries(J_.get());
  std::array infinite{fine ? 0.0 : 1.0};
  if (!agree(equations_.assembler(), fault, infinite)) {
    tangent_rejected_ = equations_.assembler().rejection();
    mark_ = now();
    return false;
  }
  if (infinite[0] > 0) not_finite_ = equations_.not_finite();
  if (!not_finite_.empty()) {
    mark_ = now();
    return false;
  }
  // Factorizing here rather than inside KSPSolve gives every package's failure one way out.
  const double begin = now();
  KSP ksp = nullptr;
  TRAMMEL_PETSC(SNESGetKSP(snes, &ksp));
  TRAMMEL_PETSC(KSPSetOperators(ksp, J_.get(), J_.get()));
  if (renewed_)
    expect_changes(ksp, rows);
  else if (!std::exchange(ordered_, true))
    prefer_last(ksp, equations_.turning_rows());
  ++factorizations_;
  ++tangent_number_;
  // What stale rows that were renewed leave is no less than what the tangent before left, for all that is known.
  if (!renewed_) {
    of_residuals_.renew();
    of_increments_.renew();
  }
  ++timings_.factorizations;
  const bool factorized = factorize(ksp, broken_);
  (factorized ? regular_ : singular_) = true;
  whole_ = !factorized;
  if (factorized && renewed_)
    equations_.stale_rows()->cost(renewed_part(ksp), equations_.assembler().layout());
  else if (factorized)
    follow_cost(ksp);
  if (renewed_) ++timings_.renewals;
  mark_ = now();
  timings_.factorization += mark_ - begin;
  return factorized;
}

PetscErrorCode Newton::test(SNES snes, PetscInt iteration, PetscReal, PetscReal, PetscReal fnorm,
                            SNESConvergedReason* reason, void* self) {
  Newton& newton = *static_cast<Newton*>(self);
  if (!std::isfinite(fnorm)) {
    *reason = SNES_DIVERGED_FNORM_NAN;
    return 0;
  }
  try {
    *reason = newton.test(snes, static_cast<int>(iteration));
  } catch (...) {
    newton.thrown_ = std::current_exception();
    *reason = SNES_DIVERGED_FUNCTION_DOMAIN;
  }
  return 0;
}

SNESConvergedReason Newton::test(SNES snes, int iteration) {
  last_iteration_ = iteration;
  FieldNorms norms = equations_.norms();
  if (iteration > 0 && (damped_ || !whole_steps_)) {
    Vec change = nullptr;
    TRAMMEL_PETSC(SNESGetSolutionUpdate(snes, &change));
    equations_.measure_change(change, norms);
    if (request_ != nullptr) norms.stop = static_cast<double>(request_->asked());
    Layout& layout = equations_.assembler().layout();
    if (layout.ranks() > 1) norms.merge(layout.comm());
  }
  if (!std::ranges::all_of(norms.residual, [](double r) { return std::isfinite(r); }))
    return SNES_DIVERGED_FNORM_NAN;
  stop_ = static_cast<Stop>(norms.stop);
  SNESLineSearch search = nullptr;
  PetscReal lambda = 1;
  TRAMMEL_PETSC(SNESGetLineSearch(snes, &search));
  if (iteration > 0) TRAMMEL_PETSC(SNESLineSearchGetLambda(search, &lambda));
  const ConvergenceTest::Iterate iterate{iteration, fresh_at_ == iteration - 1, lambda > 0.99};
  const bool moves = equations_.coefficients().acceleration > 0;
  // There is no tangent yet that could improve an accepted prediction.
  const auto bare = [&] {
    return iteration == 0 && moves && !kept_now_ && convergence_.excess() > enough / growth_;
  };
  const double excess_before = convergence_.excess();
  const bool accepted = convergence_.accept(norms, equations_.assembler().scales(), iterate);
  if (iteration > 0 && moves && own_lag_ && !damped_)
    look_for_stale_rows(f_.get(), convergence_.kind_tolerance(), false);
  if (iteration == 2 && fresh_at_ < 0) second_contraction_ = convergence_.excess() / excess_before;
  if (iteration == 1 && fresh_at_ < 0) of_residuals_.observe(convergence_.excess() / excess_before);
  // Nothing of this residual will be left after the increment by the kept tangent.
  unseen_ = iteration == 0 && kept_now_ && whole_steps_ && moves && displacements_alone_ &&
            of_residuals_.is_known() && of_increments_.is_known() &&
            of_residuals_.estimate() * convergence_.excess() <= 1;
  if (unseen_ || (accepted && !bare())) {
    if (iteration > 0) last_length_ = increment_length(norms, equations_.scales());
    allowed_length_ = convergence_.allowed_length(norms, moves ? known / growth_ : 1.0);
    noise_allowed_ = convergence_.allowed_length(norms, most_noise / options_.tolerance);
    if (unseen_) {
      unseen_gap_ = convergence_.kind_tolerance()[static_cast<std::size_t>(BlockKind::multiplier)];
      allowed_length_ = std::max(convergence_.allowed_length(norms, 1 / growth_),
                                 known * options_.tolerance * step_length(norms, equations_.scales()));
    }
    return SNES_CONVERGED_FNORM_ABS;
  }
  if (stop_ == Stop::at_once) throw Stopped(true);
  if (iteration == 0) {
    if (kept_now_ && !moves &&
        next_length() >
            std::min(of_step * step_length(norms, equations_.scales()), of_correction * corrected_))
      want_tangent(snes, true);
    return SNES_CONVERGED_ITERATING;
  }
  const double before = std::exchange(last_length_, increment_length(norms, equations_.scales()));
  if (iteration == 1) first_length_ = last_length_;
  lengthened_ = iteration > 1 && last_length_ > before ? lengthened_ + 1 : 0;
  const bool grows = lengthened_ >= most_longer && last_length_ > longer * first_length_;
  if (!damped_ && (grows || options_.tolerance * convergence_.excess() > divergence))
    return SNES_DIVERGED_DTOL;
  if (iteration >= most_now_) return SNES_DIVERGED_MAX_IT;
  if (own_lag_) {
    // Iterations that are still to come with the present tangent. In statics they are estimated from its next increment, because
    // residuals grow while stiff directions turn, and shrink although soft ones have not converged.
    double rate = convergence_.contraction(), far = convergence_.excess();
    // The first contraction with a kept tangent is often that of errors which the second does away with.
    if (iteration == 1 && fresh_at_ < 0) rate = std::min(rate, second_contraction_);
    bool stalls = convergence_.stalled() >= 2;
    if (!moves && last_length_ > 0 && !damped_) {
      const double next = next_length();
      rate = next / last_length_;
      far = next / convergence_.allowed_length(norms, 1);
      stalls = rate > slow && stalls;
    }
    const double left = rate < 1 ? std::log(std::max(far, 1.0)) / -std::log(std::max(rate, 1e-16)) : HUGE_VAL;
    // Poor contraction by stale rows that were renewed has another cause.
    if (renewed_ && fresh_at_ == iteration - 1 && convergence_.contraction() > poor) whole_ = true;
    const bool wants = damped_ || left > next_cost() || stalls;
    // What has not been seen for a while is tried again.
    if (wants && iteration == 1) second_contraction_ /= 2;
    want_tangent(snes, wants);
  }
  mark_ = now();
  return SNES_CONVERGED_ITERATING;
}

std::string Newton::failure(bool thorough) {
  worst_entity_.clear();
  if (!not_finite_.empty()) return not_finite_ + " has a number that is not finite";
  Assembler& assembler = equations_.assembler();
  if (!tangent_rejected_.empty()) return tangent_rejected_;
  const Search search = singular_ ? Search::certain : thorough ? Search::thorough : Search::empty_rows;
  // A state that is rejected at once comes before any tangent.
  bool has_tangent = singular_ || regular_ || kept_now_;
  // The entries of a kept tangent may be lost.
  if (has_tangent && !lasting_ && !singular_ && !regular_) {
    LocalFault fault;
    equations_.tangent(J_.get(), fault);
    has_tangent = assembler.agree(fault);
  }
  const std::string names =
      has_tangent ? describe_singular(assembler, assembler.layout(), equations_.diagnosed(J_.get()), search)
                  : "";
  if (!names.empty() && !regular_) return "the system is singular: " + names;
  if (rejected_)
    if (std::string turned = equations_.turned_too_far(); !turned.empty()) return turned;
  auto tolerance = convergence_.kind_tolerance();
  if (equations_.level() == ConstraintLevel::acceleration) {
    const auto to = [&](BlockKind kind) -> double& { return tolerance[static_cast<std::size_t>(kind)]; };
    to(BlockKind::multiplier) *= equations_.coefficients().acceleration;
    to(BlockKind::velocity_multiplier) = to(BlockKind::multiplier);
  }
  const WorstResidual worst = worst_residual(assembler, equations_.trial(), equations_.level(), tolerance);
  if (worst.block == no_block) return assembler.rejection();
  worst_entity_ = worst.entity;
  const std::string there = names.empty() ? "" : "; where it ended the system is singular: " + names;
  const double square = residual_square(assembler, equations_.trial(), equations_.level(), worst.kind);
  const double total = std::sqrt(square);
  const double part = total > 0 ? std::min(100.0, 100 * worst.value * worst.value / square) : 0;
  return fmt::format("|r| = {:.2g} in {}, {:.0f} % of it in {}, row {} of '{}'{}", total,
                     field_name(static_cast<FieldNorms::Residual>(worst.kind)), part, worst.entity,
                     worst.component + 1, worst.name, there);
}

}  // namespace trammel
