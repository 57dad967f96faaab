#include "point_on_curve.hpp"

#include "curve_contact.hpp"

namespace trammel::surface_contact {

void PointOnCurve::terms(const RelativeState<1>& x, bool second, Terms& out) const {
  CurvePoint c;
  curve_->evaluate(x.c[0], 2, c);
  for (int i = 0; i < 2; ++i) {
    const Vec3& e = across_[static_cast<std::size_t>(i)];
    out.C[i] = e.dot(x.p_AB_A - c.d[0]);
    out.G.block<1, 3>(i, 0) = e.transpose();
    out.G(i, 6) = -e.dot(c.d[1]);
    if (second) out.H[static_cast<std::size_t>(i)](6, 6) = -e.dot(c.d[2]);
  }
}

Review PointOnCurve::review(const LocalState& x, const StepInfo& step) {
  if (const Review branch = Joint::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
  require_between_ends(*curve_, name_, x.value(site().block_count())[0]);
  if (history().known)
    if (const auto cut =
            jumps_.cut(history().last[0], history().now(x, site().block_count(), 0), step, history().longest))
      return *cut;
  return Review::keep();
}

void PointOnCurve::commit(const LocalState& x, const StepInfo& step) {
  Joint::commit(x, step);
  history().keep(x, site().block_count(), step.size());
}

void PointOnCurve::outputs(const LocalState& x, const ReactionContributions& contributions,
                           OutputSink& sink) const {
  Joint::outputs(x, contributions, sink);
  MarkerMotion A;
  site().A.evaluate(x, 0, MotionLevel::pose, A);
  const int block = site().block_count();
  CurvePoint c;
  curve_->evaluate(x.value(block)[0], 1, c);
  const double* lambda = x.value(block + 1);
  const Vec3 n = side_ * axis_.cross(c.d[1]).normalized();
  sink.vector("contact_point", "m", A.p_WM + A.R_WM * c.d[0]);
  sink.vector("normal", "1", A.R_WM * n);
  sink.scalar("normal_force", "N", -n.dot(lambda[0] * across_[0] + lambda[1] * across_[1]));
}

}  // namespace trammel::surface_contact
