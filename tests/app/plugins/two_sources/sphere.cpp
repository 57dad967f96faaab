#include "sphere.hpp"

#include "trammel/constraint.hpp"

namespace {

/// B stays on the sphere of this radius about A.
class Surface : public trammel::Constraint<Surface, 1> {
 public:
  static constexpr trammel::JointRequirement requirement{trammel::JointAxes::own, false, false};
  static constexpr std::array<trammel::Dimension, 1> dimensions{trammel::Dimension::length};
  explicit Surface(const trammel::Parameters& in) : radius_(in.real("radius")) {}

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = 0.5 * (trammel::dot(x.p_AB_A, x.p_AB_A) / radius_ - radius_);
  }

 private:
  double radius_;
};

}  // namespace

trammel::Type two_sources::sphere_type() {
  using trammel::Parameter;
  return trammel::joint_type<Surface>(
      "on_sphere", "for tests",
      {Parameter::make(Parameter::Kind::real, "radius", "m", "of the sphere").must()});
}
