#include "prescribed_frame.hpp"

#include <algorithm>

#include "trammel/moving_marker.hpp"
#include "trammel/plugin.hpp"

namespace trammel::prescribed_frame {
namespace {

std::array<FunctionPtr, 3> three(const Parameters& in, std::string_view name) {
  std::array<FunctionPtr, 3> list;
  if (in.has(name)) std::ranges::copy(in.functions(name), list.begin());
  return list;
}

void build(const Parameters& in, Builder& builder) {
  constexpr JointRequirement requirement{JointAxes::common, true, true};
  JointSite site = read_joint_site(in, builder, requirement);

  RotationLaw law;
  law.vector = three(in, "rotation_vector");
  if (in.has("axis") != in.has("angle") || (in.has("angle") && in.has("rotation_vector")))
    throw Error(in.where(),
                "the rotation is prescribed either by 'axis' and 'angle' or by 'rotation_vector'");
  if (in.has("angle")) {
    law.axis = in.vector3("axis");
    if (!(law.axis.norm() > 0)) throw Error(in.where("axis"), "the axis of a rotation has no direction");
    law.angle = in.function("angle");
  }
  const Marker still = site.A;
  site.A = moving_marker(still, three(in, "translation"), law).named(still.name());

  if (!in.flag("assemble")) {
    const InitialMotion a = builder.initial(site.A), b = builder.initial(site.B);
    JointTerms<6, 0> terms;
    PrescribedFrame().terms({a.R_WM.transpose() * b.R_WM, a.R_WM.transpose() * (b.p_WM - a.p_WM), {}, 0},
                            false, terms);
    detail::require_closed(in, {terms.C.data(), 6}, rows_of(PrescribedFrame::dimensions), builder.length());
  }
  std::vector<BlockId> stencil = site.blocks();
  PrescribedFrame joint;
  joint.set_site(std::move(site));
  stencil.push_back(builder.add_multiplier("multipliers", rows_of(PrescribedFrame::dimensions)));
  builder.add(std::move(joint), std::move(stencil));
}

}  // namespace
}  // namespace trammel::prescribed_frame

TRAMMEL_PLUGIN("prescribed_frame", "0.1") {
  using trammel::Parameter;
  using Kind = Parameter::Kind;
  trammel::Type type;
  type.name = "prescribed_frame";
  type.degrees_of_freedom = 0;
  type.category = trammel::Type::Category::joint;
  type.summary = "moves marker B relative to A as functions of time say";
  type.parameters = trammel::joint_parameters(
      {trammel::JointAxes::common, true, true},
      {Parameter::make(Kind::functions, "translation", "m", "of B's origin, in the joint's axes on A")
           .such_as("[0.1*t, 0, sin(t)]"),
       Parameter::make(Kind::functions, "rotation_vector", "rad", "components of B's rotation vector")
           .such_as("[0, t, 0.2*t^2]"),
       Parameter::make(Kind::vector3, "axis", "", "fixed axis of rotation in the joint's axes, with `angle`"),
       Parameter::make(Kind::function, "angle", "rad", "about `axis`")});
  type.build = trammel::prescribed_frame::build;
  registry.add(std::move(type));
}
