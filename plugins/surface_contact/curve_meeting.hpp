#pragma once

#include <cmath>

#include "product_terms.hpp"
#include "trammel/curve.hpp"

// Points and unit tangents of two curves in a plane, with the derivatives that the contact of curves needs.

namespace trammel::surface_contact {

/// A vector that depends on the parameter of a curve, as a vector on a surface that depends on u alone.
inline SurfaceVector<2> along_u(const Vec3& v, const Vec3& v1, const Vec3& v2) {
  SurfaceVector<2> out = constant(v);
  out.by(1, 0) = v1;
  out.by(2, 0) = v2;
  return out;
}

/// The unit tangent with two derivatives.
inline SurfaceVector<2> tangent(const CurvePoint& c) {
  const Vec3 &a = c.d[1], &b = c.d[2];
  const double q = a.squaredNorm(), q1 = 2 * a.dot(b), q2 = 2 * (b.squaredNorm() + a.dot(c.d[3]));
  const double f = 1 / std::sqrt(q), f1 = -0.5 * f * q1 / q,
               f2 = f * (0.75 * q1 * q1 / (q * q) - 0.5 * q2 / q);
  return along_u(f * a, f * b + f1 * a, f * c.d[3] + 2 * f1 * b + f2 * a);
}

inline SurfaceVector<2> turned(const Vec3& axis, const SurfaceVector<2>& t) {
  return along_u(axis.cross(t.d[0]), axis.cross(t.by(1, 0)), axis.cross(t.by(2, 0)));
}

/// A point of each curve, with the unit tangents and two derivatives of them.
struct Meeting {
  CurvePoint one, two;
  SurfaceVector<2> t1, t2;
};
inline Meeting meeting(const Curve& one, const Curve& two, double eta_1, double eta_2) {
  Meeting m;
  one.evaluate(eta_1, 3, m.one);
  two.evaluate(eta_2, 3, m.two);
  m.t1 = tangent(m.one);
  m.t2 = tangent(m.two);
  return m;
}

/// The curvature in the plane, positive where the curve bends towards axis x tangent.
inline double curvature(const Vec3& axis, const Vec3& c1, const Vec3& c2) {
  const Vec3 a = c1 - axis * axis.dot(c1);
  return axis.dot(a.cross(c2)) / std::pow(a.norm(), 3);
}

inline bool is_inside(const Curve& curve, double eta) {
  return curve.closed() || (eta >= curve.first() && eta <= curve.last());
}

}  // namespace trammel::surface_contact
