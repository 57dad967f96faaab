#include "outlines.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel::surface_contact {

namespace {

constexpr double pi = std::numbers::pi;

/// The k-th derivative of a cos(x) e1 + b sin(x) e2 by x.
Vec3 turned(const PlaneAxes& axes, double a, double b, double x, int k) {
  const double y = x + 0.5 * k * pi;
  return a * std::cos(y) * axes.e1 + b * std::sin(y) * axes.e2;
}

}  // namespace

Ellipse::Ellipse(const PlaneAxes& axes, double a, double b) : axes_(axes), a_(a), b_(b) {
  set_domain({0, 2 * pi}, true);
}

void Ellipse::inside(double eta, int derivatives, CurvePoint& out) const {
  for (int k = 0; k <= derivatives; ++k) out.d[static_cast<std::size_t>(k)] = turned(axes_, a_, b_, eta, k);
  out.d[0] += axes_.origin;
}

Stadium::Stadium(const PlaneAxes& axes, double straight, double radius)
    : axes_(axes), half_(0.5 * straight), radius_(radius), arc_(pi * radius) {
  set_domain({0, half_, half_ + arc_, 3 * half_ + arc_, 3 * half_ + 2 * arc_, 4 * half_ + 2 * arc_}, true);
}

void Stadium::inside(double eta, int derivatives, CurvePoint& out) const {
  std::fill_n(out.d.begin(), derivatives + 1, Vec3(Vec3::Zero()));
  const auto line = [&](double along, double sense) {
    out.d[0] = axes_.origin + along * axes_.e1 - sense * radius_ * axes_.e2;
    if (derivatives > 0) out.d[1] = sense * axes_.e1;
  };
  const auto arc = [&](double s, double sense) {
    double scale = radius_;
    for (int k = 0; k <= derivatives; ++k, scale /= radius_)
      out.d[static_cast<std::size_t>(k)] = turned(axes_, scale, scale, s / radius_ - 0.5 * sense * pi, k);
    out.d[0] += axes_.origin + sense * half_ * axes_.e1;
  };
  if (eta < half_)
    line(eta, 1);
  else if (eta < half_ + arc_)
    arc(eta - half_, 1);
  else if (eta < 3 * half_ + arc_)
    line(2 * half_ + arc_ - eta, -1);
  else if (eta < 3 * half_ + 2 * arc_)
    arc(eta - 3 * half_ - arc_, -1);
  else
    line(eta - 4 * half_ - 2 * arc_, 1);
}

StraightLine::StraightLine(const PlaneAxes& axes, double half) : axes_(axes) {
  set_domain({-half, half}, false);
}

void StraightLine::inside(double eta, int derivatives, CurvePoint& out) const {
  std::fill_n(out.d.begin(), derivatives + 1, Vec3(Vec3::Zero()));
  out.d[0] = axes_.origin + eta * axes_.e1;
  if (derivatives > 0) out.d[1] = axes_.e1;
}

}  // namespace trammel::surface_contact
