#include "contact_joint.hpp"

#include <cmath>

#include <fmt/format.h>

#include "contact_motion.hpp"
#include "degenerate_contact.hpp"
#include "product_terms.hpp"
#include "shifted_outputs.hpp"
#include "trammel/error.hpp"

namespace trammel::surface_contact {

namespace {

constexpr double degenerate = 1e-8;  // of a curvature of the gap, by those of the surfaces

SurfaceParameters first(const Eigen::Vector4d& c) { return {c[0], c[1]}; }
SurfaceParameters second_of(const Eigen::Vector4d& c) { return {c[2], c[3]}; }

}  // namespace

std::string names(const Surfaces& surfaces) {
  return fmt::format("the surfaces '{}' and '{}'", surfaces.name_1, surfaces.name_2);
}

std::array<CurvatureJumps, 4> curvature_jumps(const Surfaces& surfaces) {
  return {CurvatureJumps(*surfaces.one, 0), CurvatureJumps(*surfaces.one, 1),
          CurvatureJumps(*surfaces.two, 0), CurvatureJumps(*surfaces.two, 1)};
}

void report_search(const ContactSearch& search, OutputSink& sink) {
  sink.scalar("jumps", "", static_cast<double>(search.jumps()));
  sink.scalar("walks", "", static_cast<double>(search.walks()));
}

void require_inside(const Surface& surface, const std::string& name, const SurfaceParameters& at) {
  if (surface.beyond(at) <= 1e-9) return;
  const Vec3 p = surface.point(at);
  throw Error(
      fmt::format("the contact point leaves the surface '{}' over an edge, at {}, [{:.6g}, "
                  "{:.6g}, {:.6g}] in its axes; make it larger, or turn its axes where the edge is a pole of "
                  "its parameters",
                  name, surface.described(at), p.x(), p.y(), p.z()));
}

bool touch_along_line(const GapCurvatures& gap) {
  const double tiny = degenerate * gap.of_surfaces;
  return std::abs(gap.least) <= tiny && gap.most > tiny;
}

void require_single_point(const Surfaces& surfaces, const SurfacePair& pair, const SurfaceParameters& one,
                          const SurfaceParameters& two) {
  const GapCurvatures gap = gap_curvatures(pair, one, two);
  const double tiny = degenerate * gap.of_surfaces;
  if (gap.least > tiny) return;
  const std::string which = names(surfaces);
  if (gap.least < -tiny)
    throw Error(fmt::format(
        "{} cut each other at the contact point: the gap between them has the curvature {:.6g} 1/m "
        "there; the one inside must be curved more, and the hole `reversed`",
        which, gap.least));
  if (gap.most > tiny && !gap_stays_closed(pair, one, two))
    throw Error(
        which +
        " have the same curvature in one direction at the contact point, and at that point alone: it is not "
        "determined "
        "there (an isolated singular point); give one of them another radius, or take a `point_on_surface`");
  if (gap.most > tiny)
    throw Error(
        which +
        " touch along a line, and their contact point is not determined; that is handled where both "
        "surfaces are cylinders along the line from the start: take a `curve_contact` of their profiles, "
        "or crown one of them");
  throw Error(
      which +
      " fit each other at the contact point: their curvatures there are equal; take a lower pair instead "
      "(planar, cylindrical, spherical)");
}

void ContactJoint::terms(const RelativeState<4>& x, bool second, Terms& out) const {
  // Without second derivatives of the equations the third ones of the surfaces count for nothing.
  SurfacePoint p, q;
  if (!second) p.d.fill(Vec3::Zero()), q.d.fill(Vec3::Zero());
  const Eigen::Vector4d c = parameters(x.c);
  surfaces_.one->evaluate(first(c), second ? 3 : 2, p);
  surfaces_.two->evaluate(second_of(c), second ? 3 : 2, q);
  add_closure(x.R_AB, x.p_AB_A, p, q, second, out);
  const SurfaceDirections a = surfaces_.one->directions(p), b = surfaces_.two->directions(q);
  add_product(x.R_AB, a.u, b.normal, second, 3, out);
  add_product(x.R_AB, a.v, b.normal, second, 4, out);
}

bool ContactJoint::on_branch(const RelativeState<4>& x) const {
  const Eigen::Vector4d c = parameters(x.c);
  return surfaces_.one->normal(first(c)).dot(x.R_AB * surfaces_.two->normal(second_of(c))) < 0;
}

Facing ContactJoint::contact(const LocalState& x, const RelativePlacement& at) const {
  const Eigen::Vector4d c = parameters(Eigen::Map<const Eigen::Vector4d>(x.value(site().block_count())));
  return shapes_->ends(at, {c[0], c[1], c[2], c[3]});
}

std::array<EndOfStep, 4> ContactJoint::ends(const LocalState& x) const {
  const int block = site().block_count();
  const Eigen::Vector4d c = parameters(Eigen::Map<const Eigen::Vector4d>(x.value(block)));
  std::array<EndOfStep, 4> out{};
  for (std::size_t i = 0; i < 4; ++i) out[i] = {c[static_cast<Eigen::Index>(i)], x.rate(block)[i]};
  return out;
}

void ContactJoint::begin(const LocalState& x, const Begin& how) {
  Joint::begin(x, how);
  if (how.why == Begin::Why::restart && history().crossings.known) history().crossings.last = ends(x);
  if (!shapes_) return;
  const RelativeMovement now = RelativeMovement::of(x, site().A, site().B);
  history().search.begin(*shapes_, now, contact(x, now.at), how, names(surfaces_));
}

Review ContactJoint::review(const LocalState& x, const StepInfo& step) {
  if (const Review branch = Joint::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
  const RelativeState<4> s = relative(x);
  const Eigen::Vector4d c = parameters(s.c);
  require_inside(*surfaces_.one, surfaces_.name_1, first(c));
  require_inside(*surfaces_.two, surfaces_.name_2, second_of(c));
  require_single_point(surfaces_, {*surfaces_.one, *surfaces_.two, s.R_AB, s.p_AB_A}, first(c), second_of(c));
  std::optional<Review> other;
  if (shapes_) {
    const RelativeMovement now = RelativeMovement::of(x, site().A, site().B);
    other = history().search.review(*shapes_, now, contact(x, now.at), step, names(surfaces_));
  }
  if (other && other->cut_time < step.end) return *other;
  if (const auto cut = history().crossings.cut(curvature_jumps_, ends(x), step)) return *cut;
  return other.value_or(Review::keep());
}

void ContactJoint::commit(const LocalState& x, const StepInfo& step) {
  Joint::commit(x, step);
  if (shapes_) {
    const RelativeMovement now = RelativeMovement::of(x, site().A, site().B);
    const Facing here = contact(x, now.at);
    if (const std::optional<Facing> to = history().search.commit(now, here, step))
      for (std::size_t i = 0; i < 4; ++i) history().shift[i] += to->at[i] - here.at[i];
  }
  history().crossings.keep(ends(x), step.size());
}

void ContactJoint::outputs(const LocalState& x, const ReactionContributions& contributions,
                           OutputSink& sink) const {
  static constexpr std::array<std::string_view, 4> coordinates{"u1", "v1", "u2", "v2"};
  ShiftedOutputs shifted(sink, coordinates, history().shift);
  Joint::outputs(x, contributions, shifted);
  MarkerMotion A;
  site().A.evaluate(x, 0, MotionLevel::pose, A);
  const int block = site().block_count();
  const Eigen::Vector4d c = parameters(Eigen::Map<const Eigen::Vector4d>(x.value(block)));
  const Vec3 n = surfaces_.one->normal(first(c));
  const Eigen::Map<const Eigen::Vector4d> rates(x.rate(block)), second_rates(x.second_rate(block));
  const PathMotion on_1 = path_motion(*surfaces_.one, first(c), rates.head<2>(), second_rates.head<2>());
  const PathMotion on_2 = path_motion(*surfaces_.two, second_of(c), rates.tail<2>(), second_rates.tail<2>());
  report_contact_motion(x, site().A, on_1, sink);
  report_path(x, site().A, 0, on_1, "1", sink);
  report_path(x, site().B, site().A.block_count(), on_2, "2", sink);
  sink.vector("normal", "1", A.R_WM * n);
  sink.scalar("normal_force", "N", -n.dot(Eigen::Map<const Vec3>(x.value(block + 1))));
  if (shapes_) report_search(history().search, sink);
}

}  // namespace trammel::surface_contact
