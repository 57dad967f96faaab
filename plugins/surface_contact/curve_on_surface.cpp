#include "curve_on_surface.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <Eigen/LU>

#include "contact_motion.hpp"
#include "curve_contact.hpp"
#include "curve_meeting.hpp"
#include "trammel/error.hpp"

namespace trammel::surface_contact {

namespace {

constexpr int samples = 200;  // of the curve
constexpr int most_iterations = 60;
constexpr double degenerate = 1e-8;  // of the curvature of the gap, by those of the shapes

}  // namespace

std::optional<CurveSurfaceNormal> refine(const CurveAndSurface& pair, const SurfaceParameters& at,
                                         double eta) {
  const Eigen::Vector3d ranges(pair.surface.u().length(), pair.surface.v().length(),
                               pair.curve.last() - pair.curve.first());
  Eigen::Vector3d x(at.u, at.v, eta);
  for (int i = 0; i < most_iterations; ++i) {
    // d . S_u = d . S_v = 0 and N . R c' = 0, N = S_u x S_v.
    SurfacePoint p;
    CurvePoint c;
    pair.surface.evaluate({x[0], x[1]}, 2, p);
    pair.curve.evaluate(x[2], 2, c);
    const Vec3 d = pair.p_AB_A + pair.R_AB * c.d[0] - p.d[0];
    const Vec3 along = pair.R_AB * c.d[1], bend = pair.R_AB * c.d[2];
    const Vec3 &u = p.by(1, 0), &v = p.by(0, 1), N = u.cross(v);
    const Eigen::Vector3d F(d.dot(u), d.dot(v), N.dot(along));
    Eigen::Matrix3d J;
    J << d.dot(p.by(2, 0)) - u.dot(u), d.dot(p.by(1, 1)) - u.dot(v), along.dot(u),  //
        d.dot(p.by(1, 1)) - u.dot(v), d.dot(p.by(0, 2)) - v.dot(v), along.dot(v),   //
        (p.by(2, 0).cross(v) + u.cross(p.by(1, 1))).dot(along),
        (p.by(1, 1).cross(v) + u.cross(p.by(0, 2))).dot(along), N.dot(bend);
    Eigen::Vector3d step = -J.fullPivLu().solve(F);
    const double size = step.cwiseQuotient(ranges).cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) return std::nullopt;
    if (size > 0.05) step *= 0.05 / size;
    x += step;
    if (size > 1e-13) continue;
    const SurfaceParameters found = pair.surface.wrapped({x[0], x[1]});
    if (pair.surface.beyond(found) > 0 || !is_inside(pair.curve, x[2])) return std::nullopt;
    return CurveSurfaceNormal{found, x[2], p.d[0], pair.p_AB_A + pair.R_AB * c.d[0],
                              d.dot(pair.surface.normal({x[0], x[1]}))};
  }
  return std::nullopt;
}

std::optional<CurveSurfaceNormal> search(const CurveAndSurface& pair) {
  std::vector<std::pair<SurfaceParameters, double>> feet;  // and the gaps there
  const auto eta = [&](int i) {
    return pair.curve.first() + (pair.curve.last() - pair.curve.first()) * i / samples;
  };
  for (int i = 0; i <= samples; ++i) {
    const Vec3 p = pair.p_AB_A + pair.R_AB * pair.curve.point(eta(i));
    const SurfaceParameters foot = pair.surface.nearest(p);
    feet.emplace_back(foot, (p - pair.surface.point(foot)).dot(pair.surface.normal(foot)));
  }
  std::optional<CurveSurfaceNormal> found;
  for (int i = 0; i <= samples; ++i) {
    const auto gap = [&](int k) { return feet[static_cast<std::size_t>(k)].second; };
    if ((i > 0 && gap(i) > gap(i - 1)) || (i < samples && gap(i) > gap(i + 1))) continue;
    const std::optional<CurveSurfaceNormal> next =
        refine(pair, feet[static_cast<std::size_t>(i)].first, eta(i));
    if (next && (!found || std::abs(next->gap) < std::abs(found->gap) - 1e-12)) found = next;
  }
  return found;
}

