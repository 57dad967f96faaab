#include "curve_contact.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "contact_motion.hpp"
#include "curve_meeting.hpp"
#include "shifted_outputs.hpp"
#include "trammel/error.hpp"

namespace trammel::surface_contact {

namespace {

constexpr int samples = 200;
constexpr int most_iterations = 60;
constexpr double most_tilt = 1e-6;   // of a line of contact [rad]
constexpr double degenerate = 1e-8;  // of the curvature of the gap, by those of the curves

}  // namespace

void require_between_ends(const Curve& curve, const std::string& name, double eta) {
  if (!is_inside(curve, eta))
    throw Error(
        fmt::format("the contact point runs off the end of the curve '{}', at parameter {:.6g}", name, eta));
}

std::optional<CurveNormal> refine(const CurvePair& pair, double eta_1, double eta_2) {
  const Eigen::Vector2d ranges(pair.one.last() - pair.one.first(), pair.two.last() - pair.two.first());
  Eigen::Vector2d x(eta_1, eta_2);
  for (int i = 0; i < most_iterations; ++i) {
    // d . t1 = 0 and m . R t2 = 0, d and all else in the plane.
    const Meeting at = meeting(pair.one, pair.two, x[0], x[1]);
    const Vec3 whole = pair.p_AB_A + pair.R_AB * at.two.d[0] - at.one.d[0];
    const Vec3 d = whole - pair.axis * pair.axis.dot(whole);
    const SurfaceVector<2> m = turned(pair.axis, at.t1);
    const Vec3 t2 = pair.R_AB * at.t2.d[0];
    const Eigen::Vector2d F(d.dot(at.t1.d[0]), m.d[0].dot(t2));
    Eigen::Matrix2d J;
    J << d.dot(at.t1.by(1, 0)) - at.one.d[1].dot(at.t1.d[0]), (pair.R_AB * at.two.d[1]).dot(at.t1.d[0]),
        m.by(1, 0).dot(t2), m.d[0].dot(pair.R_AB * at.t2.by(1, 0));
    Eigen::Vector2d step = -J.fullPivLu().solve(F);
    const double size = step.cwiseQuotient(ranges).cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) return std::nullopt;
    if (size > 0.05) step *= 0.05 / size;
    x += step;
    if (size > 1e-13) continue;
    if (!is_inside(pair.one, x[0]) || !is_inside(pair.two, x[1])) return std::nullopt;
    return CurveNormal{x[0], x[1], at.one.d[0], pair.p_AB_A + pair.R_AB * at.two.d[0], d.norm()};
  }
  return std::nullopt;
}

std::optional<CurveNormal> search(const CurvePair& pair) {
  const auto points = [&](const Curve& curve, bool second) {
    std::vector<Vec3> all;
    for (int i = 0; i <= samples; ++i) {
      const Vec3 p = curve.point(curve.first() + (curve.last() - curve.first()) * i / samples);
      const Vec3 q = second ? Vec3(pair.p_AB_A + pair.R_AB * p) : p;
      all.push_back(q - pair.axis * pair.axis.dot(q));
    }
    return all;
  };
  const std::vector<Vec3> ones = points(pair.one, false), twos = points(pair.two, true);
  std::vector<std::pair<double, std::size_t>> best;
  for (const Vec3& p : ones) {
    best.emplace_back(std::numeric_limits<double>::infinity(), 0);
    for (std::size_t j = 0; j < twos.size(); ++j)
      if (const double far = (p - twos[j]).squaredNorm(); far < best.back().first) best.back() = {far, j};
  }
  std::optional<CurveNormal> found;
  const auto eta = [](const Curve& curve, std::size_t i) {
    return curve.first() + (curve.last() - curve.first()) * static_cast<double>(i) / samples;
  };
  for (std::size_t i = 0; i < best.size(); ++i) {
    if ((i > 0 && best[i].first > best[i - 1].first) ||
        (i + 1 < best.size() && best[i].first > best[i + 1].first))
      continue;
    const std::optional<CurveNormal> next = refine(pair, eta(pair.one, i), eta(pair.two, best[i].second));
    if (next && (!found || next->gap < found->gap - 1e-12)) found = next;
  }
  return found;
}

