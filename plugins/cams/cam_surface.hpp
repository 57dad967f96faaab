#pragma once

#include <vector>

#include "spline_outline.hpp"
#include "trammel/surface.hpp"

namespace trammel::cams {

/// What a case says of a cam's surface beside its outline.
struct CamWidth {
  double width = 0;  ///< along e3, half to either side [m]
  double crown = 0;  ///< by which the outline lies further in at the edges than in the middle [m]
};

/// The surface of a disk cam as a NURBS surface with n x 4 control points, of degree 5 around (eta of the outline) and 3 across
/// (v from 0 to 1): P_ij = C_i + d_j N_i + z_j e3, with C_i and N_i those of the splines through points and outward normals of
/// the outline, d = (-crown, crown/3, crown/3, -crown) and z = width (-1/2, -1/6, 1/6, 1/2). Bernstein's polynomials make of it
///
///     S(eta, v) = C(eta) - crown (2 v - 1)^2 N(eta) + width (v - 1/2) e3
///
/// a barrel whose middle is the outline, or a cylinder without a crown. The normal points away from the axis.
class CamSurface final : public Surface {
 public:
  /// `outline` runs clockwise about e3, as CamProfile does. Throws Error as SplineOutline does.
  CamSurface(const Curve& outline, const KnotChoice& choice, const CamWidth& across, bool reversed);

  /// The pieces between knots, where the curvature may jump.
  std::vector<SurfacePatch> patches() const override;

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  CamWidth across_;
  ClosedSpline points_, normals_;
};

}  // namespace trammel::cams
