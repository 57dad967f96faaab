#include <trammel/coordinate_law.hpp>
#include <trammel/plugin.hpp>

namespace {

class BoucWen : public trammel::CoordinateLaw<BoucWen, 1> {
 public:
  static constexpr std::array<trammel::FormulaNumber, 1> state_names{
      {{"hysteretic", "rad", trammel::Measure::angle()}}};

  explicit BoucWen(const trammel::Parameters& in)
      : k_(in.real("stiffness")),
        a_(in.real("elastic_part")),
        beta_(in.real("beta")),
        gamma_(in.real("gamma")) {}

  template <class S>
  void force(const State<S>& x, Force<S>& f) const {
    const S z = x.y[0];
    f.force = -k_ * (a_ * x.q + (1 - a_) * z);
    f.rate[0] = x.rate - beta_ * abs(x.rate) * abs(z) * z - gamma_ * x.rate * z * z;
  }
  template <class S>
  S stored(const State<S>& x) const {
    return 0.5 * k_ * (a_ * x.q * x.q + (1 - a_) * x.y[0] * x.y[0]);
  }

 private:
  double k_, a_, beta_, gamma_;
};

}  // namespace

TRAMMEL_PLUGIN("bouc_wen", "1.0") {
  using trammel::Parameter;
  using Kind = Parameter::Kind;
  registry.add(trammel::coordinate_type<BoucWen>(
      "bouc_wen", "a spring with hysteresis on a joint's coordinate",
      {Parameter::make(Kind::real, "stiffness", "N m/rad", "at the start of a loop").positive().must(),
       Parameter::make(Kind::real, "elastic_part", "", "part of it that stays elastic").between(0, 1).must(),
       Parameter::make(Kind::real, "beta", "1/rad^2", "shape of the loop").not_negative().must(),
       Parameter::make(Kind::real, "gamma", "1/rad^2", "shape of the loop").defaults("0")}));
}
