#include "solvers/generalized_alpha.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Repetitions of the first step that find the lead of its algorithmic accelerations, and their relative
// accuracy.
constexpr int max_start_passes = 8;
constexpr double start_accuracy = 1e-3;
// Where a step is longer than the one before by more than this, a - v' of the short one is rounding.
constexpr double most_growth = 100;

double over_ranks(double value, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm);
  return value;
}

}  // namespace

AlphaCoefficients AlphaCoefficients::from_radius(double radius) {
  AlphaCoefficients c{};
  c.alpha_m = (2 * radius - 1) / (radius + 1);
  c.alpha_f = radius / (radius + 1);
  c.gamma = 0.5 + c.alpha_f - c.alpha_m;
  c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
  c.alpha_m1 = (3 * radius - 1) / (2 * (radius + 1));
  c.gamma1 = 0.5 + c.alpha_f - c.alpha_m1;
  return c;
}

GeneralizedAlpha::GeneralizedAlpha(Assembler& assembler, const ModelScales& scales, const DynamicStage& stage,
                                   const State& start, std::optional<std::vector<double>> algorithmic,
                                   double last_step, Timings& timings)
    : assembler_(assembler),
      form_(stage.form),
      project_(stage.projection),
      leads_(stage.form == DynamicStage::Form::index3 && stage.start == DynamicStage::Start::consistent),
      alpha_(AlphaCoefficients::from_radius(stage.radius)),
      timings_(timings),
      equations_(assembler, scales, index1() ? ConstraintLevel::acceleration : ConstraintLevel::position),
      newton_(equations_, stage.newton, timings),
      last_step_(last_step) {
  if (algorithmic) {
    algorithmic_ = *std::move(algorithmic);
    return;
  }
  first_ = true;
  start_from(start, algorithmic_);
  last_step_ = 0;
}

void GeneralizedAlpha::start_from(const State& now, std::vector<double>& algorithmic) const {
  algorithmic = now.acceleration;
  for (const UnknownBlock& u : assembler_.layout().unknowns())
    if (u.kind == BlockKind::state)
      std::copy_n(&now.rate[at(u.place.dof)], u.size, &algorithmic[at(u.place.dof)]);
}

void GeneralizedAlpha::change_step(const State& now, double h) {
  // a - v' is proportional to h, and the error of B v in the index-3 form to its square: a change of step
  // without these factors costs the multipliers one order.
  const double ratio = h / last_step_;
  changed_ = now;
  base_ = &changed_;
  if (form_ == DynamicStage::Form::index3) {
    ConsistentStart start(assembler_, equations_.scales(), timings_);
    if (begins_)
      start.settle(changed_);
    else
      start.change_step(changed_, last_step_, h, alpha_.kappa());
  }
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (begins_ || is_multiplier(u.kind)) continue;
    const bool first_order = u.kind == BlockKind::state;
    const std::vector<double>&before = first_order ? now.rate : now.acceleration,
          &after = first_order ? changed_.rate : changed_.acceleration;
    for (int k = u.place.dof; k < u.place.dof + u.size; ++k) {
      // What has been settled has no a - v' to keep.
      const double kept = before[at(k)] == after[at(k)] ? algorithmic_[at(k)] - before[at(k)] : 0.0;
      a_[at(k)] = after[at(k)] + ratio * kept;
    }
  }
  if (begins_) start_from(changed_, a_);
}

