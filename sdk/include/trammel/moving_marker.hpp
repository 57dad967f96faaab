#pragma once

#include <array>
#include <optional>

#include "trammel/export.hpp"
#include "trammel/function.hpp"
#include "trammel/marker.hpp"

namespace trammel {

/// A rotation that is a function of time: either its rotation vector (three functions, in rad), or an angle about a
/// fixed axis.
struct RotationLaw {
  std::array<FunctionPtr, 3> vector;  ///< components of the rotation vector [rad]; null: zero
  Vec3 axis = Vec3::UnitZ();          ///< unit vector, used with `angle`
  FunctionPtr angle;                  ///< [rad]; where given it is used in place of `vector`
};

/// A marker whose origin and orientation in its base are functions of time: R_BM(t) and p_BM_B(t) [m], null functions
/// standing for zero. Its velocity and acceleration enter all constraint levels. Functions must depend on time only;
/// throws Error otherwise.
TRAMMEL_API Marker moving_marker(const Marker& base, const std::array<FunctionPtr, 3>& translation,
                                 const RotationLaw& rotation);

}  // namespace trammel
