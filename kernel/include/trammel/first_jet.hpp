#pragma once

#include <Eigen/Core>

#include "trammel/elementary.hpp"

namespace trammel {

/// A number that depends on n variables, with its gradient: a SecondJet where second derivatives are not wanted, with the
/// same functions.
template <int n>
struct FirstJet {
  static constexpr int variables = n;
  using Gradient = Eigen::Matrix<double, n, 1>;

  double value = 0;
  Gradient gradient = Gradient::Zero();

  FirstJet() = default;
  FirstJet(double constant) : value(constant) {}  // NOLINT: a number is a constant
  FirstJet(int constant) : value(constant) {}     // NOLINT

  explicit operator double() const { return value; }

  FirstJet& operator+=(const FirstJet& b) {
    value += b.value;
    for (int i = 0; i < n; ++i) gradient.data()[i] += b.gradient.data()[i];
    return *this;
  }
  FirstJet& operator-=(const FirstJet& b) {
    value -= b.value;
    for (int i = 0; i < n; ++i) gradient.data()[i] -= b.gradient.data()[i];
    return *this;
  }
  FirstJet& operator*=(const FirstJet& b) { return *this = *this * b; }
  FirstJet& operator/=(const FirstJet& b) { return *this = *this / b; }

  friend FirstJet operator+(FirstJet a, const FirstJet& b) { return a += b; }
  friend FirstJet operator-(FirstJet a, const FirstJet& b) { return a -= b; }
  friend FirstJet operator-(const FirstJet& a) { return chain(a, elementary::negate(a.value)); }
  friend FirstJet operator+(const FirstJet& a) { return a; }
  friend FirstJet operator*(const FirstJet& a, const FirstJet& b) {
    return chain(a, b, {a.value * b.value, b.value, a.value, 0, 1, 0});
  }
  friend FirstJet operator/(const FirstJet& a, const FirstJet& b) {
    return chain(a, b, elementary::divide(a.value, b.value));
  }
  friend FirstJet operator*(const FirstJet& a, double b) { return chain(a, {a.value * b, b, 0}); }
  friend FirstJet operator*(double a, const FirstJet& b) { return b * a; }
  friend FirstJet operator/(const FirstJet& a, double b) { return a * (1 / b); }

  // Jets are ordered by value.
  friend bool operator<(const FirstJet& a, const FirstJet& b) { return a.value < b.value; }
  friend bool operator>(const FirstJet& a, const FirstJet& b) { return a.value > b.value; }
  friend bool operator<=(const FirstJet& a, const FirstJet& b) { return a.value <= b.value; }
  friend bool operator>=(const FirstJet& a, const FirstJet& b) { return a.value >= b.value; }
  friend bool operator==(const FirstJet& a, const FirstJet& b) { return a.value == b.value; }
  friend bool operator!=(const FirstJet& a, const FirstJet& b) { return a.value != b.value; }

  /// f(u) for a function f with its derivatives at u.
  friend FirstJet chain(const FirstJet& u, const Derivatives& f) {
    FirstJet y;
    y.value = f.f;
    const double* g = u.gradient.data();
    for (int j = 0; j < n; ++j) y.gradient.data()[j] = f.d * g[j];
    return y;
  }
  /// f(a, b) for a function f with its derivatives at (a, b).
  friend FirstJet chain(const FirstJet& a, const FirstJet& b, const Derivatives2& f) {
    FirstJet y;
    y.value = f.f;
    const double *g = a.gradient.data(), *h = b.gradient.data();
    for (int j = 0; j < n; ++j) y.gradient.data()[j] = f.a * g[j] + f.b * h[j];
    return y;
  }

  friend FirstJet sin(const FirstJet& x) { return chain(x, elementary::sin(x.value)); }
  friend FirstJet cos(const FirstJet& x) { return chain(x, elementary::cos(x.value)); }
  friend FirstJet tan(const FirstJet& x) { return chain(x, elementary::tan(x.value)); }
  friend FirstJet asin(const FirstJet& x) { return chain(x, elementary::asin(x.value)); }
  friend FirstJet acos(const FirstJet& x) { return chain(x, elementary::acos(x.value)); }
  friend FirstJet atan(const FirstJet& x) { return chain(x, elementary::atan(x.value)); }
  friend FirstJet sinh(const FirstJet& x) { return chain(x, elementary::sinh(x.value)); }
  friend FirstJet cosh(const FirstJet& x) { return chain(x, elementary::cosh(x.value)); }
  friend FirstJet tanh(const FirstJet& x) { return chain(x, elementary::tanh(x.value)); }
  friend FirstJet exp(const FirstJet& x) { return chain(x, elementary::exp(x.value)); }
  friend FirstJet log(const FirstJet& x) { return chain(x, elementary::log(x.value)); }
  friend FirstJet sqrt(const FirstJet& x) { return chain(x, elementary::sqrt(x.value)); }
  friend FirstJet abs(const FirstJet& x) { return chain(x, elementary::abs(x.value)); }
  friend FirstJet pow(const FirstJet& x, double p) { return chain(x, elementary::power(x.value, p)); }
  friend FirstJet atan2(const FirstJet& y, const FirstJet& x) {
    return chain(y, x, elementary::atan2(y.value, x.value));
  }
  friend FirstJet hypot(const FirstJet& a, const FirstJet& b) {
    return chain(a, b, elementary::hypot(a.value, b.value));
  }
};

}  // namespace trammel

/// Jets as the scalar of Eigen's matrices, alone and mixed with plain numbers.
template <int n>
struct Eigen::NumTraits<trammel::FirstJet<n>> : Eigen::NumTraits<double> {
  using Real = trammel::FirstJet<n>;
  using NonInteger = trammel::FirstJet<n>;
  using Nested = trammel::FirstJet<n>;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = n,
    AddCost = n,
    MulCost = 3 * n
  };
};
template <int n, class Op>
struct Eigen::ScalarBinaryOpTraits<trammel::FirstJet<n>, double, Op> {
  using ReturnType = trammel::FirstJet<n>;
};
template <int n, class Op>
struct Eigen::ScalarBinaryOpTraits<double, trammel::FirstJet<n>, Op> {
  using ReturnType = trammel::FirstJet<n>;
};
