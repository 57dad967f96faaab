#include "joints.hpp"
#include "trammel/plugin.hpp"

namespace trammel::lower_pairs {
namespace {

Type joint(std::string name, std::string summary, const JointDemand& demand,
           std::vector<Parameter> own = {}) {
  Type type;
  type.name = std::move(name);
  type.category = Type::Category::joint;
  type.summary = std::move(summary);
  type.parameters = joint_parameters(demand, std::move(own));
  return type;
}

void add_spherical(Registry& registry) {
  static constexpr JointDemand demand{JointAxes::common, true, false};
  Type type = joint("spherical", "keeps two points together; all rotations are free", demand);
  type.build = [](const Parameters& in, Builder& builder) {
    JointSite site = read_joint_site(in, builder, demand);
    site.share(in, builder, true, false);
    std::vector<BlockId> stencil = site.blocks();
    add_meeting_joint(builder, Spherical(std::move(site)), std::move(stencil));
  };
  registry.add(std::move(type));
}

void add_fixed(Registry& registry) {
  static constexpr JointDemand demand{JointAxes::common, true, true};
  Type type = joint("fixed", "connects two frames rigidly, as they stand at the start", demand);
  type.build = [](const Parameters& in, Builder& builder) {
    JointSite site = read_joint_site(in, builder, demand);
    site.share(in, builder, true, true);
    std::vector<BlockId> stencil = site.blocks();
    add_meeting_joint(builder, Fixed(std::move(site)), std::move(stencil));
  };
  registry.add(std::move(type));
}

void add_revolute(Registry& registry) {
  static constexpr JointDemand demand{JointAxes::along_axis, true, true};
  Type type =
      joint("revolute", "lets B turn about e3 of A; its coordinate is the angle", demand,
            {Parameter::make(Parameter::Kind::flag, "coordinate", "",
                             "no: do without the coordinate `angle`, on which springs and motions hang")
                 .defaults("yes")});
  type.build = [](const Parameters& in, Builder& builder) {
    JointSite site = read_joint_site(in, builder, demand);
    const InitialMotion a = builder.initial(site.A), b = builder.initial(site.B);
    site.share(in, builder, true, false);
    std::vector<BlockId> stencil = site.blocks();
    if (!in.flag("coordinate")) {
      add_meeting_joint(builder, Revolute<false>(std::move(site)), std::move(stencil));
      return;
    }
    const double angle = 0;
    const double rate = b.twist[5] - (b.R_WM.transpose() * a.R_WM * a.twist.tail<3>())[2];
    stencil.push_back(builder.add_block(BlockKind::coordinate, "angle", {&angle, 1}, {&rate, 1}, "rad"));
    builder.offer_coordinate("angle", "rad", stencil.back());
    add_meeting_joint(builder, Revolute<true>(std::move(site)), std::move(stencil));
  };
  registry.add(std::move(type));
}

}  // namespace
}  // namespace trammel::lower_pairs

TRAMMEL_PLUGIN("lower_pairs", "0.1") {
  using namespace trammel::lower_pairs;
  add_spherical(registry);
  add_fixed(registry);
  add_revolute(registry);
}
