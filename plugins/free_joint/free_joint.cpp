#include "free_joint.hpp"

#include "trammel/plugin.hpp"

namespace trammel::free_joint {
namespace {

void build(const Parameters& in, Builder& builder) {
  JointSite site = read_joint_site(in, builder, Free::requirement);
  builder.offer_signal("angle_1", std::make_shared<RotationSignal<TaitBryan<0>>>(site));
  builder.offer_signal("angle_2", std::make_shared<RotationSignal<TaitBryan<1>>>(site));
  builder.offer_signal("angle_3", std::make_shared<RotationSignal<TaitBryan<2>>>(site));
  builder.offer_signal("twist", std::make_shared<RotationSignal<Twist>>(site));
  if (!in.flag("coordinate")) {
    std::vector<BlockId> stencil = site.blocks();
    builder.add(Observer(std::move(site)), std::move(stencil));
    return;
  }
  Free joint;
  joint.set_site(std::move(site));
  add_joint(in, builder, std::move(joint));
}

}  // namespace
}  // namespace trammel::free_joint

TRAMMEL_PLUGIN("free_joint", "0.1") {
  using namespace trammel;
  Type type = joint_type(
      "free", "no constraint: measures the relative motion; its coordinates are the three displacements",
      free_joint::Free::requirement,
      {Parameter::make(Parameter::Kind::flag, "coordinate", "",
                       "no: do without the coordinates `slide_1`, `slide_2`, `slide_3`, and only look")
           .defaults("yes")},
      free_joint::build);
  type.degrees_of_freedom = 6;
  registry.add(std::move(type));
}
