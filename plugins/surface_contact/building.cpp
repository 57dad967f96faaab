#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "building.hpp"
#include "curve_on_surface.hpp"
#include "line_contact.hpp"
#include "point_on_curve.hpp"
#include "point_on_surface.hpp"
#include "sliding_plane.hpp"
#include "trammel/error.hpp"

namespace trammel::surface_contact {

namespace {

/// The common normal at which the contact starts.
CommonNormal start_of(const Parameters& in, const SurfacePair& pair, const Surfaces& names) {
  std::optional<CommonNormal> found;
  if (in.has("near")) {
    const std::vector<double> near = in.reals("near");
    if (near.size() != 4) throw Error(in.where("near"), "'near' must be four parameters [u1, v1, u2, v2]");
    found = refine(pair, {near[0], near[1]}, {near[2], near[3]});
  } else {
    found = search(pair);
  }
  if (!found)
    throw Error(
        in.where(in.has("near") ? "near" : "between"),
        fmt::format(
            "the surfaces '{}' and '{}' have no common normal {}: nowhere do they face each other with "
            "opposite normals. A hole, or a surface that is touched from its inside, is `reversed`",
            names.name_1, names.name_2, in.has("near") ? "near there" : "inside their edges"));
  return *found;
}

/// The joint of surfaces that touch along a straight line: their sections across it slide on one another.
bool slide_sections(const Parameters& in, Builder& builder, const JointSite& site, const Surfaces& surfaces,
                    const SurfacePair& pair, const CommonNormal& start) {
  const Vec3 line = gap_curvatures(pair, start.one, start.two).least_direction.normalized();
  const Vec3 line_B = pair.R_AB.transpose() * line;
  Curves curves{section_across(surfaces.one, start.one, line),
                section_across(surfaces.two, start.two, line_B), surfaces.name_1, surfaces.name_2, line};
  if (!curves.one || !curves.two) return false;
  if (in.text("formulation") != "parameters")
    throw Error(in.where("formulation"),
                fmt::format("the surfaces '{}' and '{}' touch along a line, which is handled with "
                            "`formulation: parameters` alone",
                            surfaces.name_1, surfaces.name_2));
  slide_curves(in, builder, site, curves,
               CurveNormal{0, 0, start.point_1, start.point_2, std::abs(start.gap)}, line_B);
  return true;
}

/// Where the contact point or the curvature of a curve jumps, the motion restarts: the solver is told so by a review of the joint's
/// rows.
void allow_restarts(Builder& builder) {
  if (builder.has_activity()) return;
  Activity activity;
  activity.parameter = "search";
  activity.by_instance = true;
  activity.length = builder.length();
  builder.set_activity(std::move(activity));
}

bool jumps(const Curve& curve) { return CurvatureJumps(curve).size() > 0; }

}  // namespace

std::string text(const Vec3& p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p.x(), p.y(), p.z()); }

const Value& pair_of(const Parameters& in, const char* of_what) {
  const Value* between = in.value("between");
  if (between == nullptr || !between->is_sequence() || between->items.size() != 2)
    throw Error(in.where("between"), fmt::format("'between' must be a list of {}", of_what));
  return *between;
}

void require_closed(const Parameters& in, const Builder& builder, double gap, const std::string& what) {
  if (std::abs(gap) > 1e-6 * std::max(1.0, builder.length()) && !in.flag("assemble"))
    throw Error(in.where("between"),
                what + "; correct the position, or give `assemble: yes` and a stage of type assemble");
}

void slide_surfaces(const Parameters& in, Builder& builder, JointSite site, const Surfaces& surfaces) {
  const RelativeStart motion = relative_start(builder, site);
  const SurfacePair pair{*surfaces.one, *surfaces.two, motion.R_AB, motion.p_AB_A};
  const CommonNormal start = start_of(in, pair, surfaces);
  require_closed(
      in, builder, start.gap,
      fmt::format("the surfaces '{}' and '{}' {} {:.6g} m at the start; the nearest points are {} and {} in "
                  "the axes of '{}'",
                  surfaces.name_1, surfaces.name_2, start.gap > 0 ? "are apart by" : "overlap by",
                  std::abs(start.gap), text(start.point_1), text(start.point_2), surfaces.name_1));
  if (touch_along_line(gap_curvatures(pair, start.one, start.two)) &&
      slide_sections(in, builder, site, surfaces, pair, start))
    return;
  try {
    require_single_point(surfaces, pair, start.one, start.two);
  } catch (const Error& e) {
    throw Error(in.where("between"), e.what());
  }
  const bool searches = in.flag("search");
  if (searches || any_jumps(curvature_jumps(surfaces))) allow_restarts(builder);
  if (in.text("formulation") == "sliding_plane") {
    SlidingPlane joint(surfaces, start);
    joint.set_site(std::move(site));
    if (searches) joint.search_others();
    add(builder, std::move(joint), {});
  } else {
    ContactJoint joint(surfaces);
    joint.set_site(std::move(site));
    if (searches) joint.search_others();
    add(builder, std::move(joint), {start.one.u, start.one.v, start.two.u, start.two.v});
  }
}

