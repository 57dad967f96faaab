#include "analytic_curves.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trammel::geometry {

namespace {

/// cos u and sin u of a k-th derivative.
struct Turned {
  double c, s;
  Turned(double cosine, double sine, int k) {
    const double cs[] = {cosine, -sine, -cosine, sine};
    const double sn[] = {sine, cosine, -sine, -cosine};
    c = cs[k % 4];
    s = sn[k % 4];
  }
};

void require_perpendicular(const Vec3& a, const Vec3& b, const char* what) {
  if (!(a.norm() > 0) || !(b.norm() > 0)) throw Error(fmt::format("{} must not be zero", what));
  if (std::abs(a.dot(b)) > 1e-9 * a.norm() * b.norm())
    throw Error(fmt::format("{} must be perpendicular", what));
}

std::vector<double> by_turns(double from, double to) {
  std::vector<double> breaks{from};
  const int pieces = std::max(1, static_cast<int>(std::ceil((to - from) / (2 * std::numbers::pi))));
  for (int i = 1; i <= pieces; ++i) breaks.push_back(from + (to - from) * i / pieces);
  return breaks;
}

}  // namespace

Helix::Helix(const Vec3& centre, const Vec3& axis, const Vec3& radius, double pitch, double first_turn,
             double last_turn)
    : centre_(centre), x_(radius) {
  require_perpendicular(axis, radius, "the helix's axis and its radius");
  if (!(last_turn > first_turn))
    throw Error(fmt::format("the helix must end after it begins: turns {:g} to {:g}", first_turn, last_turn));
  const Vec3 z = axis.normalized();
  y_ = z.cross(x_);
  rise_ = pitch / (2 * std::numbers::pi) * z;
  set_domain(by_turns(2 * std::numbers::pi * first_turn, 2 * std::numbers::pi * last_turn), false);
}

void Helix::inside(double eta, int derivatives, CurvePoint& out) const {
  const double c = std::cos(eta), s = std::sin(eta);
  for (int k = 0; k <= derivatives; ++k) {
    const Turned t(c, s, k);
    out.d[static_cast<std::size_t>(k)] = t.c * x_ + t.s * y_;
  }
  out.d[0] += centre_ + eta * rise_;
  if (derivatives > 0) out.d[1] += rise_;
}

Cycloid::Cycloid(const Vec3& centre, const Vec3& along, const Vec3& up, double radius, double span)
    : centre_(centre), x_(radius * along.normalized()), y_(radius * up.normalized()) {
  require_perpendicular(along, up, "the cycloid's directions 'along' and 'up'");
  if (!(span < 0.999 * std::numbers::pi))
    throw Error(fmt::format("the cycloid has cusps at -pi and pi: a 'span' of {:g} rad reaches them", span));
  set_domain({-span, 0, span}, false);
}

void Cycloid::inside(double eta, int derivatives, CurvePoint& out) const {
  const double c = std::cos(eta), s = std::sin(eta);
  for (int k = 0; k <= derivatives; ++k) {
    const Turned t(c, s, k);
    out.d[static_cast<std::size_t>(k)] = t.s * x_ - t.c * y_;
  }
  out.d[0] += centre_ + eta * x_;
  if (derivatives > 0) out.d[1] += x_;
}

}  // namespace trammel::geometry
