#include <cmath>

#include <fmt/format.h>

#include "contact_joint.hpp"
#include "curve_contact.hpp"
#include "point_on_surface.hpp"
#include "sliding_plane.hpp"
#include "trammel/plugin.hpp"

namespace trammel::surface_contact {
namespace {

using Kind = Parameter::Kind;

std::string text(const Vec3& p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p.x(), p.y(), p.z()); }

const Value& pair_of(const Parameters& in, const char* of_what) {
  const Value* between = in.value("between");
  if (between == nullptr || !between->is_sequence() || between->items.size() != 2)
    throw Error(in.where("between"), fmt::format("'between' must be a list of {}", of_what));
  return *between;
}

/// A gap that the case does not allow is refused.
void require_closed(const Parameters& in, const Builder& builder, double gap, const std::string& what) {
  if (std::abs(gap) > 1e-6 * std::max(1.0, builder.length()) && !in.flag("assemble"))
    throw Error(in.where("between"),
                what + "; correct the position, or give `assemble: yes` and a stage of type assemble");
}

/// Adds the joint's blocks and the joint, which starts with the coordinates c and rates of least norm.
template <class J>
void add(Builder& builder, J joint, const Eigen::Matrix<double, J::coordinate_count, 1>& c) {
  std::vector<BlockId> stencil = joint.site().blocks();
  if constexpr (J::coordinate_count > 0) {
    const RelativeStart motion = relative_start(builder, joint.site());
    typename J::Terms terms(false);
    joint.terms({motion.R_AB, motion.p_AB_A, c, 0}, false, terms);
    J::complete(terms);
    const Eigen::VectorXd rates = coordinate_rates(terms.view(), motion.twist);
    const BlockId block = builder.add_coordinates("coordinates", {c.data(), J::coordinate_count},
                                                  {rates.data(), J::coordinate_count}, joint.measures(), "");
    for (int i = 0; i < J::coordinate_count; ++i)
      builder.offer_coordinate(J::coordinate_names[static_cast<std::size_t>(i)].name, "", block, i);
    stencil.push_back(block);
  }
  stencil.push_back(builder.add_multiplier("multipliers", rows_of(J::dimensions)));
  builder.add(std::move(joint), std::move(stencil));
}

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

void build_contact(const Parameters& in, Builder& builder) {
  const Value& between = pair_of(in, "two surfaces");
  Surfaces surfaces{find_surface(builder, between.items[0]).surface,
                    find_surface(builder, between.items[1]).surface, between.items[0].text,
                    between.items[1].text};
  JointSite site = read_joint_site(in, builder, ContactJoint::demand);
  const RelativeStart motion = relative_start(builder, site);
  const SurfacePair pair{*surfaces.one, *surfaces.two, motion.R_AB, motion.p_AB_A};
  const CommonNormal start = start_of(in, pair, surfaces);
  require_closed(
      in, builder, start.gap,
      fmt::format("the surfaces '{}' and '{}' {} {:.6g} m at the start; the nearest points are {} and {} in "
                  "the axes of '{}'",
                  surfaces.name_1, surfaces.name_2, start.gap > 0 ? "are apart by" : "overlap by",
                  std::abs(start.gap), text(start.point_1), text(start.point_2), surfaces.name_1));
  try {
    require_single_point(surfaces, pair, start.one, start.two);
  } catch (const Error& e) {
    throw Error(in.where("between"), e.what());
  }
  if (in.text("formulation") == "sliding_plane") {
    SlidingPlane joint(surfaces, start);
    joint.set_site(std::move(site));
    add(builder, std::move(joint), {});
  } else {
    ContactJoint joint(surfaces);
    joint.set_site(std::move(site));
    add(builder, std::move(joint), {start.one.u, start.one.v, start.two.u, start.two.v});
  }
}

void build_point(const Parameters& in, Builder& builder) {
  const Value& between = pair_of(in, "a surface and a marker");
  const std::shared_ptr<const Surface> surface = find_surface(builder, between.items[0]).surface;
  PointOnSurface joint(surface, between.items[0].text);
  joint.set_site(read_joint_site(in, builder, PointOnSurface::demand));
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
                  joint.site().B.name(), (p - there).norm(), between.items[0].text, text(there), at.u, at.v));
  add(builder, std::move(joint), {at.u, at.v});
}

void build_curves(const Parameters& in, Builder& builder) {
  const Value& between = pair_of(in, "two curves");
  const PlacedCurve one = find_curve(builder, between.items[0]), two = find_curve(builder, between.items[1]);
  const std::string &name_1 = between.items[0].text, &name_2 = between.items[1].text;
  const Vec3 axis = in.vector3("axis");
  if (!(axis.norm() > 0)) throw Error(in.where("axis"), "'axis' must not be zero");
  JointSite site = read_joint_site(in, builder, CurveContact::demand);
  const RelativeStart motion = relative_start(builder, site);
  const CurvePair pair{*one.curve, *two.curve, axis.normalized(), motion.R_AB, motion.p_AB_A};
  std::optional<CurveNormal> start;
  if (in.has("near")) {
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
    CurveContact joint(one.curve, two.curve, pair.axis, name_1, name_2, pair, *start);
    joint.set_site(std::move(site));
    add(builder, std::move(joint), {start->eta_1, start->eta_2});
  } catch (const Error& e) {
    if (e.where().line != 0) throw;
    throw Error(in.where("between"), e.what());
  }
}

Type contact_type(const char* name, const char* summary, const JointDemand& demand, const char* between,
                  std::vector<Parameter> own, void (*build)(const Parameters&, Builder&)) {
  Type type = joint_type(name, summary, demand, std::move(own), build);
  std::erase_if(type.parameters, [](const Parameter& p) {
    return p.name == "rotation" || p.name == "position" || p.name == "between";
  });
  type.parameters.insert(type.parameters.begin(), Parameter::make(Kind::list, "between", "", between).must());
  type.freedoms = 5;
  return type;
}

}  // namespace
}  // namespace trammel::surface_contact

TRAMMEL_PLUGIN("surface_contact", "0.1") {
  using namespace trammel::surface_contact;
  using trammel::Parameter;
  const auto near = [](const char* doc) { return Parameter::make(Parameter::Kind::reals, "near", "", doc); };
  registry.add(contact_type(
      "surface_contact", "lets two surfaces slide on one another; u1, v1, u2, v2 say where",
      ContactJoint::demand, "the two surfaces",
      {Parameter::make(
           Parameter::Kind::choice, "formulation", "",
           "parameters: five equations, and the parameters are coordinates; sliding_plane: one equation, "
           "and the parameters follow from the positions")
           .one_of({"parameters", "sliding_plane"})
           .defaults("parameters"),
       near("parameters [u1, v1, u2, v2] near which the contact starts")},
      build_contact));
  registry.add(contact_type("curve_contact",
                            "lets two curves slide on one another in a plane; coordinates: eta1, eta2",
                            CurveContact::demand, "the two curves",
                            {Parameter::make(Parameter::Kind::vector3, "axis", "",
                                             "across the plane, in the axes of the first curve")
                                 .defaults("[0, 0, 1]"),
                             near("parameters [eta1, eta2] near which the contact starts")},
                            build_curves));
  registry.add(contact_type("point_on_surface", "lets a point slide on a surface; coordinates: u, v",
                            PointOnSurface::demand, "the surface, and the marker B that slides on it",
                            {near("parameters [u, v] near which the point starts")}, build_point));
}
