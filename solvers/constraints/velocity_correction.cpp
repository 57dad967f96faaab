#include "solvers/constraints/velocity_correction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernel/collective_errors.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// Part of the tolerance that the remaining violation may have; and where Newton's method leaves no errors of accelerations besides.
constexpr double part_left = 0.1, part_left_alone = 0.2;
// Rounding errors of accelerations are at most this part of their estimate, which is a bound for the stiffest direction.
constexpr double noise_seen = 0.01;
// Forces are assumed to deviate from linear ones by at most so many times as much as a product of two velocities does.
constexpr double bent = 10;
constexpr int most_passes = 12;
constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
// A change below this part is rounding.
constexpr double last_digits = 1e-14;

double part(double a, double b) { return b > 0 ? a / b : a > 0 ? 1.0 : 0.0; }

}  // namespace

bool VelocityCorrection::holds(const UnknownBlock& u, int k) const {
  return mass_.assembler().statuses().of(u.block, k) == RowStatus::active;
}

double VelocityCorrection::size_of(const UnknownBlock& u, int k) const {
  return typical_size(mass_.assembler().model().block(u.block).measure(k));
}

void VelocityCorrection::open(const State& state, double ratio, LocalFault& fault) {
  mass_.assembler().residual(state, ConstraintLevel::velocity, mass_.r(), fault);
  double largest = 0;
  mass_.zero_redundant();
  const bool all_hold = mass_.assembler().statuses().rows().empty();
  const double of_forces = -1 / ratio;
  if (all_hold && !some_compliant_) {
    PetscScalar* rows = nullptr;
    TRAMMEL_PETSC(VecGetArray(mass_.r(), &rows));
    for (const UnknownRun& run : runs_)
      if (run.owned && run.of != UnknownRun::Of::multipliers)
        RunNumbers(rows + run.local, run.size) *= of_forces;
    for (const WeighedRun& run : weighed_) {
      if (!run.owned || run.of != UnknownRun::Of::multipliers) continue;
      each_part(run, [&, weights = inverse(run.weights)](const WeighedRun& part) {
        RunNumbers its(rows + part.local, part.size);
        largest = std::max(largest, largest_weighed(its.data(), part.size, weights));
        its = -its;
      });
    }
    TRAMMEL_PETSC(VecRestoreArray(mass_.r(), &rows));
    rate_ = largest;
    return;
  }
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    if (!is_multiplier(u.kind)) {
      for (int k = 0; k < u.size; ++k) rows[k] *= of_forces;
      return;
    }
    for (int k = 0; k < u.size; ++k) {
      double part = of_forces;  // of what slips
      if (is_compliant(u.local + k)) {
        part = 0;  // its multiplier follows from positions, not from rates
      } else if (all_hold || holds(u, k)) {
        largest = std::max(largest, std::abs(rows[k]) / size_of(u, k));
        part = -1;
      } else if (u.kind == BlockKind::multiplier) {
        part = 0;  // its multiplier is zero and stays so
      }
      rows[k] *= part;
    }
  });
  rate_ = largest;
}

void VelocityCorrection::keep_imbalance() {
  imbalance_.assign(at(mass_.assembler().layout().local_size()), 0.0);
  mass_.each_owned([&](const UnknownBlock& u, const double* rows) {
    if (!is_multiplier(u.kind)) std::copy_n(rows, u.size, imbalance_.begin() + u.local);
  });
}

bool VelocityCorrection::take_imbalance(const State& state, double ratio) {
  if (newton_ == nullptr || &state != &newton_->equations().trial()) return false;
  const Vec residual = newton_->residual_at_end();
  const auto has_rates_alone = [](const UnknownRun& run) {
    return run.of == UnknownRun::Of::motion || run.of == UnknownRun::Of::multipliers;
  };
  if (residual == nullptr || !std::ranges::all_of(runs_, has_rates_alone)) return false;
  imbalance_.assign(at(mass_.assembler().layout().local_size()), 0.0);
  const PetscScalar* rows = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(residual, &rows));
  for (const UnknownRun& run : runs_)
    if (run.owned && run.of == UnknownRun::Of::motion)
      RunNumbers(imbalance_.data() + run.local, run.size) =
          (-1 / ratio) * ConstRunNumbers(rows + run.local, run.size);
  TRAMMEL_PETSC(VecRestoreArrayRead(residual, &rows));
  return true;
}

void VelocityCorrection::subtract_imbalance() {
  if (imbalance_.empty()) return;
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k) rows[k] -= imbalance_[at(u.local + k)];
  });
}

