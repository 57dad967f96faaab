#include "solvers/velocity_correction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A part of the tolerance: what is left shall not be seen.
constexpr double share = 0.1;
// It ages: what it contracted by in the step before, times this.
constexpr double ageing = 1.5;
// Forces are at most so many times as far from linear in the velocities as a product of two of them.
constexpr double bent = 10;
constexpr int most_passes = 8;
// Steps at most for which a matrix that moved too fast is not kept.
constexpr int most_waits = 16;
constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
// A change of less than this part is rounding, however fast it comes.
constexpr double last_digits = 1e-14;

double part(double a, double b) { return b > 0 ? a / b : a > 0 ? 1.0 : 0.0; }

}  // namespace

bool VelocityCorrection::holds(const UnknownBlock& u, int k) const {
  return mass_.assembler().statuses().of(u.block, k) == RowStatus::active;
}

bool VelocityCorrection::prepare(const State& state, double ratio) {
  contraction_ = 1;
  ratio_ = ratio;
  const bool fine = mass_.prepare(state, {.damping = 1 / ratio, .keep_compliant = true});
  prepared_ = fine ? mass_.preparation() : 0;
  if (!fine) why_ = mass_.why();
  return fine;
}

bool VelocityCorrection::open(const State& state, double ratio) {
  const Assembler& assembler = mass_.assembler();
  if (!mass_.assembler().residual(state, ConstraintLevel::velocity, mass_.r())) {
    why_ = "where the rates of constraints are satisfied " + mass_.assembler().rejection();
    return false;
  }
  double largest = 0;
  mass_.silence_left_out();
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    const Block& block = assembler.model().block(u.block);
    for (int k = 0; k < u.size; ++k) {
      double part = -1 / ratio;  // of the balance of forces, or of what slips
      if (u.kind == BlockKind::multiplier && block.rows[at(k)].compliant) {
        part = 0;  // its multiplier follows from positions, not from rates
      } else if (is_multiplier(u.kind) && holds(u, k)) {
        largest = std::max(largest, std::abs(rows[k]) / typical_size(block.measure(k)));
        part = -1;
      } else if (u.kind == BlockKind::multiplier) {
        part = 0;  // its multiplier is zero and stays so
      }
      rows[k] *= part;
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, mass_.assembler().layout().comm());
  rate_ = largest;
  return true;
}

void VelocityCorrection::apply(State& state, double ratio) {
  mass_.push(state);
  mass_.accelerate(state, ratio);
  for (const UnknownBlock& u : mass_.assembler().layout().unknowns()) {
    if (!has_rate(u.kind)) continue;
    const double part = u.kind == BlockKind::state ? ratio : 1;
    for (int k = 0; k < u.size; ++k) change_[at(u.local + k)] += part * mass_.solution()[at(u.local + k)];
  }
}

VelocityCorrection::Sizes VelocityCorrection::sizes(const State& state) const {
  Sizes all;
  for (const UnknownBlock& u : mass_.assembler().layout().unknowns()) {
    const Block& block = mass_.assembler().model().block(u.block);
    for (int k = 0; k < u.size; ++k) {
      const double size = typical_size(block.measure(k));
      if (is_kinematic(u.kind))
        all.velocity = std::max(all.velocity, std::abs(state.rate[at(u.place.dof + k)]) / size);
      else if (is_multiplier(u.kind))
        all.multiplier = std::max(all.multiplier, std::abs(state.value[at(u.place.value + k)]) * size);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &all, 2, MPI_DOUBLE, MPI_MAX, mass_.assembler().layout().comm());
  return all;
}

VelocityCorrection::Sizes VelocityCorrection::change(double ratio) const {
  Sizes all;
  for (const UnknownBlock& u : mass_.assembler().layout().unknowns()) {
    const Block& block = mass_.assembler().model().block(u.block);
    for (int k = 0; k < u.size; ++k) {
      const double x = std::abs(mass_.solution()[at(u.local + k)]), size = typical_size(block.measure(k));
      if (is_kinematic(u.kind))
        all.velocity = std::max(all.velocity, x / size);
      else if (is_multiplier(u.kind))
        all.multiplier = std::max(all.multiplier, ratio * mass_.scales().mass * x * size);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &all, 2, MPI_DOUBLE, MPI_MAX, mass_.assembler().layout().comm());
  return all;
}

bool VelocityCorrection::correct(State& state, double ratio, double tolerance) {
  change_.assign(static_cast<std::size_t>(mass_.assembler().layout().local_size()), 0.0);
  const double goal = share * tolerance;
  Sizes whole = sizes(state);
  const double speed = whole.velocity;
  // No velocity is known better than positions over a step.
  const double known = rounding * mass_.scales().length * ratio;
  whole.velocity = std::max(whole.velocity, known / goal);
  whole.multiplier = std::max(whole.multiplier, mass_.scales().mass * ratio * known / goal);
  const bool kept = prepared_ != 0 && prepared_ == mass_.preparation() && std::abs(ratio / ratio_ - 1) < 0.01;
  bool fresh = !kept || waits_ > 0;
  if (fresh && !prepare(state, ratio)) return false;
  if (kept && waits_ > 0) --waits_;
  double contraction = fresh ? 0 : std::min(1.0, ageing * contraction_);
  double before = 0, far = 0;
  for (int pass = 0; pass < most_passes; ++pass) {
    if (!open(state, ratio)) return false;
    if (!mass_.solve(true)) {
      why_ = mass_.why();
      prepared_ = 0;
      return false;
    }
    apply(state, ratio);
    const Sizes moved = change(ratio);
    far = std::max(part(moved.velocity, whole.velocity), part(moved.multiplier, whole.multiplier));
    if (before > 0) contraction = far / before;
    before = far;
    const double expected = std::max(contraction, bent * part(moved.velocity, speed));
    if (expected * far <= goal || far <= last_digits) {
      rate_ *= std::min(1.0, expected);
      if (!fresh) {
        contraction_ = contraction;
        patience_ = 0;
      }
      return true;
    }
    // Of a matrix that was never used before a second pass tells.
    const bool tells = pass > 0 || contraction < 1;
    if (!fresh && tells && !(expected * expected * far <= goal)) {
      if (!prepare(state, ratio)) return false;
      fresh = true;
      contraction = before = 0;
      waits_ = patience_ = std::clamp(2 * patience_, 1, most_waits);
    }
  }
  prepared_ = 0;
  why_ = fmt::format("no velocities that satisfy the constraints are found: their rates stay open by {:.3g}",
                     rate_);
  return false;
}

}  // namespace trammel
