#pragma once

#include "trammel/export.hpp"
#include "trammel/surface.hpp"

namespace trammel {

/// A surface that is known by points alone: measured, computed by iteration, or given by other code. Its derivatives are central
/// differences with Richardson extrapolation over the steps h, 2h, 3h, from up to 49 points for one evaluation. First and second
/// derivatives have errors of order h^6, third derivatives of order h^4.
///
/// Accuracy: with the default step of 3e-3 of the range, and a surface with m waves over the range, the relative errors are about
///
///     first derivatives 4e-13 m^6 + 2e-14/m,  second 7e-13 m^6 + 3e-12/m^2,  third 8e-9 m^4 + 1e-10/m^3
///
/// if `point_at` is exact to rounding. An error e [m] of the points causes errors of up to e/h, 3 e/h^2 and 3 e/h^3 in the
/// derivatives, with h the step in the parameter. Normals, forces and velocities depend on first derivatives, curvatures and
/// accelerations on second ones; only the tangent of Newton's method uses third ones. Points computed by iteration must
/// therefore have full precision. For a table of points use a smooth interpolation (`interpolated_surface`): a piecewise linear
/// one has jumps in its derivatives.
class TRAMMEL_API PointSurface : public Surface {
 public:
  static constexpr double default_step = 3e-3;

 protected:
  PointSurface() = default;
  /// Call this instead of Surface::set_domain. `step`: h as a fraction of the ranges. Choose it larger if the points have errors,
  /// smaller if the shape varies over a small part of a range.
  void set_domain(const SurfaceRange& u, const SurfaceRange& v, bool reversed, double step = default_step);
  /// S(u, v) [m]. It is also called up to 3 h beyond the edges, where the surface must continue smoothly; a periodic surface must
  /// be defined as far beyond its period.
  virtual Vec3 point_at(double u, double v) const = 0;

  void at(double u, double v, int derivatives, SurfacePoint& out) const final;

 private:
  double step_u_ = 0, step_v_ = 0;
  Reserved<4> more_reserved_;
};

}  // namespace trammel