void VelocityCorrection::apply(const std::vector<double>& x, State& state, double ratio,
                               std::vector<double>* total) const {
  const auto apply_part = [&](const UnknownRun& run) {
    const ConstRunNumbers from(x.data() + run.local, run.size);
    switch (run.of) {
      case UnknownRun::Of::motion:
        RunNumbers(state.rate.data() + run.dof, run.size) += from;
        RunNumbers(state.acceleration.data() + run.dof, run.size) += ratio * from;
        break;
      case UnknownRun::Of::states:
        RunNumbers(state.rate.data() + run.dof, run.size) += ratio * from;
        break;
      case UnknownRun::Of::multipliers:
        RunNumbers(state.value.data() + run.value, run.size) += (ratio * mass_.scales().mass) * from;
        break;
      case UnknownRun::Of::algebraic:
        break;
    }
    if (total != nullptr) RunNumbers(total->data() + run.local, run.size) += from;
  };
  for (const UnknownRun& run : runs_) each_part(run, apply_part);
  mass_.assembler().layout().update_shared(state);
}

void VelocityCorrection::weigh() {
  const Layout& layout = mass_.assembler().layout();
  std::vector<double> weights(static_cast<std::size_t>(layout.local_size()), 0.0);
  metres_.assign(layout, block_runs_of(layout), 1.0);
  compliant_.assign(weights.size(), 0);
  redundant_.clear();
  runs_ = runs_of(layout);
  for (const UnknownBlock& u : layout.unknowns()) {
    if (u.size == 0 || (!is_kinematic(u.kind) && !is_multiplier(u.kind))) continue;
    const Block& block = mass_.assembler().model().block(u.block);
    for (int k = 0; k < u.size; ++k) {
      weights[at(u.local + k)] = is_kinematic(u.kind) ? 1 / size_of(u, k) : size_of(u, k);
      if (is_kinematic(u.kind)) continue;
      metres_[at(u.local + k)] = block.measure(k).metres(mass_.scales().length);
      if (u.kind == BlockKind::multiplier) compliant_[at(u.local + k)] = block.rows[at(k)].compliant ? 1 : 0;
    }
  }
  weighed_ = weighed_runs_of(layout, weights);
  for (const ConstraintRow& row : mass_.assembler().redundant_rows())
    if (layout.knows(row.block)) redundant_.push_back(layout.unknown_of(row.block)->local + row.component);
  std::ranges::sort(redundant_);
  some_compliant_ = std::ranges::any_of(compliant_, [](char row) { return row != 0; });
  if (!some_compliant_) compliant_ = {};
  double& noise = measured_[3];
  noise = 0;
  if (const auto& of_forces = mass_.scales().rounding)
    for (const UnknownBlock& u : layout.unknowns())
      if (u.owned && is_kinematic(u.kind)) noise = std::max(noise, (*of_forces)[u.block]);
  noise /= mass_.scales().mass;
}

void VelocityCorrection::measure(const State& state, RankTotals& totals) {
  if (weighed_.empty()) weigh();
  Sizes all;
  const auto take = [](double& largest, const double* numbers, const WeighedRun& run) {
    largest = std::max(largest, largest_weighed(numbers, run.size, run.weights));
  };
  for (const WeighedRun& run : weighed_) {
    if (run.of == UnknownRun::Of::motion) {
      take(all.velocity, state.rate.data() + run.dof, run);
      take(all.acceleration, state.acceleration.data() + run.dof, run);
    } else {
      take(all.multiplier, state.value.data() + run.value, run);
    }
  }
  measured_ = {all.velocity, all.acceleration, all.multiplier, measured_[3]};
  totals.add_maxima(measured_);
  looked_ = may_rest();
  if (!looked_) return;
  LocalFault fault;
  seen_rates_ = look_at_rates(state, fault);
  totals.add_maxima(seen_rates_);
}

VelocityCorrection::Sizes VelocityCorrection::change(const std::vector<double>& x, double ratio) const {
  Sizes all;
  for (const WeighedRun& run : weighed_) {
    double& largest = run.of == UnknownRun::Of::motion ? all.velocity : all.multiplier;
    largest = std::max(largest, largest_weighed(x.data() + run.local, run.size, run.weights));
  }
  all.acceleration = ratio * all.velocity;
  all.multiplier *= ratio * mass_.scales().mass;
  return all;
}

