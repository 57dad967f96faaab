#include "solvers/methods/generalized_alpha.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/newton/motion_copy.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// Repetitions of the first step that improve the start.
constexpr int max_start_passes = 8;
// If a step is more than so many times longer than the step before, a - v' of the short step is rounding.
constexpr double most_growth = 100;
// From this radius on oscillations above the steps' own frequency last for 20 steps and more.
constexpr double undamped = 0.95;
// Unexpected changes of accelerations that alter velocities by less than this part of the accuracy are those of small vibrations.
constexpr double least_change = 0.02;

}  // namespace

GeneralizedAlpha::GeneralizedAlpha(Assembler& assembler, const ModelScales& scales, const DynamicStage& stage,
                                   ConstraintForm& form, Timings& timings)
    : assembler_(assembler),
      form_(form),
      alpha_(AlphaCoefficients::from_radius(stage.radius)),
      equations_(assembler, scales, form.level()),
      newton_(equations_, stage.newton, timings),
      accuracy_(stage.accuracy),
      filter_(assembler),
      vibration_filter_(equations_, alpha_, timings) {
  memory_.prepares_start = stage.start == DynamicStage::Start::consistent;
  int constrained = 0;
  for (const UnknownBlock& u : assembler.layout().unknowns())
    if (u.kind == BlockKind::multiplier) constrained = 1;
  MPI_Allreduce(MPI_IN_PLACE, &constrained, 1, MPI_INT, MPI_MAX, assembler.layout().comm());
  if (constrained != 0) growth_ = form.error_growth(alpha_);
  newton_.expect_growth(growth_);
  newton_.measure_end([this](RankTotals& totals) { form_.measure(equations_.trial(), totals); });
  form_.solved_by(newton_);
  take_layout();
  if (stage.accuracy > 0) errors_.emplace(assembler.layout(), alpha_, stage.radius);
}

void GeneralizedAlpha::start_from(const State& now, std::vector<double>& algorithmic) const {
  algorithmic = now.acceleration;
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    if (u.kind == BlockKind::state)
      std::copy_n(&now.rate[at(u.offset.dof)], u.size, &algorithmic[at(u.offset.dof)]);
}

void GeneralizedAlpha::change_step(const State& now, double h, bool anew) {
  copy_motion(now, changed_);
  base_ = &changed_;
  a_ = &a_changed_;
  if (anew) {
    form_.begin_anew(changed_);
    start_from(changed_, a_changed_);
    return;
  }
  a_changed_ = now.algorithmic;
  // a - v' is proportional to h, and the error of B v in the index-3 form to its square: a change of step
  // without these factors costs the multipliers one order.
  const double ratio = h / memory_.last_step;
  form_.change_step(changed_, memory_.last_step, h, alpha_);
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!has_rate(u.kind)) continue;
    const bool first_order = u.kind == BlockKind::state;
    const std::vector<double>&before = first_order ? now.rate : now.acceleration,
          &after = first_order ? changed_.rate : changed_.acceleration;
    for (int k = u.offset.dof; k < u.offset.dof + u.size; ++k) {
      // If the change of step has replaced the acceleration, there is no a - v' to keep.
      const double kept = before[at(k)] == after[at(k)] ? now.algorithmic[at(k)] - before[at(k)] : 0.0;
      a_changed_[at(k)] = after[at(k)] + ratio * kept;
    }
  }
}

NewtonResult GeneralizedAlpha::attempt(const State& now, double end, double h) {
  const double last = memory_.last_step, ratio = last > 0 ? h / last : 1.0;
  const bool begins = memory_.first || ratio > most_growth;
  step_ = h;
  base_ = &now;
  a_ = &now.algorithmic;
  if (memory_.first) {
    start_from(now, a_changed_);
    a_ = &a_changed_;
  } else if (std::abs(ratio - 1) > 1e-12) {
    change_step(now, h, begins);
  }
  if (begins && memory_.prepares_start) {
    if (base_ != &changed_) copy_motion(*base_, changed_);
    base_ = &changed_;
    form_.start_algorithmic(changed_, a_changed_, h, alpha_);
  }

  const AlphaCoefficients& c = alpha_;
  const StepCoefficients step = c.of_step(h);
  equations_.begin(*base_, end, step, equations_.scales().mass * step.acceleration);
  form_.begin(*base_, h, c);
  predict(h);
  newton_.find_displacements(!begins && form_.completes_balance());
  NewtonResult result = newton_.solve();
  for (int pass = 0; begins && pass < max_start_passes && result.converged; ++pass) {
    if (base_ != &changed_) copy_motion(*base_, changed_);
    if (!form_.improve_start(changed_, equations_.trial(), a_changed_, c)) break;
    if (newton_.stop() == Stop::at_once) throw Stopped(true);
    predict(h, &equations_.trial());
    result.go_on(newton_.solve());
  }
  const auto close = [&] {
    not_closed_.clear();
    if (result.converged && !form_.close(equations_.solution(), h, c, newton_.end_measured())) {
      result.converged = false;
      not_closed_ = form_.why();
    }
  };
  close();
  if (result.converged && form_.gap() > newton_.unseen_gap()) {
    // An estimate said that the solution needs no residual of its own, and was wrong.
    newton_.find_displacements(false);
    newton_.forget_contractions();
    result.go_on(newton_.solve());
    close();
  }
  if (result.converged) end_algorithmic();
  return result;
}

