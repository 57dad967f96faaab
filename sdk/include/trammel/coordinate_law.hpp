#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "trammel/coordinate_element.hpp"
#include "trammel/coordinate_glyph.hpp"
#include "trammel/element.hpp"
#include "trammel/first_jet.hpp"
#include "trammel/force_law.hpp"

namespace trammel {

/// A force on a joint's coordinate written as one formula: a spring with hysteresis, a motor. The author derives from it and
/// gives the force as a function templated on its scalar S; tangents are found from it:
///
///     class Cubic : public trammel::CoordinateLaw<Cubic> {
///      public:
///       explicit Cubic(const trammel::Parameters& in) : k_(in.real("stiffness")) {}
///
///       template <class S>
///       void force(const State<S>& x, Force<S>& f) const {
///         f.force = -k_ * x.q * x.q * x.q;
///       }
///
///      private:
///       double k_;
///     };
///
///     registry.add(trammel::coordinate_type<Cubic>("cubic", "a cubic spring", {...}));
///
/// In a case it is a key of the joint, like other elements on coordinates: `hinge: {type: revolute, ..., cubic:
/// {angle: {stiffness: 3}}}`.
///
/// `x` holds the coordinate q, its `rate`, the states y, the algebraic unknowns z and the time t; `f.force` acts in the
/// direction of q, `f.rate` is y', `f.equation` is zero where z is right. Names, starts, `stored` and `report` as in ForceLaw,
/// with `const State<double>&`. Its glyph is an arrow, unless `static void draw_glyph(const Glyph&, const
/// CoordinateAxis&)` draws another, such as draw_coordinate_spring.
template <class Derived, int states = 0, int algebraic = 0>
class CoordinateLaw {
 public:
  static constexpr std::array<FormulaNumber, 0> state_names{}, algebraic_names{};

  template <class S>
  struct State {
    S q, rate;
    Eigen::Matrix<S, states, 1> y;
    Eigen::Matrix<S, algebraic, 1> z;
    S t = S(0.0);
  };
  template <class S>
  struct Force {
    S force = S(0.0);
    Eigen::Matrix<S, states, 1> rate;
    Eigen::Matrix<S, algebraic, 1> equation;
  };

  void set_target(CoordinateTarget target) { target_ = std::move(target); }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Force<Jet> f = at<Jet>(x);
    const int q = target_.component, first = target_.size;
    auto r = out.residual();
    r[q] = -f.force.value;
    for (int i = 0; i < states; ++i) r[first + i] = x.rate(1)[i] - f.rate[i].value;
    for (int i = 0; i < algebraic; ++i) r[first + states + i] = f.equation[i].value;
    if (!out.request.tangent) return;
    auto K = out.K();
    auto D = out.D();
    const auto take = [&](int row, const Jet& value, double sign) {
      K(row, q) += sign * value.gradient[0];
      D(row, q) += sign * value.gradient[1];
      for (int i = 0; i < states + algebraic; ++i) K(row, first + i) += sign * value.gradient[2 + i];
    };
    take(q, f.force, -1);
    for (int i = 0; i < states; ++i) {
      take(first + i, f.rate[i], -1);
      D(first + i, first + i) += 1;
    }
    for (int i = 0; i < algebraic; ++i) take(first + states + i, f.equation[i], 1);
  }

