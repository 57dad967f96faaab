#include "universal.hpp"

#include <fmt/format.h>

#include "trammel/plugin.hpp"

namespace trammel::universal {
namespace {

/// The triad with e3 along `bar` and e1 along `across`.
Mat3 triad(const Vec3& bar, const Vec3& across) {
  Mat3 R;
  R << across, bar.cross(across), bar;
  return R;
}

void build(const Parameters& in, Builder& builder) {
  const Eigen::MatrixXd bars = in.matrix("bars", 2, 3);
  std::array<Vec3, 2> bar{bars.row(0).transpose(), bars.row(1).transpose()};
  for (Vec3& b : bar) {
    if (!(b.norm() > 0)) throw Error(in.where("bars"), "a bar of the cross must not be zero");
    b.normalize();
  }
  const double skewness = std::abs(bar[0].dot(bar[1]));
  if (skewness > 1e-6)
    throw Error(
        in.where("bars"),
        fmt::format("the bars of the cross must be perpendicular, but the cosine between them is {:.6g}",
                    skewness));
  bar[1] = (bar[1] - bar[0] * bar[0].dot(bar[1])).normalized();

  JointSite site = read_joint_site(in, builder, Universal::requirement);
  site.A = site.A.offset(builder.initial(site.A).R_WM.transpose() * triad(bar[0], bar[1]));
  site.B = site.B.offset(builder.initial(site.B).R_WM.transpose() * triad(bar[1], bar[0]));
  Universal joint;
  joint.set_site(std::move(site));
  add_joint(in, builder, std::move(joint));
}

}  // namespace
}  // namespace trammel::universal

TRAMMEL_PLUGIN("universal", "0.1") {
  using namespace trammel;
  Type type = joint_type(
      "universal",
      "two bodies on the perpendicular bars of a cross; its coordinates are the two angles about them",
      universal::Universal::requirement,
      {Parameter::make(Parameter::Kind::matrix, "bars", "",
                       "directions at the start of the bar that A turns on, and of the one that B turns on")
           .such_as("[[1, 2, 2], [2, 1, -2]]")
           .must()},
      universal::build);
  type.degrees_of_freedom = 2;
  // The bars say how the axes lie; the multipliers are kept.
  std::erase_if(type.parameters,
                [](const Parameter& p) { return p.name == "rotation" || p.name == "share"; });
  registry.add(std::move(type));
}
