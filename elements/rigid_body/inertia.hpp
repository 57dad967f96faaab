#pragma once

#include "trammel/error.hpp"
#include "trammel/linear_algebra.hpp"
#include "trammel/parameters.hpp"

namespace trammel::rigid_body {

/// What the equations of motion know of a body.
struct Inertia {
  double mass = 0;               ///< [kg]
  Vec3 centre = Vec3::Zero();    ///< c.o.m. from the origin of the body frame, in body axes [m]
  Mat3 J_centre = Mat3::Zero();  ///< about the c.o.m., in body axes [kg m^2]

  /// About the origin of the body frame.
  Mat3 J_origin() const { return J_centre - mass * skew(centre) * skew(centre); }
};

/// Throws Error unless J is symmetric, positive definite, and each principal moment is at most the sum of the others.
void check_inertia(const Mat3& J, const Location& where);

/// Reads [Jxx, Jyy, Jzz] or three rows, and checks it.
Mat3 read_inertia(const Parameters& in, std::string_view name);

}  // namespace trammel::rigid_body
