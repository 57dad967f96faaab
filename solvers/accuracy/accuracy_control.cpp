#include "solvers/accuracy/accuracy_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "solvers/accuracy/step_plan.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// The first step, in times in which bodies go by the model's length, or turn by a radian, times the root of the accuracy.
constexpr double of_first = 0.5;
// Part of that where reactions are to be accurate too: their first estimate comes after the second step.
constexpr double of_first_for_reactions = 0.1;
// Part of the steps so far that a restart begins with.
constexpr double of_restart = 0.25;
// Errors are averaged over the part `window` of the time that the motion needs for its range; a step has a weight of at most
// `of_step`. Alternating errors cancel in this average. What has been seen to cancel of errors of velocities reduces them once more.
// Of displacements the part `of_single` of the error of a single step counts in any case, so that a jump is noticed at once.
constexpr double window = 0.25, of_step = 0.12, of_single = 0.1;
// Errors of vibrations do not count if their amplitude is below this part of the accuracy, and if of the magnitudes of their errors of
// velocities at most the second part remains in the average.
constexpr double least_amplitude = 0.5, seen_to_cancel = 0.25;
// The same of vibrations whose phase is to be kept, as amplitudes found scatter by a third.
constexpr double least_followed = least_amplitude / 2;
// Vibrations are faster than this over `window`, in radians: averages keep most of the errors of slower motions.
constexpr double fast = 2;
// Over any time these errors sum up to at most twice h^3 kappa times the amplitude of v' over h, with equal steps; with varying ones
// twice that is left out of the averages.
constexpr double cancels = 4;
// Local errors cancel in part: of the sum of their magnitudes positions keep at most this, in all cases of bench/accuracy.py.
constexpr double kept = 0.5;
// Averages say nothing of the present motion if they differ by more than this factor, either way, from the magnitudes of the last
// errors; these fade by `fades` in each step.
constexpr double alike = 16, fades = 0.75;
// Vibrations are taken out of errors if 1/W is below this part of `window`. A part of the amplitude allowed below which slower ones are
// taken out, too, and the times of vibrations after which one that is over is forgotten.
constexpr double of_vibrations = 0.02, small_vibration = 0.125, remembered = 12;
// So many times the mean rate may be made within the time of the averages before it counts as used up in advance.
constexpr double excess = 4;
// Steps of a stage, at least: what is about to happen, as a snap under a slow load, shows in no estimate of a step.
constexpr double fewest_steps = 100;
// Part of a stage after which the ranges of its motion are no longer extrapolated.
constexpr double seen = 0.05;
// Errors of reactions count so many times: they are judged by their largest value and not by their sum, and changes of step add to
// them.
constexpr double of_reactions = 2;
// Reactions shorten a step by the root of this at most.
constexpr double most_of_reactions = 16;
// Part of the longest step down to which steps are halved for another reason than their error.
constexpr double least = 1e-4;

}  // namespace

std::vector<char> massless(Assembler& assembler, const State& state) {
  Layout& layout = assembler.layout();
  TangentWeights weights;
  weights.stiffness = weights.gradient = weights.reaction = 0;
  weights.mass = 1;
  weights.hold_algebraic = true;
  std::vector<char> without(layout.dof_count(), 0);
  const OwnedMat M(assembler.create_matrix());
  if (!assembler.tangent(state, weights, M.get())) return without;
  const OwnedVec diagonal(layout.create_vector());
  TRAMMEL_PETSC(MatGetDiagonal(M.get(), diagonal.get()));
  const PetscScalar* values = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(diagonal.get(), &values));
  for (const UnknownBlock& u : layout.unknowns())
    for (int k = 0; u.owned && is_kinematic(u.kind) && k < u.size; ++k)
      without[at(u.offset.dof + k)] = values[u.local + k] == 0 ? 1 : 0;
  TRAMMEL_PETSC(VecRestoreArrayRead(diagonal.get(), &values));
  return without;
}