void VelocityCorrection::measure_gaps() {
  gaps_ = {};
  Assembler& assembler = mass_.assembler();
  const std::span<const double> rows = assembler.position_rows();
  if (assembler.statuses().rows().empty() && redundant_.empty()) {
    for (const WeighedRun& run : weighed_) {
      if (run.of != UnknownRun::Of::multipliers) continue;
      const ConstRunNumbers gaps(rows.data() + run.dof, run.size);
      gaps_.distance = std::max(gaps_.distance,
                                (gaps.abs() * ConstRunNumbers(metres_.from(run.local), run.size)).maxCoeff());
      gaps_.position = std::max(gaps_.position, largest_weighed(gaps.data(), run.size, inverse(run.weights)));
    }
    return;
  }
  for (const UnknownBlock& u : assembler.layout().unknowns()) {
    if (u.kind != BlockKind::multiplier) continue;
    for (int k = 0; k < u.size; ++k) {
      if (!holds(u, k)) continue;
      const double gap = std::abs(rows[at(u.offset.dof + k)]), size = gap / size_of(u, k);
      if (std::ranges::binary_search(redundant_, u.local + k)) {
        gaps_.redundant = std::max(gaps_.redundant, size);
        continue;
      }
      gaps_.distance = std::max(gaps_.distance, gap * metres_[at(u.local + k)]);
      gaps_.position = std::max(gaps_.position, size);
    }
  }
}

VelocityCorrection::SeenRates VelocityCorrection::look_at_rates(const State& state, LocalFault& fault) {
  mass_.assembler().residual(state, ConstraintLevel::velocity, mass_.r(), fault, true);
  mass_.zero_redundant();
  rate_ = 0;
  mass_.each_owned([&](const UnknownBlock& u, const double* rows) {
    if (!is_multiplier(u.kind)) return;
    for (int k = 0; k < u.size; ++k)
      if (!is_compliant(u.local + k)) rate_ = std::max(rate_, std::abs(rows[k]) / size_of(u, k));
  });
  measure_gaps();
  return {fault.level(), rate_, gaps_.distance, gaps_.position, gaps_.redundant};
}

bool VelocityCorrection::see_whether_rates_rest(const State& state) {
  if (looked_ && seen_rates_[0] == 0) {
    rate_ = seen_rates_[1];
    gaps_ = {seen_rates_[2], seen_rates_[3], seen_rates_[4]};
  } else {
    LocalFault fault;
    bool solved = true;
    Sizes moved;
    look_at_rates(state, fault);
    if (!agree(fault, solved, moved)) return false;
  }
  rests_ = rate_ == 0;
  return true;
}

bool VelocityCorrection::agree(LocalFault& fault, bool& solved, Sizes& moved) {
  std::array all{moved.velocity, moved.acceleration, moved.multiplier,
                 rate_,          solved ? 0.0 : 1.0, gaps_.distance,
                 gaps_.position, gaps_.redundant,    expected_multiplier_};
  Assembler& assembler = mass_.assembler();
  if (!trammel::agree(assembler, fault, all)) {
    why_ = "where the rates of constraints are satisfied " + assembler.rejection();
    return false;
  }
  moved = {all[0], all[1], all[2]};
  rate_ = all[3];
  gaps_ = {all[5], all[6], all[7]};
  expected_multiplier_ = all[8];
  solved = all[4] == 0;
  return true;
}

double VelocityCorrection::part_of_whole(const Sizes& x) const {
  return std::max({part(x.velocity, whole_.velocity), part(x.acceleration, whole_.acceleration),
                   part(x.multiplier, whole_.multiplier)});
}

void VelocityCorrection::keep(RankTotals& totals) {
  matrix_.accept();
  if (rests_) {
    known_ = 0;
    knows_expected_ = false;
    prediction_.forget();
    return;
  }
  if (before_[0].size() != total_.size() || ratio_known_ != ratio_now_) known_ = 0;
  ratio_known_ = ratio_now_;
  if (known_ < 2)
    prediction_.forget();
  else
    compare_with_steps_before(totals);
  std::rotate(before_.begin(), before_.end() - 1, before_.end());
  before_[0].swap(total_);
  known_ = std::min(known_ + 1, static_cast<int>(before_.size()));
  // The earliest correction gives its memory to the next one.
  expected_ = std::exchange(total_, {});
  knows_expected_ = false;
}

void VelocityCorrection::compare_with_steps_before(RankTotals& totals) {
  // Velocities are changes of positions, which are rounded, over a part of the step.
  const double noise = std::numeric_limits<double>::epsilon() * mass_.scales().length * ratio_now_;
  int count = 0;
  prediction_.begin();
  for (const WeighedRun& run : weighed_) {
    if (!run.owned) continue;
    LinearPrediction::Steps steps{total_.data() + run.local};
    for (int k = 0; k <= prediction_.orders(); ++k) steps[at(k + 1)] = before_[at(k)].data() + run.local;
    prediction_.add(steps, run.weights, run.size);
    count += run.size;
  }
  totals.add_sums(prediction_.end(count * noise * noise));
}

const std::vector<double>& VelocityCorrection::expected(double ratio) {
  if (knows_expected_ && ratio == ratio_known_) return expected_;
  knows_expected_ = false;
  if (known_ == 0 || ratio != ratio_known_) {
    expected_.clear();
    return expected_;
  }
  knows_expected_ = true;
  if (known_ == 1) {
    expected_ = before_[0];
    return expected_;
  }
  expected_.resize(before_[0].size());
  for (const UnknownRun& run : runs_) {
    LinearPrediction::Known known{};
    for (int k = 0; k <= prediction_.orders(); ++k) known[at(k)] = before_[at(k)].data() + run.local;
    prediction_.predict(known, run.size, expected_.data() + run.local);
  }
  return expected_;
}

