#include "contact_joint.hpp"

#include <cmath>

#include <fmt/format.h>

#include "degenerate_contact.hpp"
#include "product_terms.hpp"
#include "trammel/error.hpp"

namespace trammel::surface_contact {

namespace {

constexpr double degenerate = 1e-8;  // of a curvature of the gap, by those of the surfaces

SurfaceParameters first(const Eigen::Vector4d& c) { return {c[0], c[1]}; }
SurfaceParameters second_of(const Eigen::Vector4d& c) { return {c[2], c[3]}; }

}  // namespace

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
  const std::string which = fmt::format("the surfaces '{}' and '{}'", surfaces.name_1, surfaces.name_2);
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
  surfaces_.one->evaluate(first(x.c), second ? 3 : 2, p);
  surfaces_.two->evaluate(second_of(x.c), second ? 3 : 2, q);
  for (int i = 0; i < 3; ++i) {
    const SurfaceVector<2> axis = constant(Vec3::Unit(i));
    add_offset(x.p_AB_A, axis, p, second, i, out);
    add_product(x.R_AB, axis, q, second, i, out);
  }
  const SurfaceDirections a = surfaces_.one->directions(p), b = surfaces_.two->directions(q);
  add_product(x.R_AB, a.u, b.normal, second, 3, out);
  add_product(x.R_AB, a.v, b.normal, second, 4, out);
}

bool ContactJoint::on_branch(const RelativeState<4>& x) const {
  return surfaces_.one->normal(first(x.c)).dot(x.R_AB * surfaces_.two->normal(second_of(x.c))) < 0;
}

Review ContactJoint::review(const LocalState& x, const StepInfo& step) {
  if (const Review branch = Joint::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
  const RelativeState<4> s = relative(x);
  require_inside(*surfaces_.one, surfaces_.name_1, first(s.c));
  require_inside(*surfaces_.two, surfaces_.name_2, second_of(s.c));
  require_single_point(surfaces_, {*surfaces_.one, *surfaces_.two, s.R_AB, s.p_AB_A}, first(s.c),
                       second_of(s.c));
  return Review::keep();
}

void ContactJoint::outputs(const LocalState& x, const ReactionContributions& contributions,
                           OutputSink& sink) const {
  Joint::outputs(x, contributions, sink);
  MarkerMotion A;
  site().A.evaluate(x, 0, MotionLevel::pose, A);
  const int block = site().block_count();
  const SurfaceParameters at{x.value(block)[0], x.value(block)[1]};
  const Vec3 n = surfaces_.one->normal(at);
  sink.vector("contact_point", "m", A.p_WM + A.R_WM * surfaces_.one->point(at));
  sink.vector("normal", "1", A.R_WM * n);
  sink.scalar("normal_force", "N", -n.dot(Eigen::Map<const Vec3>(x.value(block + 1))));
}

}  // namespace trammel::surface_contact