NewtonResult GeneralizedAlpha::attempt(const State& now, double end, double h) {
  base_ = &now;
  a_ = algorithmic_;
  const double ratio = last_step_ > 0 ? h / last_step_ : 1.0;
  begins_ = first_ || ratio > most_growth;
  if (first_)
    start_from(now, a_);
  else if (std::abs(ratio - 1) > 1e-12)
    change_step(now, h);
  step_ = h;

  const AlphaCoefficients& c = alpha_;
  if (begins_ && leads_) {
    changed_ = *base_;
    base_ = &changed_;
    const double lead = c.alpha_m - c.alpha_f;
    ConsistentStart(assembler_, equations_.scales(), timings_).lead(changed_, a_, h, lead, c.kappa());
  }
  StepCoefficients step;
  step.step = h;
  step.velocity = c.gamma / (c.beta * h);
  step.acceleration = (1 - c.alpha_m) / ((1 - c.alpha_f) * c.beta * h * h);
  step.state_rate = (1 - c.alpha_m1) / ((1 - c.alpha_f) * c.gamma1 * h);
  equations_.begin(*base_, end, step, equations_.scales().mass * step.acceleration);
  if (assembler_.layout().stabilized()) assembler_.keep_gradients(*base_);
  predict(h);
  NewtonResult result = newton_.solve();
  if (begins_ && assembler_.layout().stabilized())
    for (int pass = 0; pass < max_start_passes && result.converged && lead_start(); ++pass) {
      predict(h);
      const NewtonResult again = newton_.solve();
      result = {again.converged, result.iterations + again.iterations,
                result.factorizations + again.factorizations, again.singular};
    }
  not_closed_.clear();
  if (index1() && result.converged) result.converged = close();
  return result;
}

bool GeneralizedAlpha::close() {
  closed_ = equations_.trial();
  if (!projection_) projection_.emplace(assembler_, equations_.scales(), timings_);
  if (project_ ? projection_->project(closed_) : projection_->measure(closed_)) return true;
  not_closed_ = projection_->why();
  return false;
}

std::string GeneralizedAlpha::failure(bool thorough) {
  return not_closed_.empty() ? newton_.failure(thorough) : not_closed_;
}

bool GeneralizedAlpha::lead_start() {
  // a_n approximates v' at t_n + (alpha_m - alpha_f) h; with a_0 = v'_0 the multipliers of the first steps
  // are of order 1. The first step's own v' gives the slope.
  const double lead = alpha_.alpha_m - alpha_.alpha_f, lead1 = alpha_.alpha_m1 - alpha_.alpha_f;
  double sums[2] = {0, 0};
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (is_multiplier(u.kind)) continue;
    const bool first_order = u.kind == BlockKind::state;
    const std::vector<double>& before = first_order ? base_->rate : base_->acceleration;
    const std::vector<double>& after = first_order ? trial().rate : trial().acceleration;
    for (std::size_t i = at(u.place.dof); i < at(u.place.dof + u.size); ++i) {
      const double a = before[i] + (first_order ? lead1 : lead) * (after[i] - before[i]);
      if (u.owned) {
        sums[0] += (a - a_[i]) * (a - a_[i]);
        sums[1] += (a - before[i]) * (a - before[i]);
      }
      a_[i] = a;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, assembler_.layout().comm());
  return sums[0] > start_accuracy * start_accuracy * sums[1];
}

void GeneralizedAlpha::predict(double h) {
  const AlphaCoefficients& c = alpha_;
  std::vector<double>&v0 = equations_.rate_offset(), &a0 = equations_.acceleration_offset();
  const State& base = *base_;
  const bool extrapolate = has_previous_ && step_ == last_step_;
  PetscScalar* x = nullptr;
  TRAMMEL_PETSC(VecGetArray(newton_.x(), &x));
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    const std::size_t first = at(u.place.dof);
    for (std::size_t k = 0; k < at(u.size); ++k) {
      const std::size_t i = first + k;
      double guess = 0;
      if (is_multiplier(u.kind)) {
        const double value = base.value[at(u.place.value) + k];
        guess = (extrapolate ? 2 * value - previous_value_[i] : value) / equations_.multiplier_scale();
      } else if (u.kind == BlockKind::state) {
        const double d = a_[i], rate = base.rate[i];
        v0[i] = (-(1 - c.alpha_m1) * (1 - c.gamma1) / c.gamma1 * d + c.alpha_m1 * d - c.alpha_f * rate) /
                (1 - c.alpha_f);
        const double next = extrapolate ? 2 * rate - previous_acceleration_[i] : rate;
        const double d_next = ((1 - c.alpha_f) * next + c.alpha_f * rate - c.alpha_m1 * d) / (1 - c.alpha_m1);
        guess = h * ((1 - c.gamma1) * d + c.gamma1 * d_next);
      } else {
        const double v = base.rate[i], a = a_[i], truly = base.acceleration[i];
        const double a_part = -(v / h + (0.5 - c.beta) * a) / c.beta;  // a_{n+1} = x/(h^2 beta) + a_part
        v0[i] = v + h * ((1 - c.gamma) * a + c.gamma * a_part);
        a0[i] = ((1 - c.alpha_m) * a_part + c.alpha_m * a - c.alpha_f * truly) / (1 - c.alpha_f);
        const double next = extrapolate ? 2 * truly - previous_acceleration_[i] : truly;
        const double a_next = ((1 - c.alpha_f) * next + c.alpha_f * truly - c.alpha_m * a) / (1 - c.alpha_m);
        guess = h * v + h * h * ((0.5 - c.beta) * a + c.beta * a_next);
      }
      if (!u.owned) continue;
      x[at(u.local) + k] = guess;
      if (u.companion_local >= 0) x[at(u.companion_local) + k] = 0;
    }
  }
  TRAMMEL_PETSC(VecRestoreArray(newton_.x(), &x));
}

