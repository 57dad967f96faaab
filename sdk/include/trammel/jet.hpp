#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>

#include "trammel/elementary.hpp"

namespace trammel {

/// A number that depends on time, with its first and second time derivative. Arithmetic and the functions
/// below carry the derivatives exactly, so a formula templated on its scalar gives its rates when fed with
/// jets.
struct Jet {
  double value = 0;
  double first = 0;   ///< d/dt
  double second = 0;  ///< d2/dt2

  constexpr Jet() = default;
  constexpr Jet(double constant) : value(constant) {}  // NOLINT: a number is a constant jet
  constexpr Jet(double f, double df, double ddf) : value(f), first(df), second(ddf) {}

  /// Time itself.
  static constexpr Jet time(double t) { return {t, 1, 0}; }

  constexpr bool is_constant() const { return first == 0 && second == 0; }

  Jet& operator+=(const Jet& b) { return *this = {value + b.value, first + b.first, second + b.second}; }
  Jet& operator-=(const Jet& b) { return *this = {value - b.value, first - b.first, second - b.second}; }
  Jet& operator*=(const Jet& b) {
    return *this = {value * b.value, first * b.value + value * b.first,
                    second * b.value + 2 * first * b.first + value * b.second};
  }
  Jet& operator/=(const Jet& b) {
    const double f = value / b.value, df = (first - f * b.first) / b.value;
    return *this = {f, df, (second - 2 * df * b.first - f * b.second) / b.value};
  }

  friend Jet operator+(Jet a, const Jet& b) { return a += b; }
  friend Jet operator-(Jet a, const Jet& b) { return a -= b; }
  friend Jet operator*(Jet a, const Jet& b) { return a *= b; }
  friend Jet operator/(Jet a, const Jet& b) { return a /= b; }
  friend Jet operator+(const Jet& a) { return a; }
  friend Jet operator-(const Jet& a) { return {-a.value, -a.first, -a.second}; }

  // Jets are ordered by value.
  friend bool operator<(const Jet& a, const Jet& b) { return a.value < b.value; }
  friend bool operator>(const Jet& a, const Jet& b) { return a.value > b.value; }
  friend bool operator<=(const Jet& a, const Jet& b) { return a.value <= b.value; }
  friend bool operator>=(const Jet& a, const Jet& b) { return a.value >= b.value; }
  friend bool operator==(const Jet& a, const Jet& b) { return a.value == b.value; }
  friend bool operator!=(const Jet& a, const Jet& b) { return a.value != b.value; }
};

/// f(u(t)) for a function f with its derivatives at u. A constant u gives a constant, also where f' is
/// infinite.
inline Jet chain(const Jet& u, const Derivatives& f) {
  if (u.is_constant()) return {f.f};
  return {f.f, f.d * u.first, f.d * u.second + f.dd * u.first * u.first};
}

/// f(a(t), b(t)).
inline Jet chain(const Jet& a, const Jet& b, const Derivatives2& f) {
  if (b.is_constant()) return chain(a, Derivatives{f.f, f.a, f.aa});
  if (a.is_constant()) return chain(b, Derivatives{f.f, f.b, f.bb});
  return {f.f, f.a * a.first + f.b * b.first,
          f.a * a.second + f.b * b.second + f.aa * a.first * a.first + 2 * f.ab * a.first * b.first +
              f.bb * b.first * b.first};
}

inline Jet sin(const Jet& x) { return chain(x, elementary::sin(x.value)); }
inline Jet cos(const Jet& x) { return chain(x, elementary::cos(x.value)); }
inline Jet tan(const Jet& x) { return chain(x, elementary::tan(x.value)); }
inline Jet asin(const Jet& x) { return chain(x, elementary::asin(x.value)); }
inline Jet acos(const Jet& x) { return chain(x, elementary::acos(x.value)); }
inline Jet atan(const Jet& x) { return chain(x, elementary::atan(x.value)); }
inline Jet sinh(const Jet& x) { return chain(x, elementary::sinh(x.value)); }
inline Jet cosh(const Jet& x) { return chain(x, elementary::cosh(x.value)); }
inline Jet tanh(const Jet& x) { return chain(x, elementary::tanh(x.value)); }
inline Jet exp(const Jet& x) { return chain(x, elementary::exp(x.value)); }
inline Jet log(const Jet& x) { return chain(x, elementary::log(x.value)); }
inline Jet log10(const Jet& x) { return chain(x, elementary::log10(x.value)); }
inline Jet sqrt(const Jet& x) { return chain(x, elementary::sqrt(x.value)); }
inline Jet abs(const Jet& x) { return chain(x, elementary::abs(x.value)); }
inline Jet floor(const Jet& x) { return elementary::floor(x.value).f; }
inline Jet ceil(const Jet& x) { return elementary::ceil(x.value).f; }
inline Jet pow(const Jet& x, double n) { return chain(x, elementary::power(x.value, n)); }
inline Jet pow(const Jet& a, const Jet& b) {
  if (b.is_constant()) return pow(a, b.value);
  return chain(a, b, elementary::power2(a.value, b.value));
}
inline Jet atan2(const Jet& y, const Jet& x) { return chain(y, x, elementary::atan2(y.value, x.value)); }
inline Jet hypot(const Jet& a, const Jet& b) { return chain(a, b, elementary::hypot(a.value, b.value)); }
inline Jet min(const Jet& a, const Jet& b) { return chain(a, b, elementary::min(a.value, b.value)); }
inline Jet max(const Jet& a, const Jet& b) { return chain(a, b, elementary::max(a.value, b.value)); }
inline bool isfinite(const Jet& x) {
  return std::isfinite(x.value) && std::isfinite(x.first) && std::isfinite(x.second);
}

/// Signals by which one jet is differentiated, and that a function reads without memory of its own.
inline constexpr int max_signals = 8;

/// A number that depends on n independent variables (time first, then signals), with its gradient and its
/// Hessian. A constant has n = 0, so that an infinite derivative never meets a zero gradient of a constant.
/// Nothing is allocated; entries past n are not initialised.
struct GradientJet {
  static constexpr int max_variables = 1 + max_signals;

