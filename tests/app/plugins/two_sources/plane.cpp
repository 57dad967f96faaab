// A plugin of two sources, each with a class of its own that has the name of the other's.

#include "sphere.hpp"
#include "trammel/constraint.hpp"
#include "trammel/plugin.hpp"

namespace {

/// B stays on the plane z = 0 of A.
class Surface : public trammel::Constraint<Surface, 1> {
 public:
  static constexpr trammel::JointRequirement requirement{trammel::JointAxes::own, false, false};
  static constexpr std::array<trammel::Dimension, 1> dimensions{trammel::Dimension::length};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = x.p_AB_A[2];
  }
};

}  // namespace

TRAMMEL_PLUGIN("two_sources", "1.0") {
  registry.add(trammel::joint_type<Surface>("on_plane", "for tests"));
  registry.add(two_sources::sphere_type());
}
