#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/group_law.hpp"

namespace trammel {

/// A wrench between two markers written as one formula: a spring, a tyre, a muscle. The author derives from it and gives
/// the wrench as a function templated on its scalar S; all tangents are found from it (forward mode, first order, in the
/// few relative variables):
///
///     class Drag : public trammel::ForceLaw<Drag> {
///      public:
///       explicit Drag(const trammel::Parameters& in) : c_(in.real("coefficient")) {}
///
///       template <class S>
///       void wrench(const Relative<S>& x, Wrench<S>& w) const {
///         w.force = -c_ * x.v_AB_A;
///       }
///
///      private:
///       double c_;
///     };
///
///     TRAMMEL_PLUGIN("drag", "1.0") {
///       using trammel::Parameter;
///       registry.add(trammel::force_type<Drag>(
///           "drag", "a force against the velocity of B as seen from A",
///           {Parameter::make(Parameter::Kind::real, "coefficient", "N s/m", "force by velocity").must()}));
///     }
///
/// `x` holds R_AB, p_AB_A, v_AB_A, w_AB_A, the states y, the algebraic unknowns z and the time t, all in the axes of marker
/// A; `w.force` and `w.moment` act on B at its origin, in the axes of A, and what balances them acts on A. A law of these is
/// objective by itself. `states` first-order states: `w.rate` is y'. `algebraic` unknowns: `w.equation` is zero where z is
/// right. Each has a name, a unit and a size:
///
///     static constexpr std::array<trammel::FormulaNumber, 1> state_names{
///         {{"lag", "m", trammel::Measure::nominal(0.01)}}};
///
/// (`algebraic_names` likewise). Optional: `initial_states(const Relative<double>&)`, `initial_algebraic(...)`;
/// `template <class S> S stored(const Relative<S>&) const`, the energy that the law stores [J], all else that its forces take is
/// reported as dissipated; `report(const X&, OutputSink&)` for outputs of its own; `needs_rotation = false` for laws that
/// take points without orientation; `Vec3 curve(double s) const` or `Vec3 surface(double u, double v) const`, what is drawn, in
/// the axes of A. Functions of numbers go without `std::`: sin(x), max(x, 0.0), trammel::dot.
template <class Derived, int states = 0, int algebraic = 0>
class ForceLaw : public GroupLaw<Derived, true, 2, 0, states, algebraic> {
 public:
  static constexpr bool needs_rotation = true;

  template <class S>
  using Relative = PairMotion<S, states, algebraic>;
  template <class S>
  using Wrench = PairForces<S, states, algebraic>;

  template <class S>
  void formula(const Relative<S>& x, Wrench<S>& out) const {
    static_cast<const Derived&>(*this).wrench(x, out);
  }
};

/// Markers that a case lists under `between`. Throws Error where there are fewer than `least`, more than `most`, or none
/// of them on anything that moves; or where one is a point without orientation and the element needs one.
TRAMMEL_API std::vector<Marker> read_markers(const Parameters& in, const Builder& builder, int least,
                                             int most, bool need_rotation);

/// The parameter `between` of a type that read_markers reads.
TRAMMEL_API Parameter between_markers(int least, int most);

namespace detail {

TRAMMEL_API Type element_between(int markers, std::string name, std::string summary,
                                 std::vector<Parameter> own,
                                 std::function<void(const Parameters&, Builder&)> build);

}  // namespace detail

/// A case's element type made of a class derived from ForceLaw, which is constructible from Parameters (or by default).
/// `own` are the parameters that it reads besides `between`.
template <class Law>
Type force_type(std::string name, std::string summary, std::vector<Parameter> own = {}) {
  return detail::element_between(2, std::move(name), std::move(summary), std::move(own),
                                 [](const Parameters& in, Builder& builder) {
                                   Law law = detail::made_from<Law>(in);
                                   law.set_markers(read_markers(in, builder, 2, 2, Law::needs_rotation));
                                   Law::add(in, builder, std::move(law));
                                 });
}

}  // namespace trammel
