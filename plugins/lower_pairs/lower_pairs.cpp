#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "joints.hpp"
#include "spherical.hpp"
#include "trammel/joint_assembly.hpp"
#include "trammel/plugin.hpp"

namespace trammel::lower_pairs {
namespace {

constexpr JointRequirement about_axis{JointAxes::along_axis, true, true};
constexpr JointRequirement sliding{JointAxes::along_axis, true, true, true};
constexpr double tolerance = 1e-6;  // of angles [rad], and of the model's length

Type joint(std::string name, std::string summary, int degrees_of_freedom, const JointRequirement& requirement,
           std::vector<Parameter> own = {}) {
  if (requirement.axes == JointAxes::along_axis)
    own.insert(own.begin(),
               Parameter::make(Parameter::Kind::vector3, "axis_B", "",
                               "direction of B's e3 at the start, where it is not yet along `axis`"));
  Type type = joint_type(std::move(name), std::move(summary), requirement, std::move(own), {});
  type.degrees_of_freedom = degrees_of_freedom;
  return type;
}

Parameter coordinate_flag(const char* without) {
  return Parameter::make(Parameter::Kind::flag, "coordinate", "",
                         std::string("no: do without ") + without + ", on which springs and motions hang")
      .defaults("yes");
}

/// The markers of a joint with an axis: those of the common parameters, B's turned to `axis_B`.
JointSite read_site(const Parameters& in, Builder& builder, const JointRequirement& requirement) {
  JointSite site = read_joint_site(in, builder, requirement);
  if (!in.has("axis_B")) return site;
  if (!in.has("axis")) throw Error(in.where("axis_B"), "`axis_B` is given beside `axis`, which is missing");
  const Vec3 axis = in.vector3("axis").normalized(), axis_B = in.vector3("axis_B");
  if (!(axis_B.norm() > 0)) throw Error(in.where("axis_B"), "axis_B must not be zero");
  const double angle = std::atan2(axis.cross(axis_B).norm(), axis.dot(axis_B));
  constexpr double degree = std::numbers::pi / 180;
  if (angle >= 0.5 * std::numbers::pi)
    throw Error(
        in.where("axis_B"),
        fmt::format("the joint would start on the wrong branch: the axes of '{}' and '{}' point away from "
                    "each other, by {:.6g} degrees; give the opposite direction for one of them",
                    site.A.name(), site.B.name(), angle / degree));
  if (angle > tolerance && !in.flag("assemble"))
    throw Error(
        in.where("axis_B"),
        fmt::format("the axes of '{}' and '{}' are {:.6g} degrees apart at the start; correct one, or give "
                    "`assemble: yes` and a stage of type assemble that closes the joint",
                    site.A.name(), site.B.name(), angle / degree));
  const Mat3 R_WB = builder.initial(site.B).R_WM;
  const Mat3 turn = Quaternion::FromTwoVectors(axis, axis_B).toRotationMatrix();
  site.B = site.B.offset(R_WB.transpose() * turn * R_WB);
  return site;
}

/// Puts a joint between its markers, and adds it to the model.
template <class J>
void add_pair(const Parameters& in, Builder& builder, JointSite site, J joint) {
  joint.set_site(std::move(site));
  add_joint(in, builder, std::move(joint));
}

void add_spherical(Registry& registry) {
  static constexpr JointRequirement requirement{JointAxes::common, true, false};
  Type type = joint("spherical", "keeps two points together; all rotations are free", 3, requirement);
  type.build = [](const Parameters& in, Builder& builder) {
    JointSite site = read_joint_site(in, builder, requirement);
    add_pair(in, builder, std::move(site), Spherical());
  };
  registry.add(std::move(type));
}

void add_fixed(Registry& registry) {
  static constexpr JointRequirement requirement{JointAxes::common, true, true};
  Type type = joint("fixed", "connects two frames rigidly, as they stand at the start", 0, requirement);
  type.build = [](const Parameters& in, Builder& builder) {
    JointSite site = read_joint_site(in, builder, requirement);
    add_pair(in, builder, std::move(site), Fixed());
  };
  registry.add(std::move(type));
}

void add_revolute(Registry& registry) {
  Type type = joint("revolute", "lets B turn about e3 of A; its coordinate is the angle", 1, about_axis,
                    {coordinate_flag("the coordinate `angle`")});
  type.build = [](const Parameters& in, Builder& builder) {
    JointSite site = read_site(in, builder, about_axis);
    if (in.flag("coordinate"))
      add_pair(in, builder, std::move(site), Revolute<true>());
    else
      add_pair(in, builder, std::move(site), Revolute<false>());
  };
  registry.add(std::move(type));
}

/// Throws Error where B lies at the start where the joint does not let it be.
void require_on_the_way(const Parameters& in, const Builder& builder, const JointSite& site,
                        const Vec3& p_AB_A, Slides slides) {
  Vec3 off = p_AB_A;
  off.segment(slides.first, slides.count).setZero();
  if (in.flag("assemble") || off.norm() <= tolerance * std::max(1.0, builder.length())) return;
  const char* where = slides.count == 2 ? "in the joint's plane: they are {:.6g} m apart along its normal"
                                        : "on the joint's axis: they are {:.6g} m apart across it";
  throw Error(
      in.where("between"),
      fmt::format("markers '{}' and '{}' do not lie {}; correct the positions, or give `assemble: yes` and "
                  "a stage of type assemble that closes the joint",
                  site.A.name(), site.B.name(), fmt::format(fmt::runtime(where), off.norm())));
}

/// Adds a sliding joint; `With` has coordinates, `Without` has none.
template <class With, class Without>
void build_sliding(const Parameters& in, Builder& builder, Slides slides) {
  JointSite site = read_site(in, builder, sliding);
  const Vec3 p_AB_A = relative_start(builder, site).p_AB_A;
  require_on_the_way(in, builder, site, p_AB_A, slides);
  if constexpr (With::has_thread) {
    const double pitch = in.real("pitch");
    if (pitch == 0)
      throw Error(in.where("pitch"),
                  "the pitch of a screw must not be zero (a revolute joint does not advance)");
    add_pair(in, builder, std::move(site), With(pitch / (2 * std::numbers::pi), p_AB_A[2]));
  } else if (in.flag("coordinate")) {
    add_pair(in, builder, std::move(site), With());
  } else {
    add_pair(in, builder, std::move(site), Without());
  }
}

void add_prismatic(Registry& registry) {
  Type type = joint("prismatic", "lets B slide along e3 of A; its coordinate is the slide", 1, sliding,
                    {coordinate_flag("the coordinate `slide`")});
  type.build = [](const Parameters& in, Builder& builder) {
    build_sliding<Prismatic<true>, Prismatic<false>>(in, builder, {2, 1, true});
  };
  registry.add(std::move(type));
}

void add_cylindrical(Registry& registry) {
  Type type = joint("cylindrical",
                    "lets B turn about e3 of A and slide along it; its coordinates are angle and slide", 2,
                    sliding, {coordinate_flag("the coordinates `angle` and `slide`")});
  type.build = [](const Parameters& in, Builder& builder) {
    build_sliding<Cylindrical<true>, Cylindrical<false>>(in, builder, {2, 1, true});
  };
  registry.add(std::move(type));
}

void add_screw(Registry& registry) {
  Type type = joint("screw", "lets B turn about e3 of A and advance by the pitch at each turn", 1, sliding,
                    {Parameter::make(Parameter::Kind::real, "pitch", "m",
                                     "slide of a whole turn; negative for a left-hand thread")
                         .such_as("0.01")
                         .must()});
  type.build = [](const Parameters& in, Builder& builder) {
    build_sliding<Screw, Screw>(in, builder, {2, 1, true});
  };
  registry.add(std::move(type));
}

void add_planar(Registry& registry) {
  Type type = joint("planar",
                    "keeps B in the plane normal to e3 of A; its coordinates are slide_1, slide_2 and angle",
                    3, sliding, {coordinate_flag("the coordinates `slide_1`, `slide_2` and `angle`")});
  type.build = [](const Parameters& in, Builder& builder) {
    build_sliding<Planar<true>, Planar<false>>(in, builder, {0, 2, true});
  };
  registry.add(std::move(type));
}

}  // namespace
}  // namespace trammel::lower_pairs

TRAMMEL_PLUGIN("lower_pairs", "0.2") {
  using namespace trammel::lower_pairs;
  add_spherical(registry);
  add_fixed(registry);
  add_revolute(registry);
  add_prismatic(registry);
  add_cylindrical(registry);
  add_screw(registry);
  add_planar(registry);
}