std::string GeneralizedAlpha::failure(bool thorough) {
  if (!not_closed_.empty()) return not_closed_;
  std::string why = newton_.failure(thorough);
  if (!newton_.worst_entity().empty()) ++failures_[newton_.worst_entity()];
  return why;
}

std::string GeneralizedAlpha::frequent_cause() const {
  const double radius = alpha_.alpha_f / (1 - alpha_.alpha_f);
  if (radius < undamped || failures_.empty()) return {};
  const auto most = std::ranges::max_element(failures_, {}, &std::pair<const std::string, int>::second);
  return fmt::format(
      "{} of these failures in {}: at a radius of {:.3g} {} damps oscillations that steps do not resolve, "
      "and in stiff directions that turn they grow; a radius of 0.9 or less damps them",
      most->second, most->first, radius, radius > 0.9999 ? "nothing" : "little");
}

void GeneralizedAlpha::set_offsets(double h, const UnknownRun& run) {
  const AlphaCoefficients& c = alpha_;
  const auto of = [&run](const std::vector<double>& all) {
    return ConstRunNumbers(all.data() + run.dof, run.size);
  };
  RunNumbers v0(equations_.rate_offset().data() + run.dof, run.size);
  if (run.of == UnknownRun::Of::motion) {
    const auto v = of(base_->rate), a = of(*a_), truly = of(base_->acceleration);
    RunNumbers a0(equations_.acceleration_offset().data() + run.dof, run.size);
    a0 = -(v / h + (0.5 - c.beta) * a) / c.beta;  // a_{n+1} = x/(h^2 beta) + this
    v0 = v + h * ((1 - c.gamma) * a + c.gamma * a0);
    a0 = ((1 - c.alpha_m) * a0 + c.alpha_m * a - c.alpha_f * truly) / (1 - c.alpha_f);
  } else if (run.of == UnknownRun::Of::states) {
    const auto d = of(*a_);
    v0 = (-(1 - c.alpha_m1) * (1 - c.gamma1) / c.gamma1 * d + c.alpha_m1 * d - c.alpha_f * of(base_->rate)) /
         (1 - c.alpha_f);
  }
}

