#include "curvature_jumps.hpp"

#include <algorithm>
#include <cmath>

namespace trammel::surface_contact {

namespace {

constexpr double behind = 2e-5;   // at most, of a whole step, the motion restarts behind a jump
constexpr double visible = 1e-4;  // of a jump of the curvature, by the larger of both sides

/// c'' across the tangent, by the square of the speed.
Vec3 curvature(const Curve& curve, double eta) {
  CurvePoint c;
  curve.evaluate(eta, 2, c);
  const Vec3 t = c.d[1].normalized();
  return (c.d[2] - t * t.dot(c.d[2])) / c.d[1].squaredNorm();
}

}  // namespace

CurvatureJumps::CurvatureJumps(const Curve& curve)
    : period_(curve.closed() ? curve.last() - curve.first() : 0) {
  const double aside = 1e-7 * (curve.last() - curve.first());
  for (const double eta : curve.breaks()) {
    if (!curve.closed() && (eta == curve.first() || eta == curve.last())) continue;
    if (curve.closed() && eta == curve.last()) continue;
    const Vec3 before = curvature(curve, eta - aside), after = curvature(curve, eta + aside);
    if ((after - before).norm() > visible * std::max(before.norm(), after.norm())) at_.push_back(eta);
  }
}

std::optional<Review> CurvatureJumps::cut(const EndOfStep& before, const EndOfStep& after,
                                          const StepInfo& step, double longest) const {
  if (!step.active || step.in_statics) return std::nullopt;
  const auto [low, high] = std::minmax(before.value, after.value);
  std::optional<double> first;  // [s] after the step's begin
  for (const double eta : at_) {
    const double bound = eta + (period_ > 0 ? std::ceil((low - eta) / period_) * period_ : 0);
    if (bound > high || before.value == bound || (before.value > bound) == (after.value > bound)) continue;
    const double passed = crossing(before, after, bound, step.size()) * step.size();
    if (!first || passed < *first) first = passed;
  }
  if (!first) return std::nullopt;
  const double margin = behind * std::max(longest, step.size());
  // A little behind the jump, where the accelerations are those of the far side, the motion restarts with them. The rows
  // stay what they are.
  return step.size() - *first <= margin ? Review::switch_rows(step.end, RowStatus::active)
                                        : Review::cut(step.start + *first + 0.5 * margin);
}

}  // namespace trammel::surface_contact
