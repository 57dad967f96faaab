#include <trammel/marker_constraint.hpp>
#include <trammel/plugin.hpp>

namespace {

class Belt : public trammel::MarkerConstraint<Belt, 3, 1> {
 public:
  static constexpr std::array<trammel::Dimension, 1> dimensions{trammel::Dimension::length};
  static constexpr bool needs_rotation = false;

  explicit Belt(const trammel::Parameters& in) : length_(in.real("length")) {}

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = (x.p[1] - x.p[0]).norm() + (x.p[2] - x.p[1]).norm() - length_;
  }

 private:
  double length_;
};

}  // namespace

TRAMMEL_PLUGIN("belt", "1.0") {
  using trammel::Parameter;
  registry.add(trammel::marker_joint_type<Belt>(
      "belt", "a belt of constant length from marker 1 through a ring at marker 2 to marker 3",
      {Parameter::make(Parameter::Kind::real, "length", "m", "of the belt").positive().such_as("2").must()}));
}
