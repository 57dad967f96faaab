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
  const std::optional<Counted>& last = history_.last;
  if (!last || last->when > 0 || !(now > 0)) return std::nullopt;
  return -last->when / (now - last->when);
}

Review Counter::review(const LocalState& x, const StepInfo& step) const {
  const double margin = same_time * (step.end - step.start);
  // Nothing is known yet of where the first step began.
  if (!history_.last)
    for (const double time : times_)
      if (time > step.start + margin && time < step.end - margin) return Review::cut(time);
  if (!when_) return Review::keep();
  const std::optional<double> part = crossing(when_->at(x, 1));
  const bool inside = part && *part > near_end && *part < 1 - near_end;
  return inside ? Review::cut(step.start + *part * (step.end - step.start)) : Review::keep();
}

void Counter::commit(const LocalState& x, const StepInfo& step) {
  const Counted now{target_.value(x), target_.rate(x), when_ ? when_->at(x, 1) : 0};
  const double h = step.end - step.start, margin = same_time * h;
  const std::optional<Counted>& last = history_.last;
  double latest = -1;  // reset, as a part of the step
  const auto reset = [&](double part) {
    latest = std::max(latest, part);
    ++history_.resets;
  };
  for (const double time : times_)
    if (time > step.start + margin && time <= step.end + margin)
      reset(std::min((time - step.start) / h, 1.0));
  if (when_)
    if (const std::optional<double> part = crossing(now.when)) reset(*part);
  if (latest >= 0)
    history_.zero = last ? cubic(last->value, h * last->rate, now.value, h * now.rate, latest) : now.value;
  history_.last = now;
}

void Counter::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
  const double counted = target_.value(x) - history_.zero;
  sink.scalar("counted", target_.unit, counted);
  if (target_.measure.is_angle()) {
    const double turns = counted / (2 * std::numbers::pi);
    sink.scalar("turns", "", turns);
    sink.scalar("angle", "rad", 2 * std::numbers::pi * (turns - std::floor(turns)));
  }
  sink.scalar("resets", "", history_.resets);
}

}  // namespace trammel::coordinates
