#include "solvers/accuracy/step_plan.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {
// Events before a part of a step is accepted, and in a nominal step in all.
constexpr int most_in_a_row = 60;
constexpr int most_in_a_step = 2000;
}  // namespace

void StepPlan::begin(double end, double h, int max_cuts) {
  const int halvings = last_ > 0 ? static_cast<int>(std::lround(std::log2(nominal_ / last_))) : 0;
  nominal_ = last_ = h;
  smallest_ = h * std::pow(0.5, max_cuts) * (1 - same_time);
  events_ = 0;
  targets_.push_back({end, h});
  for (int k = std::clamp(halvings - 1, 0, max_cuts); k > 0; --k) {
    targets_.back().h *= 0.5;
    targets_.push_back({targets_.back().time - targets_.back().h, targets_.back().h});
  }
}

void StepPlan::begin_single(double end, double h, int max_cuts) {
  last_ = 0;
  begin(end, h, max_cuts);
}

void StepPlan::reached() {
  last_ = targets_.back().h;
  targets_.pop_back();
  events_in_a_row_ = 0;
}

bool StepPlan::halve() {
  Target& target = targets_.back();
  last_ = target.h;
  const double half = 0.5 * target.h;
  if (half < smallest_) return false;
  target.h = half;
  targets_.push_back({target.time - half, half});
  return true;
}

void StepPlan::cut(double time, double now) {
  last_ = targets_.back().h;
  ++events_;
  ++events_in_a_row_;
  // A later event was foreseen from a longer step; the rest, which may be next to nothing, is not gone in steps of its own.
  while (targets_.size() > 1 && targets_.back().event) targets_.pop_back();
  targets_.back().h = targets_.back().time - time;
  targets_.push_back({time, time - now, true});
}

void StepPlan::begin_again(double now) {
  while (targets_.size() > 1 && targets_.back().event) targets_.pop_back();
  targets_.back().h = targets_.back().time - now;
}

bool StepPlan::too_many_events() const {
  return events_in_a_row_ >= most_in_a_row || events_ >= most_in_a_step;
}

int StepPlan::events() const { return events_in_a_row_ >= most_in_a_row ? events_in_a_row_ : events_; }

}  // namespace trammel