CurveContact::CurveContact(std::shared_ptr<const Curve> one, std::shared_ptr<const Curve> two,
                           const Vec3& axis, std::string name_1, std::string name_2, const CurvePair& start,
                           const CurveNormal& at)
    : one_(std::move(one)),
      two_(std::move(two)),
      axis_(axis),
      across_1_(axis.unitOrthogonal()),
      across_2_(axis.cross(across_1_)),
      name_1_(std::move(name_1)),
      name_2_(std::move(name_2)),
      jumps_{CurvatureJumps(*one_), CurvatureJumps(*two_)} {
  const Meeting m = meeting(*one_, *two_, at.eta_1, at.eta_2);
  const double tilt = std::abs(axis_.dot(m.t1.d[0]));
  if (tilt > 1e-6)
    throw Error(
        fmt::format("the tangent of the curve '{}' leaves the plane across 'axis' by {:.3g} rad at the start",
                    name_1_, std::asin(std::min(1.0, tilt))));
  sense_ = m.t1.d[0].dot(start.R_AB * m.t2.d[0]) < 0 ? -1 : 1;
  const double k1 = curvature(axis_, m.one.d[1], m.one.d[2]);
  const double k2 = sense_ * curvature(axis_, start.R_AB * m.two.d[1], start.R_AB * m.two.d[2]);
  if (!(std::abs(k2 - k1) > degenerate * std::max(std::abs(k1), std::abs(k2))))
    throw Error(fmt::format(
        "the curves '{}' and '{}' have one curvature at the contact point, {:.6g} 1/m: they fit each "
        "other, and the point is not determined; take a lower pair instead (revolute, prismatic)",
        name_1_, name_2_, k1));
  side_ = k2 > k1 ? 1 : -1;
}

void CurveContact::terms(const RelativeState<2>& x, bool second, Terms& out) const {
  const Eigen::Vector2d c = parameters(x.c);
  const Meeting at = meeting(*one_, *two_, c[0], c[1]);
  const SurfaceVector<2> c1 = along_u(at.one.d[0], at.one.d[1], at.one.d[2]),
                         c2 = along_u(at.two.d[0], at.two.d[1], at.two.d[2]);
  JointTerms<3, 4> all(second);
  int row = 0;
  for (const Vec3& e : {across_1_, across_2_}) {
    add_offset(x.p_AB_A, constant(e), c1, second, row, all);
    add_product(x.R_AB, constant(e), c2, second, row++, all);
  }
  add_product(x.R_AB, turned(axis_, at.t1), at.t2, second, row, all);
  static constexpr std::array<int, 8> columns{0, 1, 2, 3, 4, 5, 6, 8};
  out.C = all.C;
  for (int i = 0; i < 8; ++i) {
    const int from = columns[static_cast<std::size_t>(i)];
    out.G.col(i) = all.G.col(from);
    if (!second) continue;
    for (std::size_t r = 0; r < 3; ++r)
      for (int j = 0; j < 8; ++j) out.H[r](i, j) = all.H[r](from, columns[static_cast<std::size_t>(j)]);
  }
}

bool CurveContact::on_branch(const RelativeState<2>& x) const {
  const Eigen::Vector2d c = parameters(x.c);
  const Meeting at = meeting(*one_, *two_, c[0], c[1]);
  return sense_ * at.t1.d[0].dot(x.R_AB * at.t2.d[0]) > 0;
}

std::string CurveContact::names() const { return fmt::format("the curves '{}' and '{}'", name_1_, name_2_); }

Facing CurveContact::contact(const LocalState& x, const RelativePlacement& at) const {
  const Eigen::Vector2d c = parameters(Eigen::Map<const Eigen::Vector2d>(x.value(site().block_count())));
  return shapes_->ends(at, {c[0], 0, c[1], 0});
}

