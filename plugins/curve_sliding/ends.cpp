#include "ends.hpp"

#include <algorithm>

namespace trammel::curve_sliding {

EndStops::Force EndStops::force(double depth, double rate) const {
  Force f;
  if (!(depth > 0)) return f;
  f.elastic = law_.stiffness * depth;
  f.stored = 0.5 * f.elastic * depth;
  const double factor = 1 + law_.damping * rate;
  if (!(factor > 0)) return f;
  f.force = f.elastic * factor;
  f.by_depth = law_.stiffness * factor;
  f.by_rate = f.elastic * law_.damping;
  return f;
}

void EndStops::evaluate(const LocalState& x, LocalSystem& out) const {
  const EndOfStep m = motion(x);
  const Force high = force(m.value - law_.range.to, m.rate), low = force(law_.range.from - m.value, -m.rate);
  out.residual()[1] = high.force - low.force;
  if (!out.request.tangent) return;
  out.K()(1, 1) = high.by_depth + low.by_depth;
  out.D()(1, 1) = high.by_rate + low.by_rate;
}

Review EndStops::review(const LocalState& x, const StepInfo& step) const {
  std::optional<Review> first;
  for (const double bound : {law_.range.from, law_.range.to})
    if (const auto cut = cut_at(history_.last, motion(x), bound, step);
        cut && (!first || cut->cut_time < first->cut_time))
      first = cut;
  return first.value_or(Review::keep());
}

Energy EndStops::energy(const LocalState& x) const {
  const EndOfStep m = motion(x);
  const Force high = force(m.value - law_.range.to, m.rate), low = force(law_.range.from - m.value, -m.rate);
  Energy e;
  e.strain = high.stored + low.stored;
  e.lost_power = (high.force - high.elastic - low.force + low.elastic) * m.rate;
  return e;
}

void EndStops::outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
  const EndOfStep m = motion(x);
  const Force high = force(m.value - law_.range.to, m.rate), low = force(law_.range.from - m.value, -m.rate);
  sink.scalar("end_force", "N", low.force - high.force);
}

}  // namespace trammel::curve_sliding
