#pragma once

#include "trammel/curve.hpp"

namespace trammel::geometry {

/// centre + radius (cos u, sin u, 0) + (0, 0, pitch u / 2 pi) in the axes (x, y, z); eta = u [rad].
class Helix final : public Curve {
 public:
  /// `radius`: from the centre to the point at u = 0; `axis`: of unit length. Throws Error where they are not
  /// perpendicular.
  Helix(const Vec3& centre, const Vec3& axis, const Vec3& radius, double pitch, double first_turn,
        double last_turn);

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override;

 private:
  Vec3 centre_, x_, y_, rise_;
};

/// The path of a point of a circle of radius r that rolls below a line: centre + r ((u + sin u) x - cos u y), lowest at
/// u = 0, with cusps at u = -pi and pi; eta = u [rad].
class Cycloid final : public Curve {
 public:
  /// `along` and `up`: x and y, of unit length. Throws Error where `span`, the largest |u|, reaches the cusps.
  Cycloid(const Vec3& centre, const Vec3& along, const Vec3& up, double radius, double span);

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override;

 private:
  Vec3 centre_, x_, y_;
};

}  // namespace trammel::geometry
