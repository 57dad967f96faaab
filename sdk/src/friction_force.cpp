#include "trammel/friction_force.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// The force is exact while the slip along its initial direction is above this fraction of the initial slip.
constexpr double near_part = 0.1;

FrictionVector scaled(const std::array<double, 3>& by, int rows, const FrictionVector& v, double power) {
  FrictionVector out = FrictionVector::Zero();
  for (int i = 0; i < rows; ++i) out[i] = v[i] * std::pow(by[static_cast<std::size_t>(i)], power);
  return out;
}

}  // namespace

SlipDirection::SlipDirection(const std::array<double, 3>& sliding, int rows, const FrictionVector& slip,
                             const FrictionVector& multipliers, double rest) {
  const FrictionVector u = scaled(sliding, rows, slip, 1), pushed = scaled(sliding, rows, multipliers, -1);
  const double speed = u.norm(), force = pushed.norm();
  if (speed > rest)
    direction = u / speed;
  else if (force > 0)
    direction = pushed / force;
  near = std::max(near_part * speed, rest);
}

FrictionForce::FrictionForce(const std::array<double, 3>& sliding, int rows, const FrictionVector& slip,
                             double normal, const SlipDirection& course) {
  const FrictionVector& e = course.direction;
  const FrictionVector u = scaled(sliding, rows, slip, 1);
  const double a = u.dot(e);
  double counts = a, slope = 1;
  if (a < course.near) {
    const double rest = 2 - a / course.near;
    counts = course.near / rest;
    slope = 1 / (rest * rest);
  }
  const FrictionVector held = u + (counts - a) * e;
  const double size = held.norm();
  const FrictionVector unit = held / size;
  const Mat3 turn = (Mat3::Identity() - unit * unit.transpose()) / size;
  const Mat3 by_u = normal * turn * (Mat3::Identity() + (slope - 1) * e * e.transpose());
  FrictionVector D = FrictionVector::Zero();
  for (int i = 0; i < rows; ++i) D[i] = sliding[static_cast<std::size_t>(i)];
  by_normal = D.cwiseProduct(unit);
  force = normal * by_normal;
  by_slip = D.asDiagonal() * by_u * D.asDiagonal();
}

double cone_excess(const std::array<double, 3>& at_rest, int rows, const FrictionVector& multipliers,
                   double normal) {
  return scaled(at_rest, rows, multipliers, -1).norm() - normal;
}

}  // namespace trammel