AccuracyControl::AccuracyControl(Assembler& assembler, const DynamicStage& stage, double begin, double until,
                                 double length, double reaction_error)
    : assembler_(assembler),
      accuracy_(stage.accuracy),
      begin_(begin),
      until_(until),
      length_(length > 0 ? length : 1.0),
      longest_((until - begin) / fewest_steps),
      of_massless_(stage.accuracy_of_massless),
      of_vibrations_(stage.accuracy_of_vibrations),
      range_(assembler.layout(), assembler.model(), length),
      trial_range_(range_),
      reactions_(assembler.layout(), assembler.model(), stage.accuracy_of_reactions ? reaction_error : 0.0,
                 stage.radius, length) {
  report_.asked = stage.accuracy;
  report_.of_reactions = stage.accuracy_of_reactions;
  report_.of_vibrations = stage.accuracy_of_vibrations;
  each_with_error(assembler.layout(), [&](const UnknownBlock& u, std::size_t first) {
    for (std::size_t i = first; u.kind == BlockKind::state && i < first + at(u.size); ++i)
      states_.push_back(i);
  });
}

void AccuracyControl::begin(const State& state) {
  std::vector<char> unjudged = massless(assembler_, state);
  if (of_massless_) std::ranges::fill(unjudged, 0);
  range_.begin(state, std::move(unjudged));
  reactions_.take(state, 0);
  sizes_.begin(until_ - begin_, accuracy_, longest_, first_step(state));
  budget_.begin(begin_, until_ - begin_);
  pace_.begin(begin_);
}

double AccuracyControl::first_step(const State& state) const {
  double fastest = 0;  // [1/s]
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned || !is_kinematic(u.kind)) continue;
    for (int k = 0; k < u.size; ++k) {
      const Measure measure = assembler_.model().block(u.block).measure(k);
      const double reference = measure.is_length() ? length_ : measure.is_angle() ? 1.0 : measure.size;
      const double v = std::abs(state.rate[at(u.offset.dof + k)]) / reference,
                   a = std::abs(state.acceleration[at(u.offset.dof + k)]) / reference;
      fastest = std::max({fastest, v, std::sqrt(a)});
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &fastest, 1, MPI_DOUBLE, MPI_MAX, assembler_.layout().comm());
  const double first = fastest > 0 ? std::min(longest_, of_first * std::sqrt(accuracy_) / fastest) : longest_;
  return report_.of_reactions ? of_first_for_reactions * first : first;
}

double AccuracyControl::next(const State& now) const {
  const double remaining = until_ - now.time, h = sizes_.next(remaining);
  if (h < StepPlan::clock_digits * std::max(std::abs(now.time), std::abs(until_)) && h < remaining)
    throw Error(
        fmt::format("at t = {:.9g} an accuracy of {:g} needs steps of {:.3g} s, which the clock cannot tell",
                    now.time, accuracy_, h));
  return h;
}

bool AccuracyControl::accepts(StepMethod& method, double h, bool unique, bool event) {
  const State& trial = method.trial();
  const double span = until_ - begin_, ahead = std::max(0.0, begin_ + seen * span - trial.time);
  // A step that is too long overshoots. Where ranges are extrapolated, what it reached counts too.
  if (ahead > 0) range_.include(trial);
  trial_range_ = range_;
  if (ahead == 0) trial_range_.include(trial);
  const double vibrating = find_error(method, event, ahead);
  trial_vibrations_.find(vibrations_, error_, h);
  trial_range_.drop_rounding(error_, trial, h);
  average(trial, h);
  find_negligible(ahead);
  leave_vibrations(h, std::max(share_, h / (averaged_ + h)), share_, counted_);
  leave_vibrations(h, LastErrors::of_last, LastErrors::of_last, last_counted_);
  follow_phase(h, ahead);
  count_made();
  std::array<MotionRange::Judged, MotionRange::most_judged> judged{
      {{.displacement = counted_.displacement, .velocity = counted_.velocity},
       {.displacement = last_counted_.displacement, .velocity = last_counted_.velocity},
       {.displacement = error_.displacement, .times = of_single / h, .without = negligible_},
       {.displacement = made_counted_.displacement, .velocity = made_counted_.velocity},
       {.displacement = error_.between, .times = 1 / h}}};
  const double rounding = trial_range_.judge(judged, trial, h, ahead);
  const auto& [averages, last, single, made, between] = judged;
  const double rate = std::max(averages.largest, single.largest),
               next = undelayed_.of(rate, std::max(last.largest, single.largest), h, trial_range_.time());
  added_ = kept * rate * h;
  const double elapsed = trial.time - begin_;
  // Errors go with h^2, the rounding of all steps with 1/h.
  const double lost = rounding * static_cast<double>(report_.steps) * span / elapsed;
  if (elapsed > seen * span && lost > accuracy_)
    throw Error(fmt::format(
        "at t = {:.9g} an accuracy of {:g} is finer than rounding allows: about {:.1g} is possible",
        trial.time, accuracy_, accuracy_ * std::pow(lost / accuracy_, 2.0 / 3)));
  unseen_ = std::max(0.0, kept * made.largest * h - added_);
  const double to_come = std::max(0.0, kept * made.largest * span / accuracy_ - excess) * h / share_ / span;
  const double part = kept * next * h / accuracy_;
  rate_ = part * span / h / budget_.share(part, h, trial.time, to_come);
  // What dense output misses inside the step does not add up over the steps. It goes with h^4, and rates with h^2.
  const double inside = std::sqrt(between.largest * h / accuracy_);
  of_positions_ = rate_ = std::max({rate_, vibrating, inside});
  if (unique) count_reactions(reactions_.judge(trial, h), trial.time, h);
  if (sizes_.accepts(h, rate_)) return true;
  ++report_.rejected;
  return false;
}

