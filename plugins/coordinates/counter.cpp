#include "counter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/crossing.hpp"

namespace trammel::coordinates {

namespace {

// Two times closer than this part of a step are the same.
constexpr double same_time = 1e-9;
// Nearer than this part of a step to its ends a crossing is found well enough by the secant.
constexpr double near_end = 0.05;

}  // namespace

std::optional<double> Counter::crossing(double now) const {
  if (!last_ || last_->when > 0 || !(now > 0)) return std::nullopt;
  return -last_->when / (now - last_->when);
}

Review Counter::review(const LocalState& x, const StepInfo& step) const {
  const double margin = same_time * (step.end - step.start);
  // Nothing is known yet of where the first step began.
  if (!last_)
    for (const double time : times_)
      if (time > step.start + margin && time < step.end - margin) return Review::cut(time);
  if (!when_) return Review::keep();
  const std::optional<double> part = crossing(when_->at(x, 1));
  const bool inside = part && *part > near_end && *part < 1 - near_end;
  return inside ? Review::cut(step.start + *part * (step.end - step.start)) : Review::keep();
}

void Counter::commit(const LocalState& x, const StepInfo& step) {
  const Motion now{x.time(), target_.value(x), target_.rate(x), when_ ? when_->at(x, 1) : 0};
  const double h = step.end - step.start, margin = same_time * h;
  double latest = -1;  // reset, as a part of the step
  const auto reset = [&](double part) {
    latest = std::max(latest, part);
    ++resets_;
  };
  for (const double time : times_)
    if (time > step.start + margin && time <= step.end + margin)
      reset(std::min((time - step.start) / h, 1.0));
  if (when_)
    if (const std::optional<double> part = crossing(now.when)) reset(*part);
  if (latest >= 0)
    zero_ = last_ ? cubic(last_->value, h * last_->rate, now.value, h * now.rate, latest) : now.value;
  last_ = now;
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

std::vector<double> Counter::history() const {
  const Motion m = last_.value_or(Motion{});
  return {zero_, resets_, last_ ? 1.0 : 0.0, m.time, m.value, m.rate, m.when};
}

void Counter::restore(std::span<const double> h) {
  zero_ = h[0];
  resets_ = h[1];
  last_.reset();
  if (h[2] != 0) last_ = Motion{h[3], h[4], h[5], h[6]};
}

}  // namespace trammel::coordinates
