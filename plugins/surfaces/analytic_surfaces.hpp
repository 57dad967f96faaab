#pragma once

#include "trammel/surface.hpp"

namespace trammel::surfaces {

/// cos and sin of an angle, and of their k-th derivatives.
struct Turn {
  double c, s;
  Turn(double angle, int k = 0);
};

/// (u, v, 0) [m], without edges; a part of the lengths `size_u` and `size_v` is drawn and searched for contacts.
class Plane final : public Surface {
 public:
  Plane(double size_u, double size_v, bool reversed);

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;
};

/// (r cos u, r sin u, v) with r = radius + slope v, u [rad], v [m] from `from` to `to`; a cylinder if the slope is zero. The
/// normal points away from e3.
class Cone final : public Surface {
 public:
  /// Throws Error if the radius vanishes between `from` and `to`.
  Cone(double radius, double slope, double from, double to, bool reversed);

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  double radius_, slope_;
};

/// (a cos v cos u, b cos v sin u, c sin v), u and v [rad]; poles on e3. The normal points outwards.
class Ellipsoid final : public Surface {
 public:
  Ellipsoid(const Vec3& semi_axes, bool reversed);

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  Vec3 axes_;
};

/// ((R + r cos v) cos u, (R + r cos v) sin u, r sin v), u and v [rad]. The normal points out of the tube.
class Torus final : public Surface {
 public:
  /// Throws Error if the tube meets itself, r >= R.
  Torus(double ring_radius, double tube_radius, bool reversed);

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  double ring_, tube_;
};

}  // namespace trammel::surfaces
