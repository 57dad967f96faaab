#include "constant_velocity.hpp"

#include <algorithm>

#include "rates.hpp"
#include "trammel/plugin.hpp"

namespace trammel::constant_velocity {
namespace {

Parameter axis_of_B() {
  return Parameter::make(Parameter::Kind::vector3, "axis_B", "",
                         "direction of B's shaft in the world, at the start, where it is bent from `axis`");
}

/// Markers with e3 along the shafts; B's triad comes from A's by the swing from `axis` to `axis_B`, without twist.
JointSite read_shafts(const Parameters& in, Builder& builder, const JointRequirement& requirement) {
  JointSite site = read_joint_site(in, builder, requirement);
  if (!in.has("axis_B")) return site;
  const Mat3 R_WB = builder.initial(site.B).R_WM;
  const Vec3 axis_B = in.vector3("axis_B");
  if (!(axis_B.norm() > 0)) throw Error(in.where("axis_B"), "axis_B must not be zero");
  if (R_WB.col(2).dot(axis_B.normalized()) < -1 + 1e-9)
    throw Error(in.where("axis_B"),
                "the shafts are bent by half a turn: the direction of the bend is not defined");
  const Mat3 swing = Quaternion::FromTwoVectors(R_WB.col(2), axis_B).toRotationMatrix();
  site.B = site.B.offset(R_WB.transpose() * swing * R_WB);
  return site;
}

void add_objective(Registry& registry) {
  Type type = joint_type<ConstantVelocity>(
      "constant_velocity",
      "two shafts that turn alike at any bend; its coordinates are the bend's components", {axis_of_B()});
  type.degrees_of_freedom = 2;
  std::erase_if(type.parameters, [](const Parameter& p) { return p.name == "share"; });
  type.build = [](const Parameters& in, Builder& builder) {
    ConstantVelocity joint;
    joint.set_site(read_shafts(in, builder, ConstantVelocity::requirement));
    add_joint(in, builder, std::move(joint));
  };
  registry.add(std::move(type));
}

/// The frame's rotation block that a marker hangs on, if it does.
BlockId rotation_of(const Marker& m) { return m.is_rigid_frame() ? m.frame().rotation : no_block; }

void build_rates(const Parameters& in, Builder& builder) {
  JointSite site = read_shafts(in, builder, ConstantVelocity::requirement);
  Marker carrier = in.has("carrier") ? builder.marker(in, "carrier") : Marker::ground();
  if (carrier.is_point())
    throw Error(in.where("carrier"),
                "the carrier '" + carrier.name() + "' is a point, and has no angular velocity");
  for (const Marker* m : {&site.A, &site.B})
    if (rotation_of(carrier) != no_block && rotation_of(carrier) == rotation_of(*m))
      throw Error(in.where("carrier"), "the carrier '" + carrier.name() + "' is fixed in what '" + m->name() +
                                           "' is fixed in: the bearings of the shafts are on a third body");
  ConstantVelocityRates joint(std::move(site), std::move(carrier));
  std::vector<BlockId> stencil = joint.blocks();
  stencil.push_back(builder.add_multiplier("force", rows_of(Dimension::length, 3)));
  stencil.push_back(builder.add_velocity_multiplier("spin", rows_of(Dimension::spin, 1)));
  builder.add(std::move(joint), std::move(stencil));
}

void add_rates(Registry& registry) {
  Type type = joint_type(
      "constant_velocity_rates", "two shafts of equal spin relative to a carrier, at velocity level",
      ConstantVelocity::requirement,
      {axis_of_B(), Parameter::make(Parameter::Kind::marker, "carrier", "",
                                    "what the bearings of both shafts are fixed in; absent: the ground")},
      build_rates);
  type.degrees_of_freedom = 2;
  type.absolute = true;
  std::erase_if(type.parameters, [](const Parameter& p) { return p.name == "share"; });
  registry.add(std::move(type));
}

}  // namespace
}  // namespace trammel::constant_velocity

TRAMMEL_PLUGIN("constant_velocity", "0.2") {
  trammel::constant_velocity::add_objective(registry);
  trammel::constant_velocity::add_rates(registry);
}
