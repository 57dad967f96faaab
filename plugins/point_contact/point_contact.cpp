#include "point_contact.hpp"

#include <fmt/format.h>

#include <cmath>

#include "trammel/plugin.hpp"

namespace trammel::point_contact {
namespace {

using Kind = Parameter::Kind;

constexpr JointRequirement requirement{JointAxes::own, false, false};

/// N = -lambda of the row that presses.
class Pressing final : public Signal {
 public:
  explicit Pressing(BlockId normal) : normal_(normal) {}
  std::string unit() const override { return "N"; }
  std::vector<BlockId> blocks() const override { return {normal_}; }
  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override {
    out = {};
    out.value = -x.value(first)[0];
    if (!derivatives) return;
    out.gradient = -Eigen::VectorXd::Ones(1);
    out.second = Eigen::MatrixXd::Zero(1, 1);
  }

 private:
  BlockId normal_;
};

std::vector<Parameter> friction_parameters() {
  return {Parameter::make(Kind::any, "kinetic", "", "coefficient of sliding; two numbers: along e1 and e2")
              .must(),
          Parameter::make(Kind::any, "static", "", "likewise at rest; default: that of sliding")};
}

/// One number, or one along each axis of the plane.
std::array<double, 3> coefficients(const Parameters& in, const Value& value) {
  if (value.kind != Value::Kind::sequence) {
    const double mu = in.real(value);
    return {mu, mu, 0};
  }
  const std::vector<double> mu = in.reals(value);
  if (mu.size() != 2)
    throw Error(value.where,
                fmt::format("friction in a plane has one coefficient or two, found {}", mu.size()));
  return {mu[0], mu[1], 0};
}

std::optional<FrictionLaw> read_friction(const Parameters& in) {
  const Value* value = in.value("friction");
  if (value == nullptr) return std::nullopt;
  FrictionLaw law;
  if (value->kind == Value::Kind::map) {
    static const std::vector<Parameter> known = friction_parameters();
    const Parameters map = in.map(*value, known);
    law.sliding = coefficients(in, *map.value("kinetic"));
    law.at_rest = map.has("static") ? coefficients(in, *map.value("static")) : law.sliding;
  } else {
    law.sliding = law.at_rest = coefficients(in, *value);
  }
  // Without any friction there is no cone, and no rows.
  if (law.at_rest[0] == 0 && law.at_rest[1] == 0 && law.sliding == law.at_rest) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i)
    if (law.sliding[i] == 0)
      throw Error(
          value->where,
          "a coefficient of sliding is zero and another is not, or that at rest: friction along one axis "
          "alone is not available");
  return law;
}

void build(const Parameters& in, Builder& builder) {
  JointSite site = read_joint_site(in, builder, requirement);
  if (site.A.is_point())
    throw Error(
        in.where("between"),
        "marker '" + site.A.name() +
            "' is a point without orientation, and the first of this joint, which carries the plane, needs "
            "one");
  const InitialMotion a = builder.initial(site.A), b = builder.initial(site.B);
  const double gap = (a.R_WM.transpose() * (b.p_WM - a.p_WM))[2];
  if (!in.flag("assemble") && gap < -1e-6 * std::max(1.0, builder.length()))
    throw Error(
        in.where(),
        fmt::format("the point lies {:.6g} m below the plane at the start; correct the position, turn the "
                    "plane's e3 to the other side, or give `assemble: yes` and a stage of type assemble",
                    -gap));
  std::optional<FrictionLaw> law = read_friction(in);
  std::vector<BlockId> stencil = site.blocks();
  const BlockId normal = builder.add_multiplier(
      "normal",
      {Row{.measure = Measure::length(), .law = RowLaw::unilateral, .restitution = in.real("restitution")}});
  stencil.push_back(normal);
  const bool rubs = law.has_value();
  if (law) {
    law->normal = std::make_shared<const Pressing>(normal);
    law->pressed_by = ConstraintRow{normal, 0};
    static constexpr std::array<Dimension, 2> axes{Dimension::velocity, Dimension::velocity};
    stencil.push_back(builder.add_friction("slip", axes, std::move(*law)));
  }
  builder.add(PointContact(std::move(site), rubs), std::move(stencil));
}

}  // namespace
}  // namespace trammel::point_contact

TRAMMEL_PLUGIN("point_contact", "0.1") {
  using namespace trammel;
  using Kind = Parameter::Kind;
  Type type = joint_type(
      "point_contact",
      "the origin of B rests on a plane of A, leaves it, and touches it again; with dry friction",
      point_contact::requirement,
      {Parameter::make(Kind::any, "friction", "",
                       "coefficient, two of them along e1 and e2, or {static, kinetic}; absent: none"),
       Parameter::make(Kind::real, "restitution", "", "0: impacts are plastic").not_negative().defaults("0")},
      point_contact::build);
  type.degrees_of_freedom = 5;
  registry.add(std::move(type));
}
