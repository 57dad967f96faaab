#include "line_contact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel::surface_contact {

namespace {

constexpr int samples = 16;         // of each parameter
constexpr double straight = 1e-8;   // of the normal along a line [rad]
constexpr double how_endless = 10;  // lengths of an endless range, to either side

bool is_cylinder(const Surface& surface, const Vec3& direction) {
  for (int i = 0; i <= samples; ++i)
    for (int j = 0; j <= samples; ++j) {
      const Vec3 n = surface.normal({surface.u().first + surface.u().length() * i / samples,
                                     surface.v().first + surface.v().length() * j / samples});
      if (!(std::abs(n.dot(direction)) < straight)) return false;
    }
  return true;
}

/// Narrows eta's interval to where x + eta dx lies in a range.
void narrow(const SurfaceRange& range, double x, double dx, double& first, double& last) {
  if (dx == 0) return;
  const double more = range.endless ? how_endless * range.length() : 0;
  double a = (range.first - more - x) / dx, b = (range.last + more - x) / dx;
  if (a > b) std::swap(a, b);
  first = std::max(first, a);
  last = std::min(last, b);
}

}  // namespace

SurfaceSection::SurfaceSection(std::shared_ptr<const Surface> surface, const SurfaceParameters& at, double du,
                               double dv, double first, double last, bool closed)
    : surface_(std::move(surface)), at_(at), du_(du), dv_(dv) {
  set_domain({first, last}, closed);
}

void SurfaceSection::inside(double eta, int derivatives, CurvePoint& out) const {
  SurfacePoint p;
  const auto at = [&](double x, int order) {
    surface_->evaluate({at_.u + x * du_, at_.v + x * dv_}, order, p);
  };
  const auto third = [&] {
    return Vec3(du_ * du_ * du_ * p.by(3, 0) + 3 * du_ * du_ * dv_ * p.by(2, 1) +
                3 * du_ * dv_ * dv_ * p.by(1, 2) + dv_ * dv_ * dv_ * p.by(0, 3));
  };
  if (derivatives > 3) {
    const double h = 1e-4 * (last() - first());
    at(eta + h, 3);
    const Vec3 ahead = third();
    at(eta - h, 3);
    out.d[4] = (ahead - third()) / (2 * h);
  }
  at(eta, std::min(derivatives, 3));
  out.d[0] = p.d[0];
  if (derivatives > 0) out.d[1] = du_ * p.by(1, 0) + dv_ * p.by(0, 1);
  if (derivatives > 1)
    out.d[2] = du_ * du_ * p.by(2, 0) + 2 * du_ * dv_ * p.by(1, 1) + dv_ * dv_ * p.by(0, 2);
  if (derivatives > 2) out.d[3] = third();
}

std::shared_ptr<const Curve> section_across(const std::shared_ptr<const Surface>& surface,
                                            const SurfaceParameters& at, const Vec3& direction) {
  if (!is_cylinder(*surface, direction)) return nullptr;
  SurfacePoint p;
  surface->evaluate(at, 1, p);
  const Vec3 Su = p.by(1, 0), Sv = p.by(0, 1);
  double du = 0, dv = 0;
  // A parameter alone where the other one runs along the line, so that a section round a periodic surface closes.
  if (Sv.normalized().cross(direction).norm() < straight) {
    du = 1;
  } else if (Su.normalized().cross(direction).norm() < straight) {
    dv = 1;
  } else {
    const Vec3 across = surface->normal(at).cross(direction);
    const Eigen::Matrix<double, 3, 2> S = (Eigen::Matrix<double, 3, 2>() << Su, Sv).finished();
    const Eigen::Vector2d rates = S.colPivHouseholderQr().solve(across);
    du = rates[0];
    dv = rates[1];
  }
  if ((dv == 0 && surface->u().periodic) || (du == 0 && surface->v().periodic))
    return std::make_shared<SurfaceSection>(surface, at, du, dv, 0.0,
                                            dv == 0 ? surface->u().length() : surface->v().length(), true);
  double first = -std::numeric_limits<double>::infinity(), last = -first;
  if (!surface->u().periodic) narrow(surface->u(), at.u, du, first, last);
  if (!surface->v().periodic) narrow(surface->v(), at.v, dv, first, last);
  if (!std::isfinite(last - first)) return nullptr;
  return std::make_shared<SurfaceSection>(surface, at, du, dv, first, last, false);
}

}  // namespace trammel::surface_contact
