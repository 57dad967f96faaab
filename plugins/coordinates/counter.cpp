#include "counter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel::coordinates {

namespace {

// Two times closer than this part of a step are the same; a crossing is found to this part of the change of `when`.
constexpr double same_time = 1e-9, found = 1e-6;

}  // namespace

Review Counter::review(const LocalState& x, const StepInfo& step) const {
  const double h = step.end - step.start, margin = same_time * h;
  double first = step.end;
  for (const double time : times_)
    if (time > step.start + margin && time < first - margin) first = time;
  if (when_ && before_ && *before_ <= 0) {
    const double now = when_->at(x, 1);
    // By the secant, kept inside of the step so that it shrinks, until what is left beyond is small.
    const double part = -*before_ / (now - *before_);
    if (now > 0 && now > found * (now - *before_) && h > same_time * std::max(1.0, std::abs(step.end)) &&
        part < 1 - found)
      first = std::min(first, step.start + std::clamp(part, 0.01, 0.99) * h);
  }
  return first < step.end - margin ? Review::cut(first) : Review::keep();
}

void Counter::commit(const LocalState& x, const StepInfo& step) {
  const double margin = same_time * (step.end - step.start);
  bool reset = std::ranges::any_of(
      times_, [&](double time) { return time > step.start + margin && time <= step.end + margin; });
  if (when_) {
    const double now = when_->at(x, 1);
    reset = reset || (before_ && *before_ <= 0 && now > 0);
    before_ = now;
  }
  if (!reset) return;
  zero_ = target_.value(x);
  ++resets_;
}

void Counter::outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
  const double counted = target_.value(x) - zero_;
  sink.scalar("counted", target_.unit, counted);
  if (target_.unit == "rad") {
    const double turns = counted / (2 * std::numbers::pi);
    sink.scalar("turns", "", turns);
    sink.scalar("angle", "rad", 2 * std::numbers::pi * (turns - std::floor(turns)));
  }
  sink.scalar("resets", "", resets_);
}

void Counter::restore(std::span<const double> h) {
  zero_ = h[0];
  resets_ = h[1];
  before_.reset();
  if (h[3] != 0) before_ = h[2];
}

}  // namespace trammel::coordinates
