#pragma once

#include "trammel/curve.hpp"
#include "trammel/surface.hpp"

namespace trammel::surfaces {

/// c(u) + v direction: u the parameter of the profile, v from `from` to `to` [m]; `direction` has unit length.
class Extrusion final : public Surface {
 public:
  Extrusion(std::shared_ptr<const Curve> profile, const Vec3& direction, double from, double to,
            bool reversed);

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  std::shared_ptr<const Curve> profile_;
  Vec3 direction_;
};

/// The profile turned about an axis by u [rad] (right-hand rule); v is the parameter of the profile.
class Revolution final : public Surface {
 public:
  /// `axis` has unit length. Throws Error if the profile meets the axis, where the surface would have no normal.
  Revolution(std::shared_ptr<const Curve> profile, const Vec3& centre, const Vec3& axis, bool reversed);

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  std::shared_ptr<const Curve> profile_;
  Vec3 centre_, axis_;
};

}  // namespace trammel::surfaces
