#pragma once

#include <cmath>
#include <memory>
#include <numbers>

#include "trammel/curve.hpp"

namespace trammel::curve_sliding {

/// The trefoil ((2 + cos 3u) cos 2u, (2 + cos 3u) sin 2u, sin 3u): closed, in space, its curvature nowhere zero.
class Trefoil final : public Curve {
 public:
  Trefoil() { set_domain({0, 2, 4, 2 * std::numbers::pi}, true); }

 protected:
  void inside(double u, int derivatives, CurvePoint& out) const override {
    for (int k = 0; k <= derivatives; ++k) {
      // k-th derivatives of cos(n u) and sin(n u)
      const auto c = [&](int n) { return std::pow(n, k) * std::cos(n * u + k * 0.5 * std::numbers::pi); };
      const auto s = [&](int n) { return std::pow(n, k) * std::sin(n * u + k * 0.5 * std::numbers::pi); };
      out.d[static_cast<std::size_t>(k)] << 2 * c(2) + 0.5 * (c(5) + c(1)), 2 * s(2) + 0.5 * (s(5) - s(1)),
          s(3);
    }
  }
};

/// (u, a u^2, b u^3) from -1 to 1, or another span; straight for a = b = 0.
class Cubic final : public Curve {
 public:
  explicit Cubic(double a = 1, double b = 1, double from = -1, double to = 1) : a_(a), b_(b) {
    set_domain({from, 0.5 * (from + to), to}, false);
  }

 protected:
  void inside(double u, int derivatives, CurvePoint& out) const override {
    const double powers[5][3] = {
        {u, u * u, u * u * u}, {1, 2 * u, 3 * u * u}, {0, 2, 6 * u}, {0, 0, 6}, {0, 0, 0}};
    for (int k = 0; k <= derivatives; ++k)
      out.d[static_cast<std::size_t>(k)] = Vec3(powers[k][0], a_ * powers[k][1], b_ * powers[k][2]);
  }

 private:
  double a_, b_;
};

/// A right angle: (u, 0, 0) and (0, u, 0).
class Corner final : public Curve {
 public:
  Corner() { set_domain({-1, 0, 1}, false); }

 protected:
  void inside(double u, int derivatives, CurvePoint& out) const override {
    for (Vec3& d : out.d) d.setZero();
    (u < 0 ? out.d[0].x() : out.d[0].y()) = u;
    if (derivatives > 0) (u < 0 ? out.d[1].x() : out.d[1].y()) = 1;
  }
};

}  // namespace trammel::curve_sliding