  /// The power that the force does not store leaves the system.
  Energy energy(const LocalState& x) const {
    State<Jet> s;
    const Force<Jet> f = at<Jet>(x, &s);
    Energy e;
    e.dissipated_power = -f.force.value * target_.rate(x);
    static_assert(
        requires(const Derived& d) { d.stored(s); } || !requires(Derived & d) { d.stored(s); },
        "stored must be const, or the force would count as one without an energy");
    if constexpr (requires(const Derived& d) { d.stored(s); }) {
      const Jet stored = derived().stored(s);
      Eigen::Matrix<double, variables, 1> rates = Eigen::Matrix<double, variables, 1>::Zero();
      rates[0] = target_.rate(x);
      rates[1] = x.second_rate(0)[target_.component];
      for (int i = 0; i < states; ++i) rates[2 + i] = x.rate(1)[i];
      if constexpr (algebraic > 0) {
        Eigen::Matrix<double, algebraic, variables> G;
        for (int i = 0; i < algebraic; ++i) G.row(i) = f.equation[i].gradient.transpose();
        rates.template tail<algebraic>() =
            -Eigen::MatrixXd(G.template rightCols<algebraic>()).colPivHouseholderQr().solve(G * rates);
      }
      e.strain = stored.value;
      e.dissipated_power -= stored.gradient.dot(rates);
    }
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    State<Plain> s;
    const Force<Plain> f = at<Plain>(x, &s);
    sink.scalar("force", target_.force_unit, f.force.value);
    for (std::size_t i = 0; i < Derived::state_names.size(); ++i)
      sink.scalar(Derived::state_names[i].name, Derived::state_names[i].unit,
                  s.y[static_cast<Eigen::Index>(i)].value);
    for (std::size_t i = 0; i < Derived::algebraic_names.size(); ++i)
      sink.scalar(Derived::algebraic_names[i].name, Derived::algebraic_names[i].unit,
                  s.z[static_cast<Eigen::Index>(i)].value);
    if constexpr (requires(const Derived& d) { d.report(s, sink); }) derived().report(s, sink);
  }

  /// Adds the law's unknowns and itself.
  static void add(CoordinateSite place, Builder& builder, Derived law) {
    law.set_target(place.target);
    std::vector<BlockId> stencil{place.block};
    State<double> start{};
    start.y.setZero();
    start.z.setZero();
    if constexpr (states > 0) {
      if constexpr (requires { law.initial_states(start); }) start.y = law.initial_states(start);
      stencil.push_back(builder.add_states("states", {start.y.data(), static_cast<std::size_t>(states)},
                                           measures_of(Derived::state_names), ""));
    }
    if constexpr (algebraic > 0) {
      if constexpr (requires { law.initial_algebraic(start); }) start.z = law.initial_algebraic(start);
      stencil.push_back(builder.add_algebraic("algebraic",
                                              {start.z.data(), static_cast<std::size_t>(algebraic)},
                                              measures_of(Derived::algebraic_names), ""));
    }
    builder.add(std::move(law), std::move(stencil));
    if constexpr (requires(const Glyph& glyph, const CoordinateAxis& axis) {
                    Derived::draw_glyph(glyph, axis);
                  })
      CoordinateGlyph::add(place, builder, &Derived::draw_glyph);
    else
      CoordinateGlyph::add(place, builder, draw_coordinate_force);
  }

 private:
  static constexpr int variables = 2 + states + algebraic;
  using Jet = FirstJet<variables>;
  using Plain = FirstJet<0>;

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  template <class S>
  static S variable(double value, int index) {
    S x(value);
    if constexpr (S::variables > 0) x.gradient[index] = 1;
    return x;
  }
  template <class S>
  Force<S> at(const LocalState& x, State<S>* motion = nullptr) const {
    State<S> s;
    s.q = variable<S>(target_.value(x), 0);
    s.rate = variable<S>(target_.rate(x), 1);
    for (int i = 0; i < states; ++i) s.y[i] = variable<S>(x.value(1)[i], 2 + i);
    for (int i = 0; i < algebraic; ++i) s.z[i] = variable<S>(x.value(states > 0 ? 2 : 1)[i], 2 + states + i);
    s.t = S(x.time());
    Force<S> f;
    derived().force(s, f);
    if (motion != nullptr) *motion = s;
    return f;
  }

  CoordinateTarget target_;
};

/// The case type of an element on a coordinate, made of a class derived from CoordinateLaw, which is constructible
/// from Parameters (or by default). `own` are the keys of its map in the case.
template <class Law>
Type coordinate_type(std::string name, std::string summary, std::vector<Parameter> own = {}) {
  std::string keys = "{";
  for (const Parameter& p : own) keys += (keys.size() > 1 ? ", " : "") + p.name;
  return coordinate_element_type(
      std::move(name), std::move(summary), keys + "}",
      [own](const Parameters& in, Builder& builder) {
        CoordinateSite place = read_coordinate_site(in, builder);
        Law::add(std::move(place), builder, detail::made_from<Law>(in.map(*in.value("value"), own)));
      },
      own);
}

}  // namespace trammel