void GeneralizedAlpha::predict(double h, const State* solved) {
  const AlphaCoefficients& c = alpha_;
  const State& base = *base_;
  const State& from = solved != nullptr ? *solved : base;
  const bool extrapolate = solved == nullptr && memory_.predicts && step_ == memory_.last_step;
  // The earlier states include the change that the form adds after the solution; the solution itself does not.
  const ConstraintForm::ExpectedChange added =
      extrapolate ? form_.expected_change(h, c) : ConstraintForm::ExpectedChange();
  PetscScalar* x = nullptr;
  TRAMMEL_PETSC(VecGetArray(newton_.x(), &x));
  if (assembler_.layout().stabilized()) std::fill_n(x, assembler_.layout().owned_size(), 0.0);
  const auto predict_part = [&](const UnknownRun& run) {
    const auto of = [&run](const std::vector<double>& all) {
      return ConstRunNumbers(all.data() + run.dof, run.size);
    };
    const auto values_of = [&run](const State& state) {
      return ConstRunNumbers(state.value.data() + run.value, run.size);
    };
    set_offsets(h, run);
    if (!run.owned) return;
    RunNumbers next(x + run.local, run.size);
    if (run.of == UnknownRun::Of::algebraic) {
      if (extrapolate)
        next = values_of(base) - of(base.predictor);
      else if (solved != nullptr)
        next = values_of(from) - values_of(base);
      else
        next.setZero();
      return;
    }
    const auto last = run.of == UnknownRun::Of::motion   ? of(from.acceleration)
                      : run.of == UnknownRun::Of::states ? of(from.rate)
                                                         : values_of(from);
    if (extrapolate) {
      LinearPrediction::Known known{last.data(), base.predictor.data() + run.dof};
      for (int k = 2; k <= prediction_.orders(); ++k) known[at(k)] = before_[at(k - 2)].data() + run.dof;
      prediction_.predict(known, run.size, next.data());
    } else {
      next = last;
    }
    const bool holds = run.of == UnknownRun::Of::multipliers;
    if (added.numbers != nullptr)
      next -= (holds ? added.of_multipliers : added.of_rates) *
              ConstRunNumbers(added.numbers + run.local, run.size);
    if (holds) {
      next /= equations_.multiplier_scale();
    } else if (run.of == UnknownRun::Of::motion) {
      const auto v = of(base.rate), a = of(*a_), truly = of(base.acceleration);
      next = h * v +
             h * h *
                 ((0.5 - c.beta) * a +
                  c.beta * (((1 - c.alpha_f) * next + c.alpha_f * truly - c.alpha_m * a) / (1 - c.alpha_m)));
    } else {
      const auto d = of(*a_), rate = of(base.rate);
      next =
          h * ((1 - c.gamma1) * d +
               c.gamma1 * (((1 - c.alpha_f) * next + c.alpha_f * rate - c.alpha_m1 * d) / (1 - c.alpha_m1)));
    }
  };
  for (const UnknownRun& run : runs_) each_part(run, predict_part);
  if (extrapolate || solved != nullptr)
    for (const UnknownBlock& u : assembler_.layout().unknowns())
      for (int k = 0; u.owned && u.kind == BlockKind::algebraic && k < u.size; ++k)
        x[at(u.local + k)] /= equations_.column_scale(u, at(k));
  TRAMMEL_PETSC(VecRestoreArray(newton_.x(), &x));
}

void GeneralizedAlpha::end_algorithmic() {
  const AlphaCoefficients& c = alpha_;
  const double h = step_;
  const Layout& layout = assembler_.layout();
  const bool alone = layout.ranks() == 1;
  const PetscScalar* own = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(newton_.x(), &own));
  const double* const all = alone ? own : equations_.local().data();
  a_end_.resize(a_->size());
  for (const UnknownRun& run : runs_) {
    const ConstRunNumbers x(all + run.local, run.size), a(a_->data() + run.dof, run.size);
    RunNumbers end(a_end_.data() + run.dof, run.size);
    if (run.of == UnknownRun::Of::states)
      end = (x / h - (1 - c.gamma1) * a) / c.gamma1;
    else if (run.of == UnknownRun::Of::motion)
      end = (x / (h * h) - ConstRunNumbers(base_->rate.data() + run.dof, run.size) / h - (0.5 - c.beta) * a) /
            c.beta;
  }
  TRAMMEL_PETSC(VecRestoreArrayRead(newton_.x(), &own));
  form_.correct(a_end_);
}

void GeneralizedAlpha::local_error(LocalError& out, bool event, double time_of_vibrations) {
  if (!errors_) return;
  event_ = event;
  out.without_vibrations = false;
  vibration_filter_.begin(step_, time_of_vibrations);
  const State& end = trial();
  const double time = errors_->node_time(end.time, step_);
  if (errors_->empty()) {
    // The size of a first step is a guess: modes that it does not resolve are not known to be of no importance.
    AlphaError first = *errors_;
    first.add(errors_->node_time(end.time - step_, step_), *a_);
    first.estimate(step_, time, end, a_end_, 0, out);
    return;
  }
  if (event) {
    // The force that has just arisen acts on a part of the step alone.
    errors_->estimate(step_, time, end, a_end_, std::numeric_limits<double>::infinity(), out);
    return;
  }
  const ErrorFilter::Change change = filter_.change(end, *errors_, time, a_end_);
  const bool counts = alpha_.gamma * step_ * change.of_velocities > least_change * accuracy_;
  errors_->estimate(step_, time, end, a_end_, counts ? change.faster : 0.0, out);
  vibration_filter_.apply(filter_, newton_.x(), end.time - step_, out);
  if (!out.without_vibrations && change.faster <= ErrorFilter::sudden)
    filter_.apply(equations_.coefficients(), equations_.rate_stiffness(), newton_, out);
}

