#include <trammel/force_law.hpp>
#include <trammel/plugin.hpp>

namespace {

class Tyre : public trammel::ForceLaw<Tyre, 1> {
 public:
  static constexpr std::array<trammel::FormulaNumber, 1> state_names{
      {{"deflection", "m", trammel::Measure::nominal(0.01)}}};

  explicit Tyre(const trammel::Parameters& in)
      : stiffness_(in.real("stiffness")), relaxation_(in.real("relaxation_length")) {}

  template <class S>
  void wrench(const Relative<S>& x, Wrench<S>& w) const {
    const trammel::Vec3T<S> side = x.R_AB.col(1), ahead = x.R_AB.col(0);
    w.force = side * (-stiffness_ * x.y[0]);
    w.rate[0] = trammel::dot(side, x.v_AB_A) - abs(trammel::dot(ahead, x.v_AB_A)) * x.y[0] / relaxation_;
  }
  template <class S>
  S stored(const Relative<S>& x) const {
    return 0.5 * stiffness_ * x.y[0] * x.y[0];
  }

 private:
  double stiffness_, relaxation_;
};

}  // namespace

TRAMMEL_PLUGIN("tyre", "1.0") {
  using trammel::Parameter;
  using Kind = Parameter::Kind;
  registry.add(trammel::force_type<Tyre>(
      "tyre", "side force of a tyre on wheel carrier B on road A, with relaxation",
      {Parameter::make(Kind::real, "stiffness", "N/m", "side force by deflection").positive().must(),
       Parameter::make(Kind::real, "relaxation_length", "m", "way in which the deflection builds up")
           .positive()
           .must()}));
}
