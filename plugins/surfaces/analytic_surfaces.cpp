#include "analytic_surfaces.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel::surfaces {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double beside_a_pole = 1e-3;  // [rad]: where an ellipsoid ends

SurfaceRange around() { return {.first = 0, .last = 2 * pi, .periodic = true}; }

/// Calls f(i, j) for all derivatives up to an order.
template <class F>
void for_derivatives(int order, F&& f) {
  for (int i = 0; i <= order; ++i)
    for (int j = 0; i + j <= order; ++j) f(i, j);
}

}  // namespace

Turn::Turn(double angle, int k) {
  const double cosine = std::cos(angle), sine = std::sin(angle);
  c = k % 2 == 0 ? cosine : sine;
  s = k % 2 == 0 ? sine : cosine;
  if (k % 4 == 1 || k % 4 == 2) c = -c;
  if (k % 4 == 2 || k % 4 == 3) s = -s;
}

Plane::Plane(double size_u, double size_v, bool reversed) {
  set_domain({.first = -0.5 * size_u, .last = 0.5 * size_u, .endless = true},
             {.first = -0.5 * size_v, .last = 0.5 * size_v, .endless = true}, reversed);
}

void Plane::at(double u, double v, int derivatives, SurfacePoint& out) const {
  for_derivatives(derivatives, [&](int i, int j) { out.by(i, j).setZero(); });
  out.d[0] = Vec3(u, v, 0);
  if (derivatives == 0) return;
  out.by(1, 0) = Vec3::UnitX();
  out.by(0, 1) = Vec3::UnitY();
}

Cone::Cone(double radius, double slope, double from, double to, bool reversed)
    : radius_(radius), slope_(slope) {
  if (!(to > from)) throw Error(fmt::format("'to' ({:g} m) must lie beyond 'from' ({:g} m)", to, from));
  if (!(radius + slope * from > 0) || !(radius + slope * to > 0))
    throw Error(
        fmt::format("the cone's radius is {:g} m at {:g} m and {:g} m at {:g} m: its tip, which has no "
                    "normal, must lie outside",
                    radius + slope * from, from, radius + slope * to, to));
  set_domain(around(), {.first = from, .last = to}, reversed);
}

void Cone::at(double u, double v, int derivatives, SurfacePoint& out) const {
  const double r = radius_ + slope_ * v;
  for_derivatives(derivatives, [&](int i, int j) {
    const Turn t(u, i);
    const double by_v = j == 0 ? r : j == 1 ? slope_ : 0;
    out.by(i, j) = Vec3(by_v * t.c, by_v * t.s, 0);
  });
  out.d[0].z() = v;
  if (derivatives > 0) out.by(0, 1).z() = 1;
}

Ellipsoid::Ellipsoid(const Vec3& semi_axes, bool reversed) : axes_(semi_axes) {
  if (!(axes_.minCoeff() > 0)) throw Error("the semi-axes of an ellipsoid must be positive");
  const double end = 0.5 * pi - beside_a_pole;
  set_domain(around(), {.first = -end, .last = end}, reversed);
}

void Ellipsoid::at(double u, double v, int derivatives, SurfacePoint& out) const {
  for_derivatives(derivatives, [&](int i, int j) {
    const Turn a(u, i), b(v, j);
    out.by(i, j) = Vec3(axes_.x() * b.c * a.c, axes_.y() * b.c * a.s, i == 0 ? axes_.z() * b.s : 0.0);
  });
}

Torus::Torus(double ring_radius, double tube_radius, bool reversed) : ring_(ring_radius), tube_(tube_radius) {
  if (!(tube_ < ring_))
    throw Error(
        fmt::format("the tube's radius of {:g} m must be below the ring's, {:g} m: the torus meets itself",
                    tube_, ring_));
  set_domain(around(), around(), reversed);
}

void Torus::at(double u, double v, int derivatives, SurfacePoint& out) const {
  for_derivatives(derivatives, [&](int i, int j) {
    const Turn a(u, i), b(v, j);
    const double r = (j == 0 ? ring_ : 0) + tube_ * b.c;
    out.by(i, j) = Vec3(r * a.c, r * a.s, i == 0 ? tube_ * b.s : 0.0);
  });
}

}  // namespace trammel::surfaces