void CurveOnSurface::require_single_point(const Mat3& R_AB, const SurfaceParameters& at, double eta) const {
  CurvePoint c;
  SurfacePoint p;
  curve_->evaluate(eta, 2, c);
  surface_->evaluate(at, 2, p);
  const Vec3 n = surface_->normal(at), t = R_AB * c.d[1].normalized();
  const Eigen::Matrix<double, 3, 2> S = (Eigen::Matrix<double, 3, 2>() << p.by(1, 0), p.by(0, 1)).finished();
  const Eigen::Vector2d w = (S.transpose() * S).inverse() * (S.transpose() * t);
  const double of_surface =
      n.dot(w[0] * w[0] * p.by(2, 0) + 2 * w[0] * w[1] * p.by(1, 1) + w[1] * w[1] * p.by(0, 2));
  const Vec3 bend = (R_AB * c.d[2] - t * t.dot(R_AB * c.d[2])) / c.d[1].squaredNorm();
  const double of_gap = n.dot(bend) - of_surface;
  const double tiny = degenerate * std::max({bend.norm(), std::abs(of_surface), 1 / surface_->size()});
  if (of_gap > tiny) return;
  if (of_gap < -tiny)
    throw Error(
        fmt::format("the curve '{}' cuts the surface '{}' at the contact point: the gap between them has the "
                    "curvature {:.6g} "
                    "1/m there; a surface that is touched from its inside is `reversed`",
                    name_2_, name_1_, of_gap));
  throw Error(
      fmt::format("the curve '{}' touches the surface '{}' along a line, and their contact point is not "
                  "determined; let two of "
                  "its points slide on the surface (`point_on_surface`)",
                  name_2_, name_1_));
}

void CurveOnSurface::terms(const RelativeState<3>& x, bool second, Terms& out) const {
  SurfacePoint p;
  CurvePoint c;
  if (!second) p.d.fill(Vec3::Zero());
  surface_->evaluate({x.c[0], x.c[1]}, second ? 3 : 2, p);
  curve_->evaluate(x.c[2], 3, c);
  JointTerms<4, 4> all(second);
  add_closure(x.R_AB, x.p_AB_A, p, along_u(c.d[0], c.d[1], c.d[2]), second, all);
  add_product(x.R_AB, surface_->directions(p).normal, tangent(c), second, 3, all);
  constexpr int kept = 9;  // nothing depends on the last parameter
  out.C = all.C;
  out.G = all.G.leftCols<kept>();
  if (!second) return;
  for (std::size_t r = 0; r < 4; ++r) out.H[r] = all.H[r].topLeftCorner<kept, kept>();
}

std::array<EndOfStep, 3> CurveOnSurface::ends(const LocalState& x) const {
  const int block = site().block_count();
  std::array<EndOfStep, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = {x.value(block)[i], x.rate(block)[i]};
  return out;
}

void CurveOnSurface::begin(const LocalState& x, const Begin& how) {
  Joint::begin(x, how);
  if (how.why == Begin::Why::restart && history().crossings.known) history().crossings.last = ends(x);
}

Review CurveOnSurface::review(const LocalState& x, const StepInfo& step) {
  if (const Review branch = Joint::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
  const RelativeState<3> s = relative(x);
  require_inside(*surface_, name_1_, {s.c[0], s.c[1]});
  require_between_ends(*curve_, name_2_, s.c[2]);
  require_single_point(s.R_AB, {s.c[0], s.c[1]}, s.c[2]);
  if (const auto cut = history().crossings.cut(jumps_, ends(x), step)) return *cut;
  return Review::keep();
}

void CurveOnSurface::commit(const LocalState& x, const StepInfo& step) {
  Joint::commit(x, step);
  history().crossings.keep(ends(x), step.size());
}

void CurveOnSurface::outputs(const LocalState& x, const ReactionContributions& contributions,
                             OutputSink& sink) const {
  Joint::outputs(x, contributions, sink);
  MarkerMotion A;
  site().A.evaluate(x, 0, MotionLevel::pose, A);
  const int block = site().block_count();
  const double *c = x.value(block), *rate = x.rate(block), *second = x.second_rate(block);
  const SurfaceParameters at{c[0], c[1]};
  const Vec3 n = surface_->normal(at);
  const PathMotion on_1 = path_motion(*surface_, at, {rate[0], rate[1]}, {second[0], second[1]});
  report_contact_motion(x, site().A, on_1, sink);
  report_path(x, site().A, 0, on_1, "1", sink);
  report_path(x, site().B, site().A.block_count(), path_motion(*curve_, c[2], rate[2], second[2]), "2", sink);
  sink.vector("normal", "1", A.R_WM * n);
  sink.scalar("normal_force", "N", -n.dot(Eigen::Map<const Vec3>(x.value(block + 1))));
}

void CurveOnSurface::draw_glyph(const Glyph& glyph, const RelativeState<3>& x) const {
  const SurfaceParameters at{x.c[0], x.c[1]};
  const Vec3 n = surface_->normal(at);
  CurvePoint c;
  curve_->evaluate(x.c[2], 1, c);
  const Vec3 t = x.R_AB * c.d[1].normalized(), p = surface_->point(at) / glyph.size();
  if (!n.allFinite() || !t.allFinite()) return;
  glyph.rod(glyph.A, p - 0.5 * t, p + 0.5 * t, 0.03);
  glyph.rod(glyph.A, p, p + 0.5 * n, 0.04);
}

}  // namespace trammel::surface_contact
