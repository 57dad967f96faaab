#include <trammel/constraint.hpp>
#include <trammel/plugin.hpp>

namespace {

class Support : public trammel::Constraint<Support, 1> {
 public:
  static constexpr trammel::JointRequirement requirement{trammel::JointAxes::own, false, false};

  explicit Support(const trammel::Parameters& in) : radius_(in.real("radius")) {}

  std::vector<trammel::Row> rows() const {
    return {{.measure = trammel::Measure::length(), .law = trammel::RowLaw::unilateral}};
  }
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& gap) const {
    gap[0] = x.p_AB_A.norm() - radius_;
  }
  trammel::Vec3 surface(double u, double v) const {
    const double a = 2 * M_PI * u, b = M_PI * v;
    return radius_ * trammel::Vec3(std::cos(a) * std::sin(b), std::sin(a) * std::sin(b), std::cos(b));
  }

 private:
  double radius_;
};

}  // namespace

TRAMMEL_PLUGIN("support", "1.0") {
  using trammel::Parameter;
  registry.add(trammel::joint_type<Support>(
      "support", "keeps the origin of B outside of a ball about A, without friction",
      {Parameter::make(Parameter::Kind::real, "radius", "m", "of the ball").positive().must()}));
}