void GeneralizedAlpha::accept(State& now, RankTotals& totals) {
  if (errors_) {
    if (errors_->empty()) errors_->add(errors_->node_time(now.time, step_), *a_);
    errors_->add(errors_->node_time(trial().time, step_), a_end_);
    vibration_filter_.accepted(trial().time, event_);
  }
  form_.accept(totals);
  const FieldNorms& norms = equations_.norms();
  fastest_ =
      std::max({fastest_, norms.acceleration, equations_.scales().length * norms.angular_acceleration});
  look_back(now, totals);
  take_predictor(runs_, now, now.predictor);
  swap_motion(equations_.solution(), now);
  now.algorithmic.swap(a_end_);
  base_ = nullptr;
  a_ = nullptr;
  if (memory_.first) {  // only a start or a change of step needs their memory
    changed_ = State();
    a_changed_ = {};
  }
  memory_ = {.last_step = step_, .first = false, .prepares_start = memory_.prepares_start, .predicts = true};
}

void GeneralizedAlpha::serialize(Archive& archive) {
  StepMethod::serialize(archive);
  if (!archive.reads())
    MPI_Allreduce(MPI_IN_PLACE, &fastest_, 1, MPI_DOUBLE, MPI_MAX, assembler_.layout().comm());
  archive(fastest_);
  if (errors_) archive(*errors_);
}

double GeneralizedAlpha::acceleration_rounding(double h) const {
  double fastest = fastest_;
  MPI_Allreduce(MPI_IN_PLACE, &fastest, 1, MPI_DOUBLE, MPI_MAX, assembler_.layout().comm());
  if (growth_ <= 1 || fastest <= 0) return 0;
  return alpha_.noise() * std::numeric_limits<double>::epsilon() * equations_.scales().length /
         (h * h * fastest);
}

void GeneralizedAlpha::look_back(State& now, RankTotals& totals) {
  if (memory_.predicts && step_ == memory_.last_step)
    compare_with_steps_before(now, totals);
  else
    prediction_.forget();
  std::rotate(before_.begin(), before_.end() - 1, before_.end());
  before_[0].swap(now.predictor);
}

void GeneralizedAlpha::compare_with_steps_before(const State& now, RankTotals& totals) {
  // Accelerations are changes of positions, which are rounded, over beta h^2.
  const double noise =
      std::numeric_limits<double>::epsilon() * equations_.scales().length / (alpha_.beta * step_ * step_);
  int count = 0;
  prediction_.begin();
  for (const WeighedRun& run : compared_) {
    const auto of = [&](const State& state) {
      return run.of == UnknownRun::Of::multipliers ? state.value.data() + run.value
                                                   : state.acceleration.data() + run.dof;
    };
    LinearPrediction::Steps steps{of(trial()), of(now), now.predictor.data() + run.dof};
    for (int k = 1; k < prediction_.orders(); ++k) steps[at(k + 2)] = before_[at(k - 1)].data() + run.dof;
    prediction_.add(steps, run.weights, run.size);
    count += run.size;
  }
  totals.add_sums(prediction_.end(count * noise * noise));
}

void GeneralizedAlpha::take_layout() {
  const Layout& layout = assembler_.layout();
  runs_ = runs_of(layout);
  const ModelScales& scales = equations_.scales();
  std::vector<double> weights(static_cast<std::size_t>(layout.local_size()), 0.0);
  for (const UnknownBlock& u : layout.unknowns()) {
    const Block& block = assembler_.model().block(u.block);
    for (int k = 0; u.owned && k < u.size; ++k) {
      double weight = u.kind == BlockKind::position ? 1.0 : scales.length;
      if (is_multiplier(u.kind)) weight = typical_size(block.measure(k)) / scales.mass;
      weights[at(u.local + k)] = weight;
    }
  }
  compared_ = weighed_runs_of(layout, weights);
  std::erase_if(compared_, [](const WeighedRun& run) { return !run.owned; });
}

void GeneralizedAlpha::revise() {
  memory_.predicts = false;
  prediction_.forget();
  equations_.revise();
  take_layout();
  newton_.reset();
  filter_.drop();
  vibration_filter_.reset();
  form_.drop_tangent();
}

void GeneralizedAlpha::take_redundant() {
  equations_.take_redundant();
  drop_tangent();
}

void GeneralizedAlpha::restart(State& now) {
  if (errors_) errors_->forget();
  start_from(now, now.algorithmic);
  memory_ = {.last_step = 0, .first = true, .prepares_start = true, .predicts = false};
  prediction_.forget();
  drop_tangent();
}

void GeneralizedAlpha::drop_tangent() {
  newton_.drop_tangent();
  vibration_filter_.drop();
  form_.drop_tangent();
}

void GeneralizedAlpha::drop_factorization() {
  newton_.drop_factorization();
  filter_.drop();
  vibration_filter_.reset();
  form_.drop_tangent();
  prediction_.forget();
}

}  // namespace trammel
