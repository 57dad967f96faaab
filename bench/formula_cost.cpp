// Cost of one evaluation of a joint by formula in a case: its residual, and its residual with the tangent, beside the same
// formula compiled. Prints one table.

#include <string>
#include <vector>

#include "joint_crowd.hpp"
#include "kernel/loader.hpp"
#include "trammel/constraint.hpp"

namespace {

using namespace trammel;
using bench::Compared;

/// The joint of sdk/template/my_joint.cpp.
struct Bowl : Constraint<Bowl, 1> {
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  double a = 0.5, b = 0.8;
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Vec3T<S>& p = x.p_AB_A;
    C[0] = p[2] - p[0] * p[0] / (2 * a) - p[1] * p[1] / (2 * b);
  }
};

struct Revolute : Constraint<Revolute, 6, 1> {
  static constexpr std::array<Dimension, 6> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle,
                                                       Dimension::angle,  Dimension::angle};
  static constexpr std::array<CoordinateName, 1> coordinate_names{{{"angle", "rad", Measure::angle()}}};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Mat3T<S>& g = x.R_AB;
    C.template head<3>() = x.p_AB_A;
    C[3] = g(2, 0);
    C[4] = g(2, 1);
    C[5] = g(0, 0) * sin(x.c[0]) + g(0, 1) * cos(x.c[0]);
  }
};

/// On an ellipsoid, with the point of contact in B: products of positions and entries of R.
struct Ellipsoid : Constraint<Ellipsoid, 1> {
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Vec3T<S>& p = x.p_AB_A;
    const Mat3T<S>& g = x.R_AB;
    const S u = p[0] + 0.1 * g(0, 2), v = p[1] + 0.1 * g(1, 2), w = p[2] + 0.1 * g(2, 2);
    C[0] = sqrt(u * u / 4.0 + v * v / 2.25 + w * w) - 1;
  }
};

}  // namespace

int main(int argc, char** argv) {
  Registry registry;
  Loader loader(registry);
  loader.load(TRAMMEL_PLUGIN_DIR "/formula.so");
  const Type formula = registry.get(Type::Category::joint, "formula", {});
  const std::vector<Compared> joints{
      {"bowl",
       {joint_type<Bowl>("bowl", ""), ""},
       {formula,
        ", parameters: {a: 0.5, b: 0.8}, equations: [{zero: p.z - p.x^2/(2*a) - p.y^2/(2*b), measures: "
        "length}]"}},
      {"revolute",
       {joint_type<Revolute>("revolute", ""), ""},
       {formula,
        ", coordinates: {angle: {measures: angle}}, equations: [{zero: p.x, measures: length}, "
        "{zero: p.y, measures: length}, {zero: p.z, measures: length}, {zero: R.zx, measures: angle}, "
        "{zero: R.zy, measures: angle}, {zero: R.xx*sin(angle) + R.xy*cos(angle), measures: angle}]"}},
      {"ellipsoid",
       {joint_type<Ellipsoid>("ellipsoid", ""), ""},
       {formula,
        ", equations: [{zero: sqrt((p.x + 0.1*R.xz)^2/4 + (p.y + 0.1*R.yz)^2/2.25 + (p.z + 0.1*R.zz)^2) - 1, "
        "measures: length}]"}},
  };
  return bench::compare(argc, argv, "compiled", "formula", joints);
}
