// A joint of your own: marker B stays on a bowl that is fixed in marker A, z = x^2/(2 a) + y^2/(2 b).
//
// The one function `residual` is the joint. Its derivatives, its assembly, forces, outputs and drawing come from
// trammel::Constraint. Change the formula, the parameters and the names below; README.md says how to build it.

#include <trammel/constraint.hpp>
#include <trammel/plugin.hpp>

namespace {

class Bowl : public trammel::Constraint<Bowl, 1> {
 public:
  // Markers keep their own axes, need not meet, and B may be a point without orientation.
  static constexpr trammel::JointRequirement requirement{trammel::JointAxes::own, false, false};
  // What each equation measures.
  static constexpr std::array<trammel::Dimension, 1> dimensions{trammel::Dimension::length};

  explicit Bowl(const trammel::Parameters& in) : a_(in.real("radius_x")), b_(in.real("radius_y")) {}

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const trammel::Vec3T<S>& p = x.p_AB_A;
    C[0] = p[2] - p[0] * p[0] / (2 * a_) - p[1] * p[1] / (2 * b_);
  }

 private:
  double a_, b_;
};

}  // namespace

TRAMMEL_PLUGIN("my_joint", "1.0") {
  using trammel::Parameter;
  using Kind = Parameter::Kind;
  registry.add(trammel::joint_type<Bowl>(
      "bowl", "keeps marker B on the paraboloid z = x^2/(2 a) + y^2/(2 b) in the axes of marker A",
      {Parameter::make(Kind::real, "radius_x", "m", "radius of curvature a at the bottom, along x")
           .positive()
           .must(),
       Parameter::make(Kind::real, "radius_y", "m", "radius of curvature b at the bottom, along y")
           .positive()
           .must()}));
}
