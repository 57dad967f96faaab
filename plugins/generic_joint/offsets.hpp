#pragma once

#include <array>
#include <optional>

#include "axes.hpp"
#include "trammel/function.hpp"
#include "trammel/marker.hpp"

namespace trammel::generic_joint {

/// Offsets of the joint's coordinates as functions of time; null means zero.
struct Offsets {
  std::array<FunctionPtr, 3>
      translation;  ///< u [m]: world axes where all translations are locked, else axes of J0U
  std::array<FunctionPtr, 3> rotation;  ///< Tait-Bryan angles a [rad]

  bool any() const;
  /// By index: translations x, y, z, rotations x, y, z.
  const FunctionPtr& operator[](int k) const {
    return k < 3 ? translation[static_cast<std::size_t>(k)] : rotation[static_cast<std::size_t>(k - 3)];
  }
};

/// A jump of a function of time: of its value, or of its rate.
struct Jump {
  double time = 0, size = 0;
  bool of_rate = false;
};

/// The first jump of f's value in (from, to], or of its rate in (from, to), where there is one. What is left of y(b) -
/// y(a) less the integral of y' (by two Gauss points) falls as the fifth power of b - a where y is smooth, and stays
/// where it jumps. A jump of less than `small` is none: expressions that cancel are noisy.
std::optional<Jump> find_jump(const Function& f, double from, double to, double small);
/// The jump of f's rate at t, beside which h is a step; 0 where it is below small/h.
double rate_jump(const Function& f, double t, double h, double small);

/// The frame in which the joint's equations are written, from the joint frame J0 on marker A:
///
///     R_W,J0U = R_W,J0 R_x(a_x) R_y(a_y) R_z(a_z)
///     p = p_W,J0 + u                  all translations locked: u in world components
///     p = p_W,J0 + R_W,J0U u          else
///
/// so that all that depends on time sits in this marker, with its exact rates. J0 itself where there is no offset.
Marker offset_frame(const Marker& J0, const LockedAxes& axes, const Offsets& offsets);

}  // namespace trammel::generic_joint