void slide_curve_on_surface(const Parameters& in, Builder& builder, JointSite site,
                            std::shared_ptr<const Surface> surface, std::shared_ptr<const Curve> curve,
                            const std::string& name_1, const std::string& name_2) {
  const RelativeStart motion = relative_start(builder, site);
  const CurveAndSurface pair{*surface, *curve, motion.R_AB, motion.p_AB_A};
  std::optional<CurveSurfaceNormal> start;
  if (in.has("near")) {
    const std::vector<double> near = in.reals("near");
    if (near.size() != 3) throw Error(in.where("near"), "'near' must be three parameters [u, v, eta]");
    start = refine(pair, {near[0], near[1]}, near[2]);
  } else {
    start = search(pair);
  }
  if (!start)
    throw Error(in.where(in.has("near") ? "near" : "between"),
                fmt::format("the curve '{}' is nowhere parallel to the surface '{}' {}", name_2, name_1,
                            in.has("near") ? "near there" : "where it is nearest, inside their edges"));
  require_closed(
      in, builder, start->gap,
      fmt::format("the surface '{}' and the curve '{}' {} {:.6g} m at the start; the nearest points are {} "
                  "and {} in the axes of '{}'",
                  name_1, name_2, start->gap > 0 ? "are apart by" : "overlap by", std::abs(start->gap),
                  text(start->point_1), text(start->point_2), name_1));
  CurveOnSurface joint(std::move(surface), std::move(curve), name_1, name_2);
  try {
    joint.require_single_point(pair.R_AB, start->at, start->eta);
  } catch (const Error& e) {
    throw Error(in.where("between"), e.what());
  }
  if (joint.jumps()) allow_restarts(builder);
  joint.set_site(std::move(site));
  add(builder, std::move(joint), Eigen::Vector3d(start->at.u, start->at.v, start->eta));
}

void slide_point_on_surface(const Parameters& in, Builder& builder, JointSite site,
                            std::shared_ptr<const Surface> surface, const std::string& name) {
  PointOnSurface joint(surface, name);
  if (joint.jumps()) allow_restarts(builder);
  joint.set_site(std::move(site));
  const Vec3 p = relative_start(builder, joint.site()).p_AB_A;
  SurfaceParameters at;
  if (in.has("near")) {
    const std::vector<double> near = in.reals("near");
    if (near.size() != 2) throw Error(in.where("near"), "'near' must be two parameters [u, v]");
    at = surface->nearest(p, {near[0], near[1]});
  } else {
    at = surface->nearest(p);
  }
  const Vec3 there = surface->point(at);
  require_closed(
      in, builder, (p - there).norm(),
      fmt::format("'{}' starts {:.6g} m off the surface '{}': the nearest point is {} in the surface's axes, "
                  "at u = {:.6g}, v = {:.6g}",
                  joint.site().B.name(), (p - there).norm(), name, text(there), at.u, at.v));
  add(builder, std::move(joint), {at.u, at.v});
}

void slide_point_on_curve(const Parameters& in, Builder& builder, JointSite site,
                          std::shared_ptr<const Curve> curve, const Vec3& axis, double side,
                          const std::string& name) {
  const RelativeStart motion = relative_start(builder, site);
  const Vec3 p = motion.p_AB_A - axis * axis.dot(motion.p_AB_A);  // the curve lies in the plane through A
  double eta = 0;
  if (in.has("near")) {
    const std::vector<double> near = in.reals("near");
    if (near.size() != 1) throw Error(in.where("near"), "'near' must be one parameter [eta]");
    eta = curve->nearest(p, near[0]);
  } else {
    eta = curve->nearest(p);
  }
  const Vec3 there = curve->point(eta);
  require_closed(in, builder, (p - there).norm(),
                 fmt::format("'{}' starts {:.6g} m off '{}': the nearest point is {}, at eta = {:.6g}",
                             site.B.name(), (p - there).norm(), name, text(there), eta));
  if (jumps(*curve)) allow_restarts(builder);
  PointOnCurve joint(std::move(curve), axis, side, name);
  joint.set_site(std::move(site));
  add(builder, std::move(joint), Eigen::Matrix<double, 1, 1>(eta));
}

void slide_curves(const Parameters& in, Builder& builder, JointSite site, const Curves& curves,
                  std::optional<CurveNormal> start, const std::optional<Vec3>& line_B) {
  const RelativeStart motion = relative_start(builder, site);
  const CurvePair pair{*curves.one, *curves.two, curves.axis, motion.R_AB, motion.p_AB_A};
  const std::string &name_1 = curves.name_1, &name_2 = curves.name_2;
  if (start) {
    start = refine(pair, start->eta_1, start->eta_2);
  } else if (in.has("near")) {
    const std::vector<double> near = in.reals("near");
    if (near.size() != 2) throw Error(in.where("near"), "'near' must be two parameters [eta1, eta2]");
    start = refine(pair, near[0], near[1]);
  } else {
    start = search(pair);
  }
  if (!start)
    throw Error(in.where(in.has("near") ? "near" : "between"),
                fmt::format("the curves '{}' and '{}' have no common normal {}", name_1, name_2,
                            in.has("near") ? "near there" : "between their ends"));
  require_closed(
      in, builder, start->gap,
      fmt::format("the curves '{}' and '{}' are apart or overlap by {:.6g} m at the start; the nearest "
                  "points are {} and {} in the axes of '{}'",
                  name_1, name_2, start->gap, text(start->point_1), text(start->point_2), name_1));
  try {
    const bool searches = in.flag("search");
    if (searches || jumps(*curves.one) || jumps(*curves.two)) allow_restarts(builder);
    CurveContact joint(curves.one, curves.two, pair.axis, name_1, name_2, pair, *start);
    joint.set_site(std::move(site));
    if (searches) joint.search_others();
    if (line_B) joint.keep_parallel(*line_B);
    add(builder, std::move(joint), {start->eta_1, start->eta_2});
  } catch (const Error& e) {
    if (e.where().line != 0) throw;
    throw Error(in.where("between"), e.what());
  }
}

}  // namespace trammel::surface_contact
