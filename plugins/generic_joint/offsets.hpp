#pragma once

#include <array>

#include "axes.hpp"
#include "trammel/function.hpp"
#include "trammel/marker.hpp"

namespace trammel::generic_joint {

/// Offsets of the joint's coordinates as functions of time; null stands for zero.
struct Offsets {
  std::array<FunctionPtr, 3>
      translation;  ///< u [m]: world axes where all translations are locked, else axes of J0U
  std::array<FunctionPtr, 3> rotation;  ///< Tait-Bryan angles a [rad]

  bool any() const;
};

/// The frame in which the joint's equations are written, from the joint frame J0 on marker A:
///
///     R_W,J0U = R_W,J0 R_x(a_x) R_y(a_y) R_z(a_z)
///     p = p_W,J0 + u                  all translations locked: u in world components
///     p = p_W,J0 + R_W,J0U u          else
///
/// so that all that depends on time sits in this marker, with its exact rates. J0 itself where there is no offset.
Marker offset_frame(const Marker& J0, const LockedAxes& axes, const Offsets& offsets);

}  // namespace trammel::generic_joint
