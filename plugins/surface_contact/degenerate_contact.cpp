#include "degenerate_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/QR>

namespace trammel::surface_contact {

namespace {

constexpr double reach = 0.02;   // along the line, by the least radius of curvature
constexpr double closed = 1e-3;  // of the gap, by reach^4 radius / 8: what a circle leaves open to a parabola

}  // namespace

bool gap_stays_closed(const SurfacePair& pair, const SurfaceParameters& one, const SurfaceParameters& two) {
  const GapCurvatures gap = gap_curvatures(pair, one, two);
  const double radius = 1 / gap.of_surfaces, step = reach * radius;
  SurfacePoint p;
  pair.one.evaluate(one, 1, p);
  const Eigen::Matrix<double, 3, 2> S = (Eigen::Matrix<double, 3, 2>() << p.by(1, 0), p.by(0, 1)).finished();
  const Vec3 along = gap.least_direction, across = pair.one.normal(one).cross(along);
  const Eigen::Vector2d by_step = S.colPivHouseholderQr().solve(step * along);
  const Eigen::Vector2d by_side = S.colPivHouseholderQr().solve(reach * step * across);
  /// From the first surface to the second, at a place beside the contact point.
  const auto open = [&](double forward, double side) {
    const Eigen::Vector2d shift = forward * by_step + side * by_side;
    const SurfaceParameters at{one.u + shift[0], one.v + shift[1]};
    const Vec3 from = pair.one.point(at), in_two = pair.R_AB.transpose() * (from - pair.p_AB_A);
    const Vec3 to = pair.p_AB_A + pair.R_AB * pair.two.point(pair.two.nearest(in_two, two));
    return (to - from).dot(pair.one.normal(at));
  };
  double widest = 0;
  for (const double forward : {-1.0, 1.0}) {
    // The least of a parabola through three places across.
    const double a = open(forward, -1), b = open(forward, 0), c = open(forward, 1);
    const double bend = a - 2 * b + c, slope = 0.5 * (c - a);
    widest = std::max(widest, std::abs(bend > 0 ? b - slope * slope / (2 * bend) : b));
  }
  return widest < closed * std::pow(reach, 4) * radius / 8;
}

}  // namespace trammel::surface_contact