void VelocityCorrection::drop() {
  matrix_.drop();
  known_ = 0;
  knows_expected_ = rests_ = false;
  weighed_.clear();
}

bool VelocityCorrection::correct(State& state, double ratio, double tolerance, bool measured) {
  if (!measured) {
    RankTotals totals;
    measure(state, totals);
    totals.agree(mass_.assembler());
  }
  const double goal = (completes_balance() ? part_left_alone : part_left) * tolerance;
  whole_ = {measured_[0], measured_[1], measured_[2]};
  const double speed = whole_.velocity;
  // No velocity is known better than positions over a step, nor is more to be had where forces are stiff.
  const double known = rounding * mass_.scales().length * ratio;
  whole_.velocity = std::max(speed, known / goal);
  // Accelerations and multipliers follow from velocities, and have their rounding errors. Both are compared as forces, because an
  // error of velocities in one pass becomes an error of multipliers in the next.
  const double mass = mass_.scales().mass, last = rounding * ratio * speed / goal;
  whole_.acceleration = std::max({whole_.acceleration, whole_.multiplier / mass, last});
  whole_.multiplier = std::max(whole_.multiplier, mass * last);
  imbalance_.clear();
  ratio_now_ = ratio;
  rests_ = may_rest();
  if (rests_) {
    if (!see_whether_rates_rest(state)) return false;
    if (rests_) return true;
  }
  LocalFault fault;
  if (const double noise = measured_[3];
      noise > goal * whole_.acceleration && !take_imbalance(state, ratio)) {
    open(state, ratio, fault);
    keep_imbalance();
  }
  expected(ratio);
  total_ = std::move(expected_);
  knows_expected_ = false;
  if (total_.empty())
    total_.assign(at(mass_.assembler().layout().local_size()), 0.0);
  else
    apply(total_, state, ratio);
  const auto failed = [this] {
    why_ = matrix_.why();
    return false;
  };
  if (!matrix_.begin(state, ratio)) return failed();
  for (int pass = 0; pass < most_passes; ++pass) {
    open(state, ratio, fault);
    if (pass == 0) {
      measure_gaps();
      // Rates of states follow from velocities, and are corrected with the balance of forces.
      const bool has_states =
          std::ranges::find(runs_, UnknownRun::Of::states, &UnknownRun::of) != runs_.end();
      expected_multiplier_ = has_states ? HUGE_VAL : change(total_, ratio).multiplier;
    }
    subtract_imbalance();
    bool solved = matrix_.solve_here();
    const std::vector<double>& x = matrix_.solution();
    Sizes moved = change(x, ratio);
    if (!agree(fault, solved, moved)) return false;
    if (!solved) {
      if (!matrix_.replace(state, ratio)) return failed();
      continue;
    }
    apply(x, state, ratio, &total_);
    if (pass > 0) matrix_.look_for_stale_rows(goal * whole_.velocity, goal * whole_.acceleration, ratio);
    const double far = part_of_whole(moved);
    const double nonlinear = bent * part(moved.velocity, speed);
    // What rounding errors make of velocities is not reduced by another pass, and tells nothing of the matrix.
    const bool of_positions = moved.velocity <= known && moved.multiplier <= mass * ratio * known;
    const double noisy = noise_seen * measured_[3];
    const bool of_forces =
        !imbalance_.empty() && moved.acceleration <= noisy && moved.multiplier <= mass * noisy;
    matrix_.solved({.all = far,
                    .velocities = part(moved.velocity, whole_.velocity),
                    .accelerations = part(moved.acceleration, whole_.acceleration),
                    .is_noise = of_positions || of_forces,
                    .is_noise_of_forces = of_forces,
                    .velocities_are_noise = moved.velocity <= known});
    const CorrectionContraction& contraction = matrix_.contraction();
    const double expected = std::max(contraction.left(), nonlinear);
    if (expected * far <= goal || far <= last_digits || contraction.stalls()) {
      rests_ = pass == 0 && rate_ == 0 && expected_multiplier_ + moved.multiplier <= mass * ratio * known;
      rate_ *= std::min(1.0, expected);
      matrix_.used(pass + 1);
      return true;
    }
    if (matrix_.is_slow(nonlinear, far / goal) && !matrix_.renew(state, ratio)) return failed();
  }
  matrix_.drop();
  why_ = fmt::format("no velocities that satisfy the constraints are found: their rates stay open by {:.3g}",
                     rate_);
  return false;
}

}  // namespace trammel