  double value;
  int n = 0;
  std::array<double, max_variables> gradient;
  std::array<double, max_variables*(max_variables + 1) / 2> hessian;  ///< lower triangle, row by row

  GradientJet(double constant = 0) : value(constant) {}  // NOLINT: a number is a constant jet
  // Copies only what is in use.
  GradientJet(const GradientJet& other) : value(other.value), n(other.n) { copy(other); }
  GradientJet& operator=(const GradientJet& other) {
    value = other.value;
    n = other.n;
    copy(other);
    return *this;
  }

  /// Variable `index` of `count`, with the value x.
  static GradientJet variable(double x, int index, int count) {
    GradientJet u(x);
    u.n = count;
    for (int i = 0; i < count; ++i) u.g(i) = i == index ? 1 : 0;
    for (int k = 0; k < packed(count, 0); ++k) u.hessian[static_cast<std::size_t>(k)] = 0;
    return u;
  }

  static constexpr int packed(int row, int column) { return row * (row + 1) / 2 + column; }
  double& g(int i) { return gradient[static_cast<std::size_t>(i)]; }
  double g(int i) const { return gradient[static_cast<std::size_t>(i)]; }
  /// Entry of the Hessian, column <= row.
  double& h(int row, int column) { return hessian[static_cast<std::size_t>(packed(row, column))]; }
  double h(int row, int column) const { return hessian[static_cast<std::size_t>(packed(row, column))]; }

 private:
  void copy(const GradientJet& other) {
    std::copy_n(other.gradient.begin(), n, gradient.begin());
    std::copy_n(other.hessian.begin(), packed(n, 0), hessian.begin());
  }
};

/// f(u) for a function f with its derivatives at u.
inline GradientJet chain(const GradientJet& u, const Derivatives& f) {
  GradientJet y(f.f);
  y.n = u.n;
  for (int i = 0; i < u.n; ++i) {
    y.g(i) = f.d * u.g(i);
    for (int j = 0; j <= i; ++j) y.h(i, j) = f.d * u.h(i, j) + f.dd * u.g(i) * u.g(j);
  }
  return y;
}

/// f(a, b) for a function f with its derivatives at (a, b).
inline GradientJet chain(const GradientJet& a, const GradientJet& b, const Derivatives2& f) {
  if (b.n == 0) return chain(a, Derivatives{f.f, f.a, f.aa});
  if (a.n == 0) return chain(b, Derivatives{f.f, f.b, f.bb});
  GradientJet y(f.f);
  y.n = a.n;
  for (int i = 0; i < a.n; ++i) {
    y.g(i) = f.a * a.g(i) + f.b * b.g(i);
    for (int j = 0; j <= i; ++j) {
      y.h(i, j) = f.a * a.h(i, j) + f.b * b.h(i, j) + f.aa * a.g(i) * a.g(j) +
                  f.ab * (a.g(i) * b.g(j) + b.g(i) * a.g(j)) + f.bb * b.g(i) * b.g(j);
    }
  }
  return y;
}

}  // namespace trammel

/// Jets as the scalar of Eigen's matrices.
template <>
struct Eigen::NumTraits<trammel::Jet> : Eigen::NumTraits<double> {
  using Real = trammel::Jet;
  using NonInteger = trammel::Jet;
  using Nested = trammel::Jet;
  using Literal = double;
  enum { RequireInitialization = 1, ReadCost = 3, AddCost = 3, MulCost = 9 };
};
