#include "building.hpp"
#include "clearance_joints.hpp"
#include "contact_joint.hpp"
#include "curve_contact.hpp"
#include "curve_on_surface.hpp"
#include "point_on_surface.hpp"

namespace trammel::surface_contact {
namespace {

using Kind = Parameter::Kind;

void build_contact(const Parameters& in, Builder& builder) {
  const Value& between = pair_of(in, "two surfaces");
  const Surfaces surfaces{find_surface(builder, between.items[0]).surface,
                          find_surface(builder, between.items[1]).surface, between.items[0].text,
                          between.items[1].text};
  slide_surfaces(in, builder, read_joint_site(in, builder, ContactJoint::requirement), surfaces);
}

void build_point(const Parameters& in, Builder& builder) {
  const Value& between = pair_of(in, "a surface and a marker");
  const std::shared_ptr<const Surface> surface = find_surface(builder, between.items[0]).surface;
  slide_point_on_surface(in, builder, read_joint_site(in, builder, PointOnSurface::requirement), surface,
                         between.items[0].text);
}

void build_curve_on_surface(const Parameters& in, Builder& builder) {
  const Value& between = pair_of(in, "a surface and a curve");
  const std::shared_ptr<const Surface> surface = find_surface(builder, between.items[0]).surface;
  const std::shared_ptr<const Curve> curve = find_curve(builder, between.items[1]).curve;
  slide_curve_on_surface(in, builder, read_joint_site(in, builder, CurveOnSurface::requirement), surface,
                         curve, between.items[0].text, between.items[1].text);
}

void build_curves(const Parameters& in, Builder& builder) {
  const Value& between = pair_of(in, "two curves");
  const PlacedCurve one = find_curve(builder, between.items[0]), two = find_curve(builder, between.items[1]);
  const Vec3 axis = in.vector3("axis");
  if (!(axis.norm() > 0)) throw Error(in.where("axis"), "'axis' must not be zero");
  slide_curves(in, builder, read_joint_site(in, builder, CurveContact::requirement),
               {one.curve, two.curve, between.items[0].text, between.items[1].text, axis.normalized()});
}

Type contact_type(const char* name, const char* summary, const JointRequirement& requirement,
                  const char* between, std::vector<Parameter> own,
                  void (*build)(const Parameters&, Builder&)) {
  Type type = joint_type(name, summary, requirement, std::move(own), build);
  std::erase_if(type.parameters, [](const Parameter& p) {
    return p.name == "rotation" || p.name == "position" || p.name == "between";
  });
  type.parameters.insert(type.parameters.begin(), Parameter::make(Kind::list, "between", "", between).must());
  type.degrees_of_freedom = 5;
  type.evaluation_cost = 15;
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
      ContactJoint::requirement, "the two surfaces",
      {Parameter::make(
           Parameter::Kind::choice, "formulation", "",
           "parameters: five equations, and the parameters are coordinates; sliding_plane: one equation, "
           "and the parameters follow from the positions")
           .one_of({"parameters", "sliding_plane"})
           .defaults("parameters"),
       near("parameters [u1, v1, u2, v2] near which the contact starts"), search_parameter()},
      build_contact));
  registry.add(contact_type(
      "curve_contact", "lets two curves slide on one another in a plane; coordinates: eta1, eta2",
      CurveContact::requirement, "the two curves",
      {Parameter::make(Parameter::Kind::vector3, "axis", "",
                       "across the plane, in the axes of the first curve")
           .defaults("[0, 0, 1]"),
       near("parameters [eta1, eta2] near which the contact starts"), search_parameter()},
      build_curves));
  registry.add(contact_type("curve_on_surface", "lets a curve slide on a surface; coordinates: u, v, eta",
                            CurveOnSurface::requirement, "the surface, and the curve that slides on it",
                            {near("parameters [u, v, eta] near which the contact starts")},
                            build_curve_on_surface));
  registry.add(contact_type("point_on_surface", "lets a point slide on a surface; coordinates: u, v",
                            PointOnSurface::requirement, "the surface, and the marker B that slides on it",
                            {near("parameters [u, v] near which the point starts")}, build_point));
  add_clearances(registry);
}
