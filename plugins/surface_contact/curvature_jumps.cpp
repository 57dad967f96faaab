#include "curvature_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel::surface_contact {

namespace {

constexpr double behind = 2e-7;    // of a whole step, the motion restarts behind a jump
constexpr double farthest = 2e-5;  // likewise, at most, where rounding does not allow `behind`
constexpr double visible = 1e-4;   // of a jump of the curvature, by the larger of both sides

constexpr double flat = 1e-6;  // by the surface's size: a jump below this is rounding

/// c'' across the tangent, by the square of the speed.
Vec3 curvature(const Curve& curve, double eta) {
  CurvePoint c;
  curve.evaluate(eta, 2, c);
  const Vec3 t = c.d[1].normalized();
  return (c.d[2] - t * t.dot(c.d[2])) / c.d[1].squaredNorm();
}

}  // namespace

CurvatureJumps::CurvatureJumps(const Curve& curve)
    : range_(curve.last() - curve.first()), period_(curve.closed() ? range_ : 0) {
  const double aside = 1e-7 * (curve.last() - curve.first());
  for (const double eta : curve.breaks()) {
    if (!curve.closed() && (eta == curve.first() || eta == curve.last())) continue;
    if (curve.closed() && eta == curve.last()) continue;
    const Vec3 before = curvature(curve, eta - aside), after = curvature(curve, eta + aside);
    if ((after - before).norm() > visible * std::max(before.norm(), after.norm())) at_.push_back(eta);
  }
}

namespace {

/// The second fundamental form at a point [1/m], for unit lengths along u and v.
Vec3 curvatures(const Surface& surface, const SurfaceParameters& at) {
  SurfacePoint p;
  surface.evaluate(at, 2, p);
  const Vec3 n = p.by(1, 0).cross(p.by(0, 1)).normalized();
  const double u = p.by(1, 0).norm(), v = p.by(0, 1).norm();
  return {n.dot(p.by(2, 0)) / (u * u), n.dot(p.by(1, 1)) / (u * v), n.dot(p.by(0, 2)) / (v * v)};
}

}  // namespace

CurvatureJumps::CurvatureJumps(const Surface& surface, int direction)
    : range_((direction == 0 ? surface.u() : surface.v()).length()) {
  const SurfaceRange &along = direction == 0 ? surface.u() : surface.v(),
                     &across = direction == 0 ? surface.v() : surface.u();
  if (along.periodic) period_ = range_;
  std::vector<double> borders;
  for (const SurfacePatch& patch : surface.patches())
    borders.push_back(direction == 0 ? patch.first.u : patch.first.v);
  std::ranges::sort(borders);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  const double aside = 1e-7 * range_;
  for (const double border : borders) {
    if (!along.periodic && border - along.first < aside) continue;
    for (const double part : {0.2, 0.5, 0.8}) {
      const double other = across.first + part * across.length();
      const auto at = [&](double x) {
        return direction == 0 ? SurfaceParameters{x, other} : SurfaceParameters{other, x};
      };
      const Vec3 before = curvatures(surface, at(border - aside)),
                 after = curvatures(surface, at(border + aside));
      const double change = (after - before).norm();
      if (!(change > visible * std::max(before.norm(), after.norm())) || change * surface.size() < flat)
        continue;
      at_.push_back(border);
      break;
    }
  }
}

std::optional<Review> CurvatureJumps::cut(const EndOfStep& before, const EndOfStep& after,
                                          const StepInfo& step, double longest) const {
  if (!step.active || step.in_statics) return std::nullopt;
  const auto [low, high] = std::minmax(before.value, after.value);
  std::optional<double> first;  // [s] after the step's begin
  // The parameter must be on the far side in spite of rounding.
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const double number = std::max(std::abs(low), std::abs(high)) + range_;
  for (const double eta : at_) {
    const double bound = eta + (period_ > 0 ? std::ceil((low - eta) / period_) * period_ : 0);
    if (bound > high || before.value == bound || (before.value > bound) == (after.value > bound)) continue;
    const double passed = crossing(before, after, bound, step.size()) * step.size();
    if (!first || passed < *first) first = passed;
  }
  if (!first) return std::nullopt;
  const double whole = std::max(longest, step.size());
  const double margin = std::min(
      farthest * whole,
      std::max({behind * whole, 64 * eps * number / std::abs(after.rate), 8 * eps * std::abs(step.end)}));
  // A little behind the jump, where the accelerations are those of the far side, the motion restarts with them. The rows
  // stay what they are.
  return step.size() - *first <= margin ? Review::switch_rows(step.end, RowStatus::active)
                                        : Review::cut(step.start + *first + 0.5 * margin);
}

}  // namespace trammel::surface_contact
