#include "solvers/methods/radau.hpp"

#include <algorithm>

#include "solvers/newton/motion_copy.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

using radau::A;

/// A number of a consistent state that generalized-alpha can go on from.
void set_algorithmic(State& now, const Layout& layout) {
  now.algorithmic = now.acceleration;
  for (const UnknownBlock& u : layout.unknowns())
    if (u.kind == BlockKind::state)
      std::copy_n(&now.rate[at(u.offset.dof)], u.size, &now.algorithmic[at(u.offset.dof)]);
}

}  // namespace

Radau::Radau(Assembler& assembler, const ModelScales& scales, const DynamicStage& stage, Timings& timings)
    : assembler_(assembler), equations_(assembler, scales), newton_(equations_, stage.newton, timings) {
  memory_.prepares_start = stage.start == DynamicStage::Start::consistent;
}

NewtonResult Radau::attempt(const State& now, double end, double h) {
  step_ = h;
  equations_.begin(now, end, h);
  assembler_.keep_gradients(now);
  predict(now, h);
  return newton_.solve();
}

void Radau::predict(const State& now, double h) {
  // Accelerations and multipliers go on along the line through the stages of the last step.
  constexpr double apart = radau::c[1] - radau::c[0];
  const double growth = memory_.predicts ? h / (apart * memory_.last_step) : 0.0;
  PetscScalar* x = nullptr;
  TRAMMEL_PETSC(VecGetArray(newton_.x(), &x));
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned) break;
    for (int k = 0; k < u.size; ++k) {
      const std::size_t i = at(u.offset.dof + k);
      PetscScalar* to = x + radau::stages * (u.local + k);
      if (u.stabilizing_local >= 0)
        std::fill_n(x + radau::stages * (u.stabilizing_local + k), radau::stages, 0.0);
      if (!has_rate(u.kind)) {
        const double value = now.value[at(u.offset.value + k)];
        const double slope = growth > 0 ? growth * (value - now.predictor[i]) : 0.0;
        for (int s = 0; s < radau::stages; ++s)
          to[s] = is_multiplier(u.kind)
                      ? (value + radau::c[s] * slope) / equations_.multiplier_scale()
                      : radau::c[s] * slope / equations_.column_scale(u, static_cast<std::size_t>(k));
        continue;
      }
      const bool first_order = u.kind == BlockKind::state;
      const double last = first_order ? now.rate[i] : now.acceleration[i];
      const double slope = growth > 0 ? growth * (last - now.predictor[i]) : 0.0;
      double rate[radau::stages], velocity[radau::stages];
      for (int s = 0; s < radau::stages; ++s) rate[s] = last + radau::c[s] * slope;
      for (int s = 0; s < radau::stages; ++s) {
        const double change = h * (A[s][0] * rate[0] + A[s][1] * rate[1]);
        velocity[s] = now.rate[i] + change;
        if (first_order) to[s] = change;
      }
      for (int s = 0; s < radau::stages && !first_order; ++s)
        to[s] = h * (A[s][0] * velocity[0] + A[s][1] * velocity[1]);
    }
  }
  TRAMMEL_PETSC(VecRestoreArray(newton_.x(), &x));
}

void Radau::accept(State& now, RankTotals& /*totals*/) {
  const Layout& layout = assembler_.layout();
  take_predictor(runs_of(layout), equations_.stage(0).trial(), predictor_);
  swap_motion(equations_.solution(), now);
  std::swap(now.predictor, predictor_);
  set_algorithmic(now, layout);
  memory_ = {.last_step = step_, .first = true, .prepares_start = true, .predicts = true};
}

void Radau::revise() {
  memory_.predicts = false;
  equations_.revise();
  newton_.reset();
}

void Radau::take_redundant() {
  equations_.take_redundant();
  newton_.drop_tangent();
}

void Radau::restart(State& now) {
  set_algorithmic(now, assembler_.layout());
  memory_ = {.last_step = 0, .first = true, .prepares_start = true, .predicts = false};
  newton_.drop_tangent();
}

Violations Radau::violations() const {
  const StepEquations &inner = equations_.stage(0), &end = equations_.stage(1);
  return {end.largest_constraint(), end.largest_rate(),
          std::max(inner.largest_redundant(), end.largest_redundant())};
}

}  // namespace trammel
