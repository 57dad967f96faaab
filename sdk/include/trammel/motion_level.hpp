#pragma once

#include "trammel/local_system.hpp"
#include "trammel/marker.hpp"

namespace trammel {

/// The motion of markers that the rows of constraints at position level need for `request`: with its derivatives for the
/// tangent of the rates and for the bias, the velocity for the rates; `least` for the residual and its tangent.
constexpr MotionLevel level_of_position_rows(const Request& request,
                                             MotionLevel least = MotionLevel::jacobian) {
  if (request.bias || (request.rates && request.tangent)) return MotionLevel::full;
  return request.rates ? MotionLevel::velocity : least;
}

/// The same for the rows of constraints at velocity level, whose residual has the velocities in it.
constexpr MotionLevel level_of_velocity_rows(const Request& request) {
  return request.tangent || request.bias ? MotionLevel::full : MotionLevel::velocity;
}

/// The same for forces that depend on velocities.
constexpr MotionLevel level_of_forces(const Request& request) {
  return request.tangent ? MotionLevel::full : MotionLevel::velocity;
}

}  // namespace trammel
