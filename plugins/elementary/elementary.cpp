#include "elementary.hpp"

#include <fmt/format.h>

#include "trammel/lie.hpp"
#include "trammel/plugin.hpp"

namespace trammel::elementary_joints {
namespace {

/// A point on something of A: A must have an orientation, B need not.
template <class J>
void add_point_on(Registry& registry, const char* name, const char* summary) {
  Type type = joint_type<J>(name, summary);
  type.degrees_of_freedom = 6 - J::equation_count;
  std::erase_if(type.parameters, [](const Parameter& p) { return p.name == "share"; });
  type.build = [](const Parameters& in, Builder& builder) {
    J joint;
    joint.set_site(read_joint_site(in, builder, J::requirement));
    const Marker& A = joint.site().A;
    if (A.is_point())
      throw Error(
          in.where("between"),
          "marker '" + A.name() + "' is a point without orientation, and the first of this joint needs one");
    add_joint(in, builder, std::move(joint));
  };
  registry.add(std::move(type));
}

void add_distance(Registry& registry) {
  const auto build = [](const Parameters& in, Builder& builder) {
    JointSite site = read_joint_site(in, builder, Distance::requirement);
    const double now = (builder.initial(site.B).p_WM - builder.initial(site.A).p_WM).norm();
    if (!(now > 0))
      throw Error(
          in.where("between"),
          fmt::format("the origins of '{}' and '{}' meet at the start: the direction between them is not "
                      "defined (a spherical joint keeps points together)",
                      site.A.name(), site.B.name()));
    FunctionPtr length = in.has("distance") ? in.function("distance") : constant_function(now);
    const double first = length->motion_at(0).value;
    if (!(first > 0))
      throw Error(in.where("distance"),
                  fmt::format("the distance must be positive, found {:.6g} m at t = 0", first));
    Distance joint(std::move(length));
    joint.set_site(std::move(site));
    add_joint(in, builder, std::move(joint));
  };
  Type type = joint_type(
      "distance", "keeps two points at a distance, fixed or a function of time", Distance::requirement,
      {Parameter::make(Parameter::Kind::function, "distance", "m",
                       "distance of the origins, a function of time; absent: that at the start")
           .such_as("1 + 0.1*sin(t)")},
      build);
  type.degrees_of_freedom = 5;
  std::erase_if(type.parameters, [](const Parameter& p) { return p.name == "rotation"; });
  registry.add(std::move(type));
}

void add_perpendicular(Registry& registry) {
  const auto build = [](const Parameters& in, Builder& builder) {
    JointSite site = read_joint_site(in, builder, PerpendicularAxes::requirement);
    const Vec3 axis = in.vector3("axis"), axis_B = in.vector3("axis_B");
    for (const char* name : {"axis", "axis_B"})
      if (!(in.vector3(name).norm() > 0))
        throw Error(in.where(name), std::string(name) + " must not be zero");
    const auto along = [&builder](Marker& m, const Vec3& direction) {
      m = m.offset(builder.initial(m).R_WM.transpose() *
                   Quaternion::FromTwoVectors(Vec3::UnitZ(), direction).toRotationMatrix());
    };
    const double cosine = axis.normalized().dot(axis_B.normalized());
    if (std::abs(cosine) > 1e-6 && !in.flag("assemble"))
      throw Error(
          in.where("axis_B"),
          fmt::format(
              "the axes are not perpendicular at the start: the cosine between them is {:.6g}; correct "
              "one, or give `assemble: yes` and a stage of type assemble",
              cosine));
    along(site.A, axis);
    along(site.B, axis_B);
    PerpendicularAxes joint;
    joint.set_site(std::move(site));
    add_joint(in, builder, std::move(joint));
  };
  Type type = joint_type("perpendicular_axes", "keeps an axis of B perpendicular to an axis of A",
                         PerpendicularAxes::requirement,
                         {Parameter::make(Parameter::Kind::vector3, "axis", "",
                                          "direction of A's axis in the world, at the start")
                              .such_as("[1, 2, 3]")
                              .must(),
                          Parameter::make(Parameter::Kind::vector3, "axis_B", "",
                                          "direction of B's axis in the world, at the start")
                              .such_as("[3, 0, -1]")
                              .must()},
                         build);
  type.degrees_of_freedom = 5;
  std::erase_if(type.parameters, [](const Parameter& p) { return p.name == "rotation"; });
  registry.add(std::move(type));
}

}  // namespace
}  // namespace trammel::elementary_joints

TRAMMEL_PLUGIN("elementary", "0.1") {
  using namespace trammel::elementary_joints;
  add_point_on<PointOnPlane>(registry, "point_on_plane", "keeps a point of B in a plane of A");
  add_point_on<PointOnLine>(registry, "point_on_line", "keeps a point of B on a line of A");
  add_distance(registry);
  trammel::Type parallel =
      trammel::joint_type<ParallelAxes>("parallel_axes", "keeps an axis of B parallel to an axis of A");
  parallel.degrees_of_freedom = 4;
  registry.add(std::move(parallel));
  add_perpendicular(registry);
}
