#include <trammel/force_law.hpp>
#include <trammel/plugin.hpp>

namespace {

class Muscle : public trammel::ForceLaw<Muscle, 1, 1> {
 public:
  static constexpr bool needs_rotation = false;
  static constexpr std::array<trammel::FormulaNumber, 1> state_names{
      {{"activation", "", trammel::Measure::nominal(1)}}};
  static constexpr std::array<trammel::FormulaNumber, 1> algebraic_names{
      {{"fibre_length", "m", trammel::Measure::length()}}};

  explicit Muscle(const trammel::Parameters& in)
      : F_(in.real("strength")),
        fibre_(in.real("fibre")),
        slack_(in.real("tendon")),
        k_(in.real("tendon_stiffness")),
        lag_(in.real("lag")),
        excitation_(in.real("excitation")) {}

  template <class S>
  void wrench(const Relative<S>& x, Wrench<S>& w) const {
    const S length = x.p_AB_A.norm(), tendon = k_ * (length - x.z[0] - slack_);
    const S strain = x.z[0] / fibre_ - 1.0;
    w.force = x.p_AB_A * (-tendon / length);
    w.rate[0] = (excitation_ - x.y[0]) / lag_;
    w.equation[0] = F_ * (x.y[0] * exp(-5.0 * strain * strain) + 2.0 * pow(max(strain, 0.0), 2)) - tendon;
  }
  Eigen::Matrix<double, 1, 1> initial_algebraic(const Relative<double>& x) const {
    return Eigen::Matrix<double, 1, 1>(x.p_AB_A.norm() - slack_);
  }

 private:
  double F_, fibre_, slack_, k_, lag_, excitation_;
};

}  // namespace

TRAMMEL_PLUGIN("muscle", "1.0") {
  using trammel::Parameter;
  using Kind = Parameter::Kind;
  registry.add(trammel::force_type<Muscle>(
      "muscle", "a muscle of fibre and tendon between two points",
      {Parameter::make(Kind::real, "strength", "N", "largest active force").positive().must(),
       Parameter::make(Kind::real, "fibre", "m", "fibre length of the largest force").positive().must(),
       Parameter::make(Kind::real, "tendon", "m", "slack length of the tendon").positive().must(),
       Parameter::make(Kind::real, "tendon_stiffness", "N/m", "force by stretch").positive().must(),
       Parameter::make(Kind::real, "lag", "s", "time constant of the activation").positive().must(),
       Parameter::make(Kind::real, "excitation", "", "that the activation follows").between(0, 1).must()}));
}
