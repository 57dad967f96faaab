#pragma once

#include <vector>

#include "nurbs_surface.hpp"

namespace trammel::surfaces {

/// A net of control points and the knots that belong to it.
struct InterpolatedNet {
  std::vector<std::vector<Vec3>> points;
  NurbsDirection u, v;
};

/// The spline of given degrees through rows of points, one row for each number of u: parameters by chord lengths, the mean of all
/// rows, knots by averages of them (Piegl and Tiller, The NURBS Book, 2nd ed., sections 9.2.1 and 9.2.5). Throws Error where the rows
/// do not fit, points coincide, or there are fewer than the degree needs.
InterpolatedNet interpolate(const std::vector<std::vector<Vec3>>& points, int degree_u, int degree_v);

}  // namespace trammel::surfaces