double AccuracyControl::time_of_vibrations(double ahead) const {
  return part_of_time_ * of_vibrations * window * std::max(range_.time(), ahead);
}

double AccuracyControl::find_error(StepMethod& method, bool event, double ahead) {
  const State& trial = method.trial();
  const auto largest = [&](const std::vector<double>& of) {
    MotionRange::Judged displacements{.displacement = of};
    trial_range_.judge({&displacements, 1}, trial, 1, ahead);
    return displacements.largest / accuracy_;
  };
  trial_vibration_ = 0;
  for (;;) {
    method.local_error(error_, event, time_of_vibrations(ahead));
    if (!error_.without_vibrations) return 0;
    if (error_.vibration.empty()) break;
    trial_vibration_ = largest(error_.vibration) / least_amplitude;
    if (trial_vibration_ <= 1) break;
    part_of_time_ /= 2;
    vibration_ = 0;
  }
  // It goes with h^3, and rates with h^2.
  return std::pow(largest(error_.vibrating), 2.0 / 3);
}

void AccuracyControl::follow_vibrations(double now, double h) {
  const double time = time_of_vibrations(std::max(0.0, begin_ + seen * (until_ - begin_) - now));
  vibration_ = error_.without_vibrations
                   ? std::max(trial_vibration_, std::exp(-h / (remembered * time)) * vibration_)
                   : 0.0;
  if (vibration_ > small_vibration || part_of_time_ == 1) return;
  part_of_time_ *= 2;
  vibration_ *= 4;
}

void AccuracyControl::count_reactions(double error, double time, double h) {
  const double longest = h / longest_;
  const double wanted = std::min(of_reactions * error / accuracy_, most_of_reactions),
               limit = AccuracyReport::shortest_by * AccuracyReport::shortest_by *
                       std::max(of_positions_, longest * longest),
               rate = std::min(wanted, limit);
  const bool counts = response_.counts(time);
  limits_ = counts && limit < wanted && error > accuracy_;
  if (rate <= rate_ || !counts) return;
  if (rate > 1 && !response_.too_large(time, h, rate, until_ - begin_)) {
    if (report_.pauses++ == 0) report_.first_pause = time;
    return reactions_.forget();
  }
  rate_ = rate;
}

bool AccuracyControl::halve(double h) {
  if (!(report_.longest > 0) || h < least * report_.longest) return false;
  ++report_.rejected;
  sizes_.failed(0.5 * h);
  return true;
}

void AccuracyControl::bring_averages(double h) {
  brought_ = mean_;
  brought_magnitude_ = mean_magnitude_;
  trial_recent_.resize(error_.velocity.size());
  for (std::size_t i = 0; i < trial_recent_.size(); ++i) trial_recent_[i] = std::abs(error_.velocity[i]) / h;
  if (mean_.displacement.empty()) return;
  // Errors per unit of time go with h^2.
  const double square = h * h / (mean_step_ * mean_step_);
  for (double& each : brought_.displacement) each *= square;
  for (std::size_t i = 0; i < trial_recent_.size(); ++i) {
    trial_recent_[i] = std::max(trial_recent_[i], fades * square * recent_[i]);
    double factor = square;
    // Errors of a motion that is over, as of an impact, do not grow with later steps.
    const double most = alike * trial_recent_[i];
    if (square > 1 && mean_magnitude_[i] * square > most) factor = std::max(1.0, most / mean_magnitude_[i]);
    brought_.velocity[i] *= factor;
    brought_magnitude_[i] *= factor;
  }
}

