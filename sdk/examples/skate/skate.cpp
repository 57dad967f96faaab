#include <trammel/plugin.hpp>
#include <trammel/velocity_constraint.hpp>

namespace {

class Skate : public trammel::VelocityConstraint<Skate, 1> {
 public:
  static constexpr std::array<trammel::Dimension, 1> dimensions{trammel::Dimension::velocity};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = trammel::dot(x.R_AB.col(1), x.v_AB_A);
  }
};

}  // namespace

TRAMMEL_PLUGIN("skate", "1.0") {
  trammel::Type type = trammel::velocity_joint_type<Skate>(
      "skate", "the origin of B moves on A along the edge e1 of B alone, never along its e2");
  type.degrees_of_freedom = 5;
  registry.add(type);
}
