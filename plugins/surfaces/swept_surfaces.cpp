#include "swept_surfaces.hpp"

#include <numbers>

#include <fmt/format.h>

#include "analytic_surfaces.hpp"
#include "trammel/error.hpp"

namespace trammel::surfaces {

namespace {
SurfaceRange along(const Curve& curve) {
  return {.first = curve.first(), .last = curve.last(), .periodic = curve.closed()};
}
}  // namespace

Extrusion::Extrusion(std::shared_ptr<const Curve> profile, const Vec3& direction, double from, double to,
                     bool reversed)
    : profile_(std::move(profile)), direction_(direction) {
  if (!(to > from)) throw Error(fmt::format("'to' ({:g} m) must lie beyond 'from' ({:g} m)", to, from));
  set_domain(along(*profile_), {.first = from, .last = to}, reversed);
}

void Extrusion::at(double u, double v, int derivatives, SurfacePoint& out) const {
  CurvePoint c;
  profile_->evaluate(u, derivatives, c);
  for (int i = 0; i <= derivatives; ++i)
    for (int j = 0; i + j <= derivatives; ++j)
      out.by(i, j) = j == 0 ? c.d[static_cast<std::size_t>(i)] : Vec3(Vec3::Zero());
  out.d[0] += v * direction_;
  if (derivatives > 0) out.by(0, 1) = direction_;
}

Revolution::Revolution(std::shared_ptr<const Curve> profile, const Vec3& centre, const Vec3& axis,
                       bool reversed)
    : profile_(std::move(profile)), centre_(centre), axis_(axis) {
  set_domain({.first = 0, .last = 2 * std::numbers::pi, .periodic = true}, along(*profile_), reversed);
}

void Revolution::at(double u, double v, int derivatives, SurfacePoint& out) const {
  CurvePoint c;
  profile_->evaluate(v, derivatives, c);
  c.d[0] -= centre_;
  for (int j = 0; j <= derivatives; ++j) {
    const Vec3& r = c.d[static_cast<std::size_t>(j)];
    const Vec3 up = r.dot(axis_) * axis_, x = r - up, y = axis_.cross(r);
    for (int i = 0; i + j <= derivatives; ++i) {
      const Turn t(u, i);
      out.by(i, j) = t.c * x + t.s * y;
      if (i == 0) out.by(i, j) += up;
    }
  }
  out.d[0] += centre_;
}

}  // namespace trammel::surfaces
