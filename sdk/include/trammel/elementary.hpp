#pragma once

#include <cmath>
#include <numbers>

namespace trammel {

/// A function of one number with its first and second derivative at a point.
struct Derivatives {
  double f = 0, d = 0, dd = 0;
};

/// A function of two numbers a, b with its partial derivatives at a point.
struct Derivatives2 {
  double f = 0, a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};

/// Each elementary function with its exact first and second derivatives. Every jet (jet.hpp) and every parsed
/// expression takes its chain rule from here, so a function is written once. Outside its domain a function is
/// nan; at a pole or a branch point (sqrt at 0) the derivatives are infinite. At a jump or a kink the
/// derivatives are those of the right-hand side.
namespace elementary {

inline Derivatives sin(double x) {
  const double s = std::sin(x);
  return {s, std::cos(x), -s};
}
inline Derivatives cos(double x) {
  const double c = std::cos(x);
  return {c, -std::sin(x), -c};
}
inline Derivatives tan(double x) {
  const double f = std::tan(x), d = 1 + f * f;
  return {f, d, 2 * f * d};
}
inline Derivatives asin(double x) {
  const double q = (1 - x) * (1 + x), d = 1 / std::sqrt(q);
  return {std::asin(x), d, x * d / q};
}
inline Derivatives acos(double x) {
  const double q = (1 - x) * (1 + x), d = -1 / std::sqrt(q);
  return {std::acos(x), d, x * d / q};
}
inline Derivatives atan(double x) {
  const double d = 1 / (1 + x * x);
  return {std::atan(x), d, -2 * x * d * d};
}
inline Derivatives sinh(double x) {
  const double s = std::sinh(x);
  return {s, std::cosh(x), s};
}
inline Derivatives cosh(double x) {
  const double c = std::cosh(x);
  return {c, std::sinh(x), c};
}
inline Derivatives tanh(double x) {
  const double f = std::tanh(x), c = std::cosh(x), d = 1 / (c * c);
  return {f, d, -2 * f * d};
}
inline Derivatives exp(double x) {
  const double f = std::exp(x);
  return {f, f, f};
}
inline Derivatives log(double x) { return {std::log(x), 1 / x, -1 / (x * x)}; }
inline Derivatives log10(double x) {
  return {std::log10(x), 1 / (x * std::numbers::ln10), -1 / (x * x * std::numbers::ln10)};
}
inline Derivatives sqrt(double x) {
  const double f = std::sqrt(x);
  return {f, 1 / (2 * f), -1 / (4 * f * x)};
}
inline Derivatives abs(double x) { return {std::abs(x), x < 0 ? -1.0 : 1.0, 0}; }
inline Derivatives negate(double x) { return {-x, -1, 0}; }
/// -1, 0 or 1.
inline Derivatives sign(double x) { return {x < 0 ? -1.0 : (x > 0 ? 1.0 : x), 0, 0}; }
/// 0 for x < 0, else 1.
inline Derivatives step(double x) { return {x < 0 ? 0.0 : (x >= 0 ? 1.0 : x), 0, 0}; }
inline Derivatives floor(double x) { return {std::floor(x), 0, 0}; }
inline Derivatives ceil(double x) { return {std::ceil(x), 0, 0}; }
/// Degrees to radians.
inline Derivatives deg(double x) {
  constexpr double factor = std::numbers::pi / 180;
  return {x * factor, factor, 0};
}
/// x^n for a constant n; for a whole n any x is allowed, also x = 0 for n >= 0.
inline Derivatives power(double x, double n) {
  if (n == 2) return {x * x, 2 * x, 2};
  const auto term = [x](double factor, double exponent) {
    return factor == 0 ? 0.0 : factor * std::pow(x, exponent);
  };
  return {std::pow(x, n), term(n, n - 1), term(n * (n - 1), n - 2)};
}

// Laws that rise from 0 at x = 0 to 1 at x = 1 and are constant outside.

/// Shape x: a jump of the first derivative at both ends.
inline Derivatives unit_ramp(double x) {
  if (x < 0) return {0, 0, 0};
  if (x >= 1) return {1, 0, 0};
  return {x, 1, 0};
}
/// Shape x - sin(2 pi x) / (2 pi): first and second derivative are continuous.
inline Derivatives unit_cycloidal(double x) {
  if (x < 0) return {0, 0, 0};
  if (x >= 1) return {1, 0, 0};
  constexpr double w = 2 * std::numbers::pi;
  const double s = std::sin(w * x), half = std::sin(w / 2 * x);
  return {x - s / w, 2 * half * half, w * s};
}
/// Shape (1 - cos(pi x)) / 2: a jump of the second derivative at both ends.
inline Derivatives unit_harmonic(double x) {
  if (x < 0) return {0, 0, 0};
  if (x >= 1) return {1, 0, 0};
  constexpr double w = std::numbers::pi;
  const double half = std::sin(w / 2 * x);
  return {half * half, w / 2 * std::sin(w * x), w * w / 2 * std::cos(w * x)};
}
/// Shape 6 x^5 - 15 x^4 + 10 x^3: first and second derivative are continuous.
inline Derivatives unit_smoothstep(double x) {
  if (x < 0) return {0, 0, 0};
  if (x >= 1) return {1, 0, 0};
  const double y = x * (1 - x);
  return {x * x * x * (10 + x * (6 * x - 15)), 30 * y * y, 60 * y * (1 - 2 * x)};
}

inline Derivatives2 add(double a, double b) { return {a + b, 1, 1, 0, 0, 0}; }
inline Derivatives2 subtract(double a, double b) { return {a - b, 1, -1, 0, 0, 0}; }
inline Derivatives2 multiply(double a, double b) { return {a * b, b, a, 0, 1, 0}; }
inline Derivatives2 divide(double a, double b) {
  const double f = a / b;
  return {f, 1 / b, -f / b, 0, -1 / (b * b), 2 * f / (b * b)};
}
/// a^b. For a < 0 and a whole b the derivatives with respect to b are nan: use `power` where b is constant.
inline Derivatives2 power2(double a, double b) {
  const Derivatives p = power(a, b);
  if (a == 0 && b > 0) return {p.f, p.d, 0, p.dd, b > 1 ? 0.0 : -HUGE_VAL, 0};
  const double ln = std::log(a);
  return {p.f, p.d, p.f * ln, p.dd, std::pow(a, b - 1) * (1 + b * ln), p.f * ln * ln};
}
/// The angle of the point (x, y) = (b, a), in (-pi, pi].
inline Derivatives2 atan2(double a, double b) {
  const double r = std::hypot(a, b), u = a / r, v = b / r;
  const double twice = 2 * u * v / (r * r);
  return {std::atan2(a, b), v / r, -u / r, -twice, (u - v) * (u + v) / (r * r), twice};
}
inline Derivatives2 hypot(double a, double b) {
  const double f = std::hypot(a, b), u = a / f, v = b / f;
  return {f, u, v, v * v / f, -u * v / f, u * u / f};
}
/// Where a = b the derivatives are those of a; the same holds for max.
inline Derivatives2 min(double a, double b) {
  if (std::isnan(a) || a <= b) return {a, 1, 0, 0, 0, 0};
  return {b, 0, 1, 0, 0, 0};
}
inline Derivatives2 max(double a, double b) {
  if (std::isnan(a) || a >= b) return {a, 1, 0, 0, 0, 0};
  return {b, 0, 1, 0, 0, 0};
}
/// a - b floor(a / b): it has the sign of b.
inline Derivatives2 mod(double a, double b) {
  const double whole = std::floor(a / b);
  double f = std::fmod(a, b);
  if (f != 0 && (f < 0) != (b < 0)) f += b;
  return {f, 1, -whole, 0, 0, 0};
}

}  // namespace elementary
}  // namespace trammel