void AccuracyControl::average(const State& trial, double h) {
  const bool anew = mean_.displacement.empty();
  const double of_motion = share_ = std::min(h / trial_range_.time() / window, of_step),
               of_all = h / (averaged_ + h);  // errors of displacements count in full from the start on
  const auto mix = [&](const std::vector<double>& old, const std::vector<double>& now, bool whole,
                       std::vector<double>& out) {
    out.resize(now.size());
    const auto mix_number = [&](std::size_t i, double share) {
      out[i] = (anew ? 0.0 : (1 - share) * old[i]) + share / h * now[i];
    };
    const double at_least = whole ? of_all : 0.0, share = std::max(at_least, of_motion);
    for (std::size_t i = 0; i < now.size(); ++i) mix_number(i, share);
    // First-order states have times of their own.
    for (const std::size_t i : states_) mix_number(i, std::max(at_least, of_step));
  };
  bring_averages(h);
  mix(brought_.displacement, error_.displacement, true, trial_mean_.displacement);
  mix(brought_.velocity, error_.velocity, false, trial_mean_.velocity);
  mix(made_.displacement, error_.displacement, true, trial_made_.displacement);
  mix(made_.velocity, error_.velocity, false, trial_made_.velocity);
  last_.look(error_, h);
  for (double& each : error_.velocity) each = std::abs(each);
  mix(brought_magnitude_, error_.velocity, false, trial_mean_magnitude_);
  mix(made_magnitude_, error_.velocity, false, trial_made_magnitude_);
  counted_ = trial_mean_;
  reduce_cancelled(counted_, trial_mean_magnitude_);
  last_.count(last_counted_);
  // The average of a short impact over a long time is small. It counts unless the last errors themselves are below rounding.
  for (std::size_t i = 0; i < trial_recent_.size(); ++i) error_.velocity[i] = h * trial_recent_[i];
  trial_range_.drop_rounding(error_, trial, h);
  for (std::size_t i = 0; i < trial_recent_.size(); ++i)
    if (error_.velocity[i] == 0) counted_.velocity[i] = last_counted_.velocity[i] = 0;
}

void AccuracyControl::count_made() {
  made_counted_ = trial_made_;
  reduce_cancelled(made_counted_, trial_made_magnitude_);
  for (std::size_t i = 0; i < negligible_.size(); ++i) {
    const double mean = trial_mean_magnitude_[i], recent = trial_recent_[i];
    // An average that was held down to `alike` times the last errors is that much above them.
    const bool averages_tell = mean * alike > recent && mean < 0.99 * alike * recent;
    if (negligible_[i] != 0 || averages_tell) made_counted_.displacement[i] = made_counted_.velocity[i] = 0;
  }
}

void AccuracyControl::leave_vibrations(double h, double of_displacements, double of_velocities,
                                       LocalError& mean) const {
  const auto reduce = [](double& each, double by) {
    each = std::copysign(std::max(0.0, std::abs(each) - by), each);
  };
  const double displacements = cancels * of_displacements * std::abs(error_.of_jerk) * h,
               velocities = cancels * of_velocities * std::abs(error_.of_snap) * h;
  for (std::size_t i = 0; i < negligible_.size(); ++i) {
    if (negligible_[i] == 0) continue;
    reduce(mean.displacement[i], displacements * trial_vibrations_.change_of_rate(i));
    reduce(mean.velocity[i], velocities * trial_vibrations_.change_of_jerk(i));
  }
}

void AccuracyControl::find_negligible(double ahead) {
  trial_vibrations_.find_amplitudes(amplitudes_);
  trial_range_.find_smaller(amplitudes_, least_amplitude * accuracy_, ahead, negligible_);
  for (std::size_t i = 0; i < negligible_.size(); ++i)
    if (!cancel(i)) negligible_[i] = 0;
}

bool AccuracyControl::cancel(std::size_t i) const {
  return std::abs(trial_mean_.velocity[i]) <= seen_to_cancel * trial_mean_magnitude_[i];
}

