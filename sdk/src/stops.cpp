#include "trammel/stops.hpp"

namespace trammel {

Stops::Action Stops::at(const EndOfStep& motion) const {
  const StopForce high(stiffness, exponent, damping, motion.value - range.to, motion.rate),
      low(stiffness, exponent, damping, range.from - motion.value, -motion.rate);
  return {low.force - high.force, high.by_depth + low.by_depth, high.by_rate + low.by_rate,
          low.stored + high.stored, (high.force - high.elastic - low.force + low.elastic) * motion.rate};
}

Review Stops::review(const EndOfStep& before, const EndOfStep& after, const StepInfo& step) const {
  std::optional<Review> first;
  for (const double bound : {range.from, range.to})
    if (const auto cut = cut_at(before, after, bound, step);
        cut && (!first || cut->cut_time < first->cut_time))
      first = cut;
  if (first) return *first;
  for (const double bound : {range.from, range.to})
    if (passes_at_end(before, after, bound, step)) return Review::cut(step.end);
  return Review::keep();
}

}  // namespace trammel