void GeneralizedAlpha::accept(State& now) {
  const AlphaCoefficients& c = alpha_;
  const double h = step_;
  Layout& layout = assembler_.layout();
  layout.to_local(newton_.x(), local_);
  previous_acceleration_.resize(layout.dof_count());
  previous_value_.resize(layout.dof_count());
  for (const UnknownBlock& u : layout.unknowns())
    for (std::size_t k = 0; k < at(u.size); ++k) {
      const std::size_t i = at(u.place.dof) + k;
      const double x = local_[at(u.local) + k];
      if (is_multiplier(u.kind)) {
        previous_value_[i] = now.value[at(u.place.value) + k];
      } else if (u.kind == BlockKind::state) {
        previous_acceleration_[i] = now.rate[i];
        algorithmic_[i] = (x / h - (1 - c.gamma1) * a_[i]) / c.gamma1;
      } else {
        previous_acceleration_[i] = now.acceleration[i];
        algorithmic_[i] = (x / (h * h) - base_->rate[i] / h - (0.5 - c.beta) * a_[i]) / c.beta;
      }
    }
  has_previous_ = true;
  first_ = false;
  last_step_ = h;
  now = trial();
  base_ = nullptr;
}

void GeneralizedAlpha::revise(std::span<State* const> states) {
  // Vectors by dof place travel as accelerations of states.
  State carried = *states.front();
  carried.acceleration = algorithmic_;
  std::vector<State*> all(states.begin(), states.end());
  all.push_back(&carried);
  assembler_.layout().revise(all);
  algorithmic_ = std::move(carried.acceleration);
  has_previous_ = false;
  assembler_.revise();
  equations_.revise();
  newton_.reset();
  projection_.reset();
}

void GeneralizedAlpha::restart(const State& now) {
  start_from(now, algorithmic_);
  first_ = true;
  leads_ = form_ == DynamicStage::Form::index3;
  last_step_ = 0;
  has_previous_ = false;
  equations_.revise();
  newton_.reset();
  projection_.reset();
}

void GeneralizedAlpha::restore(StepHistory&& history) {
  algorithmic_ = std::move(history.algorithmic);
  last_step_ = history.last_step;
  first_ = history.first;
  leads_ = history.leads;
  has_previous_ = false;
  newton_.drop_tangent();
}

double GeneralizedAlpha::constraint_violation() const {
  if (index1()) return projection_->position();
  return over_ranks(equations_.largest_constraint(), assembler_.layout().comm());
}

double GeneralizedAlpha::left_out_violation() const {
  if (!index1()) return over_ranks(equations_.largest_left_out(), assembler_.layout().comm());
  // Equations that drift take those that follow from them along.
  constexpr double follows = 10;
  return project_ ? projection_->left_out()
                  : std::max(0.0, projection_->left_out() - follows * projection_->position());
}

double GeneralizedAlpha::rate_violation() const {
  if (index1()) return projection_->rate();
  return over_ranks(equations_.largest_rate(), assembler_.layout().comm());
}

}  // namespace trammel