void AccuracyControl::follow_phase(double h, double ahead) {
  lost_phase_.look(trial_vibrations_, error_, h);
  const double lowest = fast / (window * trial_range_.time());
  const double counts = of_vibrations_ ? least_followed : least_amplitude;
  trial_range_.find_smaller(lost_phase_.amplitudes(), counts * accuracy_, ahead, vibrate_);
  for (std::size_t i = 0; i < vibrate_.size(); ++i)
    vibrate_[i] = vibrate_[i] == 0 && cancel(i) && lost_phase_.frequency(i) > lowest ? 1 : 0;
  const std::vector<double>& rate = lost_phase_.find_rate(error_, h, vibrate_);
  if (!of_vibrations_) return;
  for (std::size_t i = 0; i < rate.size(); ++i)
    counted_.displacement[i] = std::max(std::abs(counted_.displacement[i]), rate[i] / kept);
}

void AccuracyControl::end() {
  const NamedNumber worst = range_.worst(lost_phase_.largest());
  report_.vibration = worst.number;
  report_.worst_vibration = worst.where;
}

void AccuracyControl::accepted(const State& now, double h, double planned, bool event) {
  ++report_.steps;
  std::swap(range_, trial_range_);
  std::swap(mean_, trial_mean_);
  std::swap(mean_magnitude_, trial_mean_magnitude_);
  std::swap(made_, trial_made_);
  std::swap(made_magnitude_, trial_made_magnitude_);
  std::swap(recent_, trial_recent_);
  std::swap(vibrations_, trial_vibrations_);
  lost_phase_.accepted(h);
  last_.accepted(h);
  undelayed_.accepted();
  follow_vibrations(now.time, h);
  averaged_ += h;
  mean_step_ = h;
  report_.estimated += added_ + unseen_;
  budget_.spend(added_ / accuracy_, h);
  budget_.charge(unseen_ / accuracy_);
  const double left = reactions_.take(now, h);
  if (left > report_.reactions) {
    report_.reactions = left;
    report_.worst_reaction = reactions_.worst();
  }
  count_reactions(left, now.time, h);
  if (limits_) ++report_.limited;
  crowding_.step(now.time, event);
  if (event) {
    settle();
    return sizes_.cut_short(h);
  }
  if (h < planned * (1 - 1e-6)) return sizes_.failed(h);
  smooth_ = h;
  report_.shortest = report_.shortest > 0 ? std::min(report_.shortest, h) : h;
  report_.longest = std::max(report_.longest, h);
  sizes_.accepted(h, rate_, undelayed_.prompt());
}

std::string AccuracyControl::creeping(const State& now) {
  if (!pace_.creeps(now.time, until_)) return {};
  // Errors of velocities act as long as the motion needs for its range.
  std::vector<double> held = counted_.displacement;
  for (std::size_t i = 0; i < held.size(); ++i)
    held[i] = std::max(std::abs(held[i]), range_.time() * std::abs(counted_.velocity[i]));
  const NamedNumber worst = range_.worst(held);
  return fmt::format(
      "t = {:.9g}: for an accuracy of {:g} the last {} steps covered {:.2g} s, and about {:.1g} more would "
      "be needed to the end of the stage{}. Try a coarser accuracy, or a fixed `step:`",
      now.time, accuracy_, StepPace::looked_at, now.time - pace_.began(), pace_.to_come(),
      worst.where.empty() ? "" : fmt::format("; the largest error is that of {}", worst.where));
}

void AccuracyControl::settle() {
  const double left = share_ > 0 ? (added_ + unseen_) * (1 / share_ - 1) : 0.0;
  report_.estimated += left;
  budget_.charge(left / accuracy_);
  for (std::vector<double>* mean : {&mean_.displacement, &mean_.velocity, &mean_magnitude_,
                                    &made_.displacement, &made_.velocity, &made_magnitude_, &recent_})
    std::ranges::fill(*mean, 0.0);
  last_.forget();
}

void AccuracyControl::restarted(const State& now) {
  mean_ = {};
  last_.forget();
  undelayed_.forget();
  vibration_ = 0;
  vibrations_ = VibrationAmplitude();
  averaged_ = 0;
  reactions_.forget();
  response_.forget();
  reactions_.take(now, 0);
  const double first = first_step(now);
  sizes_.begin_again(smooth_ > 0 ? std::min(first, of_restart * smooth_) : first);
}

std::string AccuracyControl::in_words() const {
  return fmt::format(
      "{} steps of {:.3g} to {:.3g} s, {} rejected; estimated error of positions {:.2g} of their ranges{} "
      "(asked: {:g})",
      report_.steps, report_.shortest, report_.longest, report_.rejected, report_.estimated,
      report_.of_reactions ? fmt::format(", of reactions {:.2g}", report_.reactions) : "", accuracy_);
}

}  // namespace trammel
