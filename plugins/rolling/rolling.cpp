#include <fmt/format.h>

#include "rolling_disc.hpp"
#include "trammel/plugin.hpp"

namespace trammel::rolling {
namespace {

constexpr JointRequirement requirement{JointAxes::own, false, true};

void build(const Parameters& in, Builder& builder) {
  JointSite site = read_joint_site(in, builder, requirement);
  const double radius = in.real("radius");
  const auto along = [&](Marker& m, const char* name) {
    const Vec3 direction = in.vector3(name);
    if (!(direction.norm() > 0)) throw Error(in.where(name), std::string(name) + " must not be zero");
    const Mat3 R_WM = builder.initial(m).R_WM;
    m = m.offset(R_WM.transpose() * Quaternion::FromTwoVectors(Vec3::UnitZ(), direction).toRotationMatrix());
  };
  along(site.A, "normal");
  along(site.B, "axis");

  const InitialMotion a = builder.initial(site.A), b = builder.initial(site.B);
  const Mat3 R_AB = a.R_WM.transpose() * b.R_WM;
  const double height = (a.R_WM.transpose() * (b.p_WM - a.p_WM))[2],
               wanted = RollingDisc::height(R_AB, radius);
  if (!(wanted > 1e-8 * radius))
    throw Error(in.where("axis"), "the disc lies flat on its plane at the start: the contact is not a point");
  if (!in.flag("assemble") && std::abs(height - wanted) > 1e-6 * std::max(1.0, builder.length()))
    throw Error(
        in.where(),
        fmt::format("the disc does not touch its plane at the start: its centre is {:.6g} m above it, and "
                    "should be {:.6g} m; correct the position, or give `assemble: yes` and a stage of type "
                    "assemble",
                    height, wanted));
  std::vector<BlockId> stencil = site.blocks();
  stencil.push_back(builder.add_multiplier("normal", rows_of(Dimension::length, 1)));
  stencil.push_back(builder.add_velocity_multiplier("slip", rows_of(Dimension::velocity, 2)));
  builder.add(RollingDisc(std::move(site), radius), std::move(stencil));
}

}  // namespace
}  // namespace trammel::rolling

TRAMMEL_PLUGIN("rolling", "0.1") {
  using namespace trammel;
  using Kind = Parameter::Kind;
  Type type = joint_type(
      "rolling_disc", "a disc of B rolls without slip on a plane of A", rolling::requirement,
      {Parameter::make(Kind::real, "radius", "m", "radius of the disc").positive().such_as("0.3").must(),
       Parameter::make(Kind::vector3, "axis", "", "axis of the disc in the world, at the start")
           .such_as("[0, 1, 0]")
           .must(),
       Parameter::make(Kind::vector3, "normal", "",
                       "normal of the plane in the world, at the start, towards the disc")
           .defaults("[0, 0, 1]")},
      rolling::build);
  type.degrees_of_freedom = 3;
  std::erase_if(type.parameters, [](const Parameter& p) { return p.name == "rotation"; });
  registry.add(std::move(type));
}
