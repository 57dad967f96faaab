#include "ends.hpp"

#include <algorithm>

namespace trammel::curve_sliding {

namespace {

// An event nearer than this part of the step to one of its ends is taken to be there.
constexpr double near_end = 1e-3;

}  // namespace

double crossing(const SlideMotion& before, const SlideMotion& after, double bound, double h) {
  const double y0 = before.s - bound, y1 = after.s - bound;
  const bool moves = before.rate != 0 || after.rate != 0;
  const double r0 = moves ? h * before.rate : y1 - y0, r1 = moves ? h * after.rate : y1 - y0;
  double low = 0, high = 1;
  for (int i = 0; i < 50; ++i) {
    const double x = 0.5 * (low + high), u = 1 - x;
    const double y = y0 * (1 + 2 * x) * u * u + r0 * x * u * u + y1 * x * x * (3 - 2 * x) - r1 * x * x * u;
    ((y > 0) == (y0 > 0) ? low : high) = x;
  }
  return 0.5 * (low + high);
}

std::optional<Review> cut_at(const SlideMotion& before, const SlideMotion& after, double bound,
                             const StepInfo& step) {
  if (!std::isfinite(bound) || before.s == bound || (before.s > bound) == (after.s > bound))
    return std::nullopt;
  const double h = step.end - step.start, part = crossing(before, after, bound, h);
  if (part <= near_end || part >= 1 - near_end) return std::nullopt;
  return Review::cut(step.start + part * h);
}

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
  const SlideMotion m = motion(x);
  const Force high = force(m.s - law_.range.to, m.rate), low = force(law_.range.from - m.s, -m.rate);
  out.residual()[1] = high.force - low.force;
  if (!out.request.tangent) return;
  out.K()(1, 1) = high.by_depth + low.by_depth;
  out.D()(1, 1) = high.by_rate + low.by_rate;
}

Review EndStops::review(const LocalState& x, const StepInfo& step) const {
  if (!last_) return Review::keep();
  std::optional<Review> first;
  for (const double bound : {law_.range.from, law_.range.to})
    if (const auto cut = cut_at(*last_, motion(x), bound, step);
        cut && (!first || cut->cut_time < first->cut_time))
      first = cut;
  return first.value_or(Review::keep());
}

Energy EndStops::energy(const LocalState& x) const {
  const SlideMotion m = motion(x);
  const Force high = force(m.s - law_.range.to, m.rate), low = force(law_.range.from - m.s, -m.rate);
  Energy e;
  e.strain = high.stored + low.stored;
  e.lost_power = (high.force - high.elastic - low.force + low.elastic) * m.rate;
  return e;
}

void EndStops::outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
  const SlideMotion m = motion(x);
  const Force high = force(m.s - law_.range.to, m.rate), low = force(law_.range.from - m.s, -m.rate);
  sink.scalar("end_force", "N", low.force - high.force);
}

std::vector<double> EndStops::history() const {
  return last_ ? std::vector<double>{last_->s, last_->rate} : std::vector<double>{};
}

void EndStops::restore(std::span<const double> history) {
  last_.reset();
  if (!history.empty()) last_ = {history[0], history[1]};
}

}  // namespace trammel::curve_sliding
