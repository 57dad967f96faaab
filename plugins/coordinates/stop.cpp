#include "stop.hpp"

#include <algorithm>

namespace trammel::coordinates {

namespace {

// An event nearer than this part of the step to one of its ends is taken to be there.
constexpr double near_end = 1e-3;

/// Part of the step, in (0, 1), at which y, known at both ends with its rate, is zero: by bisection on the cubic
/// through them. y0 and y1 have opposite signs.
double crossing(double y0, double r0, double y1, double r1) {
  const auto cubic = [&](double s) {
    const double u = 1 - s;
    return y0 * (1 + 2 * s) * u * u + r0 * s * u * u + y1 * s * s * (3 - 2 * s) - r1 * s * s * u;
  };
  double low = 0, high = 1;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    ((cubic(middle) > 0) == (y0 > 0) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

Review Stop::review(const LocalState& x, const StepInfo& step) const {
  if (!law_.meet || !last_) return Review::keep();
  const double h = step.end - step.start;
  double earliest = 1;
  for (const double bound : {law_.from, law_.to}) {
    if (!std::isfinite(bound)) continue;
    const double before = last_->value - bound, after = target_.value(x) - bound;
    if (before == 0 || (before > 0) == (after > 0)) continue;
    // Without rates (in statics) the motion is a straight line.
    const bool moves = last_->rate != 0 || target_.rate(x) != 0;
    const double r0 = moves ? h * last_->rate : after - before;
    const double r1 = moves ? h * target_.rate(x) : after - before;
    const double s = crossing(before, r0, after, r1);
    if (s > near_end && s < 1 - near_end) earliest = std::min(earliest, s);
  }
  return earliest < 1 ? Review::cut(step.start + earliest * h) : Review::keep();
}

}  // namespace trammel::coordinates
