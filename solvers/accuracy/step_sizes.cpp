#include "solvers/accuracy/step_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {
// A step with more error per time than so many times the allowed one is rejected. Smaller excess is accepted, because only the
// sum over the stage is limited.
constexpr double most = 4;
// The rate above which the next step is shorter, and the one up to which steps become longer; the latter also where sizes follow at
// once.
constexpr double high = 1.3, low = 0.85, prompt_low = 1.1;
// Steps of the same size between two changes of size; where sizes follow at once.
constexpr int patience = 4, prompt_patience = 1;
// Below this a rate of error is tiny: steps were shorter than they had to be.
constexpr double tiny = 0.3;
// Levels by which a rejection shortens a step at most, if the error of the step before was tiny: this one may be an exception. Once
// rejected again, it is shortened by as much as its error asks for.
constexpr int after_tiny = 2;
// Levels by which a rejection shortens a step at most: errors of much longer steps do not go with the square of the size.
constexpr int at_once = 8;
// Part of the size that steps after an event begin with, as a level.
constexpr int after_event = -6;
}  // namespace

double StepSizes::size() const { return unit_ * std::exp2(0.5 * level_); }

int StepSizes::level_of(double size) const {
  return static_cast<int>(std::floor(2 * std::log2(size / unit_) + 1e-6));
}

void StepSizes::begin(double span, double accuracy, double longest, double first) {
  longest_ = longest;
  unit_ = span * std::sqrt(accuracy);
  begin_again(first);
}

void StepSizes::begin_again(double size) {
  level_ = level_of(size);
  grows_ = true;
  began_ = false;
  waits_ = 0;
  recent_ = {};
}

double StepSizes::next(double remaining) const {
  const double h = std::min(size(), longest_);
  if (remaining <= h * (1 + 1e-6)) return remaining;
  return remaining < 2 * h ? 0.5 * remaining : h;
}

bool StepSizes::accepts(double h, double rate) {
  if (rate <= (grows_ ? high : most)) return true;
  const bool exception = !grows_ && recent_[0] > 0 && recent_[0] < tiny;
  level_ = std::clamp(level_of(0.9 * h / std::sqrt(rate)), level_of(h) - at_once, level_of(h) - 1);
  if (exception) level_ = std::max(level_, level_of(h) - after_tiny);
  waits_ = patience;
  recent_ = {};
  if (began_) grows_ = false;
  return false;
}

void StepSizes::accepted(double h, double rate, bool prompt) {
  const double now = rate * (size() / h) * (size() / h);  // as of the present level
  std::rotate(recent_.rbegin(), recent_.rbegin() + 1, recent_.rend());
  recent_[0] = now;
  began_ = true;
  int change = 0;
  if (now > high) {
    change = -static_cast<int>(std::ceil(std::log2(now / high)));
    grows_ = false;
  } else if (grows_) {
    const double room = now > 0 ? std::floor(std::log2(low / now)) : 2.0;
    change = static_cast<int>(std::clamp(room, 0.0, 2.0));
    grows_ = change > 0;
  } else if (--waits_ < 0) {
    change = 2 * *std::ranges::max_element(recent_) <= (prompt ? prompt_low : low) ? 1 : 0;
  }
  if (change == 0) return;
  level_ += change;
  for (double& each : recent_) each *= std::exp2(change);
  if (!grows_) waits_ = prompt ? prompt_patience : patience;
}

void StepSizes::cut_short(double h) {
  const int least = level_ + after_event;
  begin_again(h);
  level_ = std::max(level_, least);
}

void StepSizes::failed(double h) {
  begin_again(h);
  grows_ = false;
  waits_ = patience;
}

}  // namespace trammel
