// Cost of one evaluation of a joint: its residual, and its residual with the tangent. The lower pairs as the plugin has
// them by hand, and the same equations as one formula each, differentiated automatically. Prints one table.

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "joint_crowd.hpp"
#include "kernel/loader.hpp"
#include "trammel/constraint.hpp"

namespace {

using namespace trammel;
using bench::Compared;

// The rotation laws of the lower pairs.

template <class R, class C>
void same_rotation(const R& g, C&& out) {
  using std::sqrt;
  const auto root = sqrt(1.0 + g(0, 0) + g(1, 1) + g(2, 2));
  out[0] = (g(2, 1) - g(1, 2)) / root;
  out[1] = (g(0, 2) - g(2, 0)) / root;
  out[2] = (g(1, 0) - g(0, 1)) / root;
}

template <class R, class S, class C>
void about_axis(const R& g, const S& angle, C&& out) {
  using std::cos;
  using std::sin;
  out[0] = g(2, 0);
  out[1] = g(2, 1);
  out[2] = g(0, 0) * sin(angle) + g(0, 1) * cos(angle);
}

struct Spherical : Constraint<Spherical, 3> {
  static constexpr std::array<Dimension, 3> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C = x.p_AB_A;
  }
};

struct Fixed : Constraint<Fixed, 6> {
  static constexpr std::array<Dimension, 6> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle,
                                                       Dimension::angle,  Dimension::angle};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C.template head<3>() = x.p_AB_A;
    same_rotation(x.R_AB, C.template tail<3>());
  }
};

struct Revolute : Constraint<Revolute, 6, 1> {
  static constexpr std::array<Dimension, 6> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle,
                                                       Dimension::angle,  Dimension::angle};
  static constexpr std::array<CoordinateName, 1> coordinate_names{{{"angle", "rad", Measure::angle()}}};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C.template head<3>() = x.p_AB_A;
    about_axis(x.R_AB, x.c[0], C.template tail<3>());
  }
};

struct Prismatic : Constraint<Prismatic, 6, 1> {
  static constexpr std::array<Dimension, 6> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle,
                                                       Dimension::angle,  Dimension::angle};
  static constexpr std::array<CoordinateName, 1> coordinate_names{{{"slide", "m", Measure::length()}}};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C.template head<3>() = x.p_AB_A;
    C[2] = C[2] - x.c[0];
    same_rotation(x.R_AB, C.template tail<3>());
  }
};

struct Cylindrical : Constraint<Cylindrical, 6, 2> {
  static constexpr std::array<Dimension, 6> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle,
                                                       Dimension::angle,  Dimension::angle};
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"angle", "rad", Measure::angle()}, {"slide", "m", Measure::length()}}};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C.template head<3>() = x.p_AB_A;
    C[2] = C[2] - x.c[1];
    about_axis(x.R_AB, x.c[0], C.template tail<3>());
  }
};

struct Screw : Constraint<Screw, 7, 2> {
  static constexpr std::array<Dimension, 7> dimensions{
      Dimension::length, Dimension::length, Dimension::length, Dimension::angle,
      Dimension::angle,  Dimension::angle,  Dimension::length};
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"angle", "rad", Measure::angle()}, {"slide", "m", Measure::length()}}};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C.template head<3>() = x.p_AB_A;
    C[2] = C[2] - x.c[1];
    about_axis(x.R_AB, x.c[0], C.template segment<3>(3));
    C[6] = x.c[1] - 0.01 / (2 * std::numbers::pi) * x.c[0];
  }
};

struct Planar : Constraint<Planar, 6, 3> {
  static constexpr std::array<Dimension, 6> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle,
                                                       Dimension::angle,  Dimension::angle};
  static constexpr std::array<CoordinateName, 3> coordinate_names{{{"angle", "rad", Measure::angle()},
                                                                   {"slide_1", "m", Measure::length()},
                                                                   {"slide_2", "m", Measure::length()}}};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C.template head<3>() = x.p_AB_A;
    C[0] = C[0] - x.c[1];
    C[1] = C[1] - x.c[2];
    about_axis(x.R_AB, x.c[0], C.template tail<3>());
  }
};

}  // namespace

int main(int argc, char** argv) {
  Registry registry;
  Loader loader(registry);
  loader.load(TRAMMEL_PLUGIN_DIR "/lower_pairs.so");
  std::vector<Compared> joints;
  const auto add = [&](const std::string& name, const std::string& own, Type automatic) {
    joints.push_back(
        {name, {registry.get(Type::Category::joint, name, {}), own}, {std::move(automatic), ""}});
  };
  const std::string apart = ", share: no", along_z = ", axis: [0, 0, 1]";
  add("spherical", apart, joint_type<Spherical>("spherical", ""));
  add("fixed", apart, joint_type<Fixed>("fixed", ""));
  add("revolute", apart + along_z, joint_type<Revolute>("revolute", ""));
  add("prismatic", apart + along_z, joint_type<Prismatic>("prismatic", ""));
  add("cylindrical", along_z, joint_type<Cylindrical>("cylindrical", ""));
  add("screw", along_z + ", pitch: 0.01", joint_type<Screw>("screw", ""));
  add("planar", along_z, joint_type<Planar>("planar", ""));
  return bench::compare(argc, argv, "by hand", "automatic", joints);
}
