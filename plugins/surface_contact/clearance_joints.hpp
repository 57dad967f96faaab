#pragma once

#include <array>

#include "trammel/registry.hpp"
#include "trammel/surface.hpp"

namespace trammel::surface_contact {

/// S(u, v) = Q (c + ((p + a cos v) cos u kx, (p + a cos v) sin u ky, b sin v)), u all round, |v| <= most_v: an ellipsoid
/// (p = 0), or the tread of a wheel (a = b). The normal points away from the axis Q e3, with a > 0 and kx, ky > 0.
struct TurnedArcShape {
  Mat3 Q = Mat3::Identity();
  double p = 0, a = 1, b = 1, kx = 1, ky = 1;
  double most_v = 1.57;  ///< [rad]
};
class TurnedArc final : public Surface {
 public:
  TurnedArc(const TurnedArcShape& shape, bool reversed);

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  TurnedArcShape shape_;
};

/// Adds the joints that make their own outlines and surfaces: clearance_revolute, clearance_spherical, pin_in_slot, cam,
/// wheel_on_surface.
void add_clearances(Registry& registry);

}  // namespace trammel::surface_contact
