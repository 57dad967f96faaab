#pragma once

#include <vector>

#include "nurbs_surface.hpp"

namespace trammel::surfaces {

/// A net of control points and the knots that belong to it.
struct InterpolatedNet {
  std::vector<std::vector<Vec3>> points;
  NurbsDirection u, v;
};

/// The spline of the given degrees through rows of points, one row for each value of u. The parameters of the points follow from
/// chord lengths, averaged over the rows; the knots are averages of these parameters (Piegl and Tiller, The NURBS Book, 2nd ed.,
/// sections 9.2.1 and 9.2.5). Throws Error if rows have different lengths, if points coincide, or if there are too few points for
/// the degree.
InterpolatedNet interpolate(const std::vector<std::vector<Vec3>>& points, int degree_u, int degree_v);

}  // namespace trammel::surfaces
