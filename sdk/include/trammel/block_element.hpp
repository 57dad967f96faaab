#pragma once

#include "trammel/force_law.hpp"

namespace trammel {

/// An element of some markers and of coordinates of its own (modal amplitudes) written as one formula, with mass: a
/// superelement. The author derives from it and gives the forces as a function templated on its scalar S:
///
///     template <class S>
///     void forces(const Motion<S>& x, Forces<S>& out) const;
///
/// `x` holds, for each marker by its number, the pose and the motion relative to the first (R[k], p[k], v[k], w[k]; those of
/// number 0 are constant), the coordinates c with their rates c_rate, states y, algebraic unknowns z and time t, all in the
/// axes of the first marker. `out.force[k]` and `out.moment[k]` act on marker k at its origin (k > 0; what balances them acts on
/// the first), `out.coordinate` on the coordinates. Everything else as in ForceLaw, and `coordinate_names`,
/// `initial_coordinates(const Motion<double>&)`.
///
/// `Eigen::MatrixXd mass() const` gives it inertia: constant and symmetric, its kinetic energy nu^T M nu / 2 with nu the
/// twists of all markers in their own axes (velocity; angular velocity), then the rates of the coordinates. (Cardona and
/// Geradin, "Modelling of superelements in mechanism analysis", IJNME 32, 1991.) Its markers are then origins of frames.
template <class Derived, int markers, int coordinates = 0, int states = 0, int algebraic = 0>
class BlockElement : public GroupLaw<Derived, false, markers, coordinates, states, algebraic> {
 public:
  static_assert(markers >= 1);
  static constexpr bool needs_rotation = true;

  template <class S>
  using Motion = GroupMotion<S, markers, coordinates, states, algebraic>;
  template <class S>
  using Forces = GroupForces<S, markers, coordinates, states, algebraic>;

  template <class S>
  void formula(const Motion<S>& x, Forces<S>& out) const {
    static_cast<const Derived&>(*this).forces(x, out);
  }
};

/// A case's element type made of a class derived from BlockElement, as force_type makes one.
template <class Element>
Type block_element_type(std::string name, std::string summary, std::vector<Parameter> own = {}) {
  constexpr int n = Element::markers;
  return detail::element_between(
      n, std::move(name), std::move(summary), std::move(own), [](const Parameters& in, Builder& builder) {
        Element element = detail::made_from<Element>(in);
        element.set_markers(read_markers(in, builder, n, n, Element::needs_rotation));
        Element::add(in, builder, std::move(element));
      });
}

}  // namespace trammel
