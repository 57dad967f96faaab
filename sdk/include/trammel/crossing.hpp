#pragma once

#include <cmath>
#include <optional>

#include "trammel/element_range.hpp"

namespace trammel {

/// A quantity and its rate at one end of a step.
struct EndOfStep {
  double value = 0, rate = 0;

  void serialize(Archive& archive) { archive(value, rate); }
};

/// The cubic polynomial with the values y0, y1 and the slopes r0, r1 (change over the whole step) at the ends of a step, at the
/// fraction x of the step.
inline double cubic(double y0, double r0, double y1, double r1, double x) {
  const double u = 1 - x;
  return y0 * (1 + 2 * x) * u * u + r0 * x * u * u + y1 * x * x * (3 - 2 * x) - r1 * x * x * u;
}

/// The fraction of a step of size h, in (0, 1), at which a quantity passes `bound`, which must be between its values at both ends.
/// Found by bisection on the cubic through values and rates. Without rates (in statics) the quantity is linear in the step.
inline double crossing(const EndOfStep& before, const EndOfStep& after, double bound, double h) {
  const double y0 = before.value - bound, y1 = after.value - bound;
  const bool moves = before.rate != 0 || after.rate != 0;
  const double r0 = moves ? h * before.rate : y1 - y0, r1 = moves ? h * after.rate : y1 - y0;
  double low = 0, high = 1;
  for (int i = 0; i < 50; ++i) {
    const double x = 0.5 * (low + high);
    ((cubic(y0, r0, y1, r1, x) > 0) == (y0 > 0) ? low : high) = x;
  }
  return 0.5 * (low + high);
}

/// An event nearer to the start or the end of a step than this fraction counts as being there.
inline constexpr double near_end_of_step = 1e-3;

/// The review of a step in which the quantity passes `bound`: the step shall end there. Nothing if the quantity does not pass it, or
/// passes it at the start or the end of the step (near_end_of_step).
inline std::optional<Review> cut_at(const EndOfStep& before, const EndOfStep& after, double bound,
                                    const StepInfo& step) {
  if (!std::isfinite(bound) || before.value == bound || (before.value > bound) == (after.value > bound))
    return std::nullopt;
  const double h = step.end - step.start, part = crossing(before, after, bound, h);
  if (part <= near_end_of_step || part >= 1 - near_end_of_step) return std::nullopt;
  return Review::cut(step.start + part * h);
}

/// Whether the quantity passes `bound` at the end of the step (near_end_of_step).
inline bool passes_at_end(const EndOfStep& before, const EndOfStep& after, double bound,
                          const StepInfo& step) {
  if (!std::isfinite(bound) || before.value == bound || (before.value > bound) == (after.value > bound))
    return false;
  return crossing(before, after, bound, step.size()) >= 1 - near_end_of_step;
}

/// The review of a step that ends beyond `bound`: all rows of the element become inactive at the crossing. A crossing near the start
/// or the end of the step counts as there (near_end_of_step). If the quantity was beyond `bound` before, they do so at the start.
inline Review leave_at(const EndOfStep& before, const EndOfStep& after, double bound, const StepInfo& step) {
  if (before.value == bound || (before.value > bound) == (after.value > bound))
    return Review::switch_rows(step.start, RowStatus::inactive);
  const double part = crossing(before, after, bound, step.size());
  if (part <= near_end_of_step) return Review::switch_rows(step.start, RowStatus::inactive);
  if (part >= 1 - near_end_of_step) return Review::switch_rows(step.end, RowStatus::inactive);
  return Review::switch_rows(step.start + part * step.size(), RowStatus::inactive);
}

}  // namespace trammel
