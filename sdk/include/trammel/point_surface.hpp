#pragma once

#include "trammel/export.hpp"
#include "trammel/surface.hpp"

namespace trammel {

/// A surface of which nothing but points is known: measured, solved for, or computed by foreign code. Its derivatives are central
/// differences with Richardson's extrapolation over steps h, 2h, 3h: up to 49 points an evaluation, the first and second ones
/// with an error of order h^6, the third ones of order h^4.
///
/// The loss of accuracy: with the step of 3e-3 of the range, a surface that goes through m waves over a range has, beside their
/// size, errors of about
///
///     first derivatives 4e-13 m^6 + 2e-14/m,  second 7e-13 m^6 + 3e-12/m^2,  third 8e-9 m^4 + 1e-10/m^3
///
/// where `point_at` is exact to rounding; of an error e [m] of the points themselves the derivatives have up to e/h, 3 e/h^2 and
/// 3 e/h^3, with h a length of parameters. Normals, and with them forces and velocities, take the first derivatives; curvatures
/// and accelerations the second; the third ones Newton's matrix alone. So points solved for need their full digits, and a table
/// between whose entries the surface has jumps of a derivative needs an interpolation that is smooth (`interpolated_surface`).
class TRAMMEL_API PointSurface : public Surface {
 public:
  static constexpr double default_step = 3e-3;

 protected:
  PointSurface() = default;
  /// As Surface::set_domain, and in its place. `step`: h by the ranges; larger where the points have errors, smaller where the
  /// surface changes over a small part of a range.
  void set_domain(const SurfaceRange& u, const SurfaceRange& v, bool reversed, double step = default_step);
  /// S(u, v) [m]. It is asked 3 h beyond the ends too, and there the surface must go on smoothly; a periodic one as much before
  /// and after its period.
  virtual Vec3 point_at(double u, double v) const = 0;

  void at(double u, double v, int derivatives, SurfacePoint& out) const final;

 private:
  double step_u_ = 0, step_v_ = 0;
  Reserved<4> more_reserved_;
};

}  // namespace trammel
