#include <numbers>

#include <trammel/block_element.hpp>
#include <trammel/plugin.hpp>

namespace {

constexpr int modes = 20;
class Bar : public trammel::BlockElement<Bar, 2, modes> {
 public:
  static constexpr auto coordinate_names =
      trammel::numbered<modes>({"mode", "m", trammel::Measure::length()});

  explicit Bar(const trammel::Parameters& in)
      : EA_(in.real("stiffness")), m_(in.real("mass")), length_(in.real("length")) {}

  template <class S>
  void forces(const Motion<S>& x, Forces<S>& out) const {
    const S length = x.p[1].norm();
    out.force[1] = x.p[1] * (EA_ / length_ * (length_ - length) / length);
    for (int i = 0; i < modes; ++i) out.coordinate[i] = -stiffness(i) * x.c[i];
  }
  template <class S>
  S stored(const Motion<S>& x) const {
    S energy = EA_ / length_ / 2 * pow(x.p[1].norm() - length_, 2);
    for (int i = 0; i < modes; ++i) energy += stiffness(i) / 2 * x.c[i] * x.c[i];
    return energy;
  }
  Eigen::MatrixXd mass() const {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(12 + modes, 12 + modes);
    for (int k = 0; k < 3; ++k) {
      M(k, k) = M(6 + k, 6 + k) = m_ / 3;
      M(k, 6 + k) = M(6 + k, k) = m_ / 6;
    }
    for (int i = 0; i < modes; ++i) {
      const double coupling = m_ / ((i + 1) * std::numbers::pi);
      M(0, 12 + i) = M(12 + i, 0) = coupling;
      M(6, 12 + i) = M(12 + i, 6) = i % 2 == 0 ? coupling : -coupling;
      M(12 + i, 12 + i) = m_ / 2;
    }
    return M;
  }

 private:
  double stiffness(int i) const { return EA_ / length_ * std::pow((i + 1) * std::numbers::pi, 2) / 2; }

  double EA_, m_, length_;
};

}  // namespace

TRAMMEL_PLUGIN("superelement", "1.0") {
  using trammel::Parameter;
  using Kind = Parameter::Kind;
  registry.add(trammel::block_element_type<Bar>(
      "superelement", "an elastic bar along e1 of two frames, with twenty modes of its own",
      {Parameter::make(Kind::real, "stiffness", "N", "EA").positive().must(),
       Parameter::make(Kind::real, "mass", "kg", "of the bar").positive().must(),
       Parameter::make(Kind::real, "length", "m", "without force").positive().must()}));
}