void CurveContact::begin(const LocalState& x, const Begin& how) {
  Joint::begin(x, how);
  if (how.why == Begin::Why::restart && history().known) history().take_rates(x, site().block_count());
  if (!shapes_) return;
  const RelativeMovement now = RelativeMovement::of(x, site().A, site().B);
  history().search.begin(*shapes_, now, contact(x, now.at), how, names());
}

Review CurveContact::review(const LocalState& x, const StepInfo& step) {
  if (const Review branch = Joint::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
  const RelativeState<2> s = relative(x);
  const Eigen::Vector2d c = parameters(s.c);
  require_between_ends(*one_, name_1_, c[0]);
  require_between_ends(*two_, name_2_, c[1]);
  if (line_B_)
    if (const double tilt = axis_.cross(s.R_AB * *line_B_).norm(); tilt > most_tilt)
      throw Error(
          fmt::format("the surfaces '{}' and '{}' touched along a line and now tilt against one another by "
                      "{:.3g} rad: joints "
                      "must keep them parallel, or one of them be crowned",
                      name_1_, name_2_, std::asin(std::min(1.0, tilt))));
  std::optional<Review> other;
  if (shapes_) {
    const RelativeMovement now = RelativeMovement::of(x, site().A, site().B);
    other = history().search.review(*shapes_, now, contact(x, now.at), step, names());
  }
  if (other && other->cut_time < step.end) return *other;
  if (history().known)
    for (std::size_t i = 0; i < 2; ++i)
      if (const auto cut = jumps_[i].cut(history().last[i], history().now(x, site().block_count(), i), step,
                                         history().longest))
        return *cut;
  return other.value_or(Review::keep());
}

void CurveContact::commit(const LocalState& x, const StepInfo& step) {
  Joint::commit(x, step);
  const int block = site().block_count();
  if (shapes_) {
    const RelativeMovement now = RelativeMovement::of(x, site().A, site().B);
    const Facing here = contact(x, now.at);
    if (const std::optional<Facing> to = history().search.commit(now, here, step)) {
      history().shift[0] += to->at[0] - here.at[0];
      history().shift[1] += to->at[2] - here.at[2];
    }
  }
  history().keep(x, block, step.size());
}

Vec3 CurveContact::normal(double eta_1) const {
  CurvePoint c;
  one_->evaluate(eta_1, 1, c);
  return side_ * axis_.cross(c.d[1]).normalized();
}

void CurveContact::outputs(const LocalState& x, const ReactionContributions& contributions,
                           OutputSink& sink) const {
  static constexpr std::array<std::string_view, 2> coordinates{"eta1", "eta2"};
  ShiftedOutputs shifted(sink, coordinates, history().shift);
  Joint::outputs(x, contributions, shifted);
  MarkerMotion A;
  site().A.evaluate(x, 0, MotionLevel::pose, A);
  const int block = site().block_count();
  const Eigen::Vector2d eta = parameters(Eigen::Map<const Eigen::Vector2d>(x.value(block)));
  const double* lambda = x.value(block + 1);
  const Vec3 n = normal(eta[0]);
  const PathMotion on_1 = path_motion(*one_, eta[0], x.rate(block)[0], x.second_rate(block)[0]);
  const PathMotion on_2 = path_motion(*two_, eta[1], x.rate(block)[1], x.second_rate(block)[1]);
  report_contact_motion(x, site().A, on_1, sink);
  report_path(x, site().A, 0, on_1, "1", sink);
  report_path(x, site().B, site().A.block_count(), on_2, "2", sink);
  sink.vector("normal", "1", A.R_WM * n);
  sink.scalar("normal_force", "N", -n.dot(lambda[0] * across_1_ + lambda[1] * across_2_));
  if (shapes_) report_search(history().search, sink);
}

}  // namespace trammel::surface_contact
