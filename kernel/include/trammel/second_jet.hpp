#pragma once

#include <Eigen/Core>

#include "trammel/elementary.hpp"

namespace trammel {

/// A number that depends on n variables, with its gradient and its Hessian: the scalar in which a joint's residual
/// is evaluated. Plain value semantics, no expression templates, so `auto` and ternaries are safe. Operations are plain
/// loops and not inlined: a formula of a few lines would take a minute to compile otherwise, and run no faster.
template <int n>
struct SecondJet {
  static constexpr int variables = n;
  using Gradient = Eigen::Matrix<double, n, 1>;
  using Hessian = Eigen::Matrix<double, n, n>;

  double value = 0;
  Gradient gradient = Gradient::Zero();
  Hessian hessian = Hessian::Zero();

  SecondJet() = default;
  SecondJet(double constant) : value(constant) {}  // NOLINT: a number is a constant
  SecondJet(int constant) : value(constant) {}     // NOLINT

  explicit operator double() const { return value; }

  [[gnu::noinline]] SecondJet& operator+=(const SecondJet& b) {
    value += b.value;
    for (int i = 0; i < n; ++i) gradient.data()[i] += b.gradient.data()[i];
    for (int i = 0; i < n * n; ++i) hessian.data()[i] += b.hessian.data()[i];
    return *this;
  }
  [[gnu::noinline]] SecondJet& operator-=(const SecondJet& b) {
    value -= b.value;
    for (int i = 0; i < n; ++i) gradient.data()[i] -= b.gradient.data()[i];
    for (int i = 0; i < n * n; ++i) hessian.data()[i] -= b.hessian.data()[i];
    return *this;
  }
  SecondJet& operator*=(const SecondJet& b) { return *this = *this * b; }
  SecondJet& operator/=(const SecondJet& b) { return *this = *this / b; }

  friend SecondJet operator+(SecondJet a, const SecondJet& b) { return a += b; }
  friend SecondJet operator-(SecondJet a, const SecondJet& b) { return a -= b; }
  friend SecondJet operator-(const SecondJet& a) { return chain(a, elementary::negate(a.value)); }
  friend SecondJet operator+(const SecondJet& a) { return a; }
  friend SecondJet operator*(const SecondJet& a, const SecondJet& b) {
    return chain(a, b, {a.value * b.value, b.value, a.value, 0, 1, 0});
  }
  friend SecondJet operator/(const SecondJet& a, const SecondJet& b) {
    return chain(a, b, elementary::divide(a.value, b.value));
  }
  friend SecondJet operator*(const SecondJet& a, double b) { return chain(a, {a.value * b, b, 0}); }
  friend SecondJet operator*(double a, const SecondJet& b) { return b * a; }
  friend SecondJet operator/(const SecondJet& a, double b) { return a * (1 / b); }

  // Jets are ordered by value.
  friend bool operator<(const SecondJet& a, const SecondJet& b) { return a.value < b.value; }
  friend bool operator>(const SecondJet& a, const SecondJet& b) { return a.value > b.value; }
  friend bool operator<=(const SecondJet& a, const SecondJet& b) { return a.value <= b.value; }
  friend bool operator>=(const SecondJet& a, const SecondJet& b) { return a.value >= b.value; }
  friend bool operator==(const SecondJet& a, const SecondJet& b) { return a.value == b.value; }
  friend bool operator!=(const SecondJet& a, const SecondJet& b) { return a.value != b.value; }

  /// f(u) for a function f with its derivatives at u.
  [[gnu::noinline]] friend SecondJet chain(const SecondJet& u, const Derivatives& f) {
    SecondJet y;
    y.value = f.f;
    const double *g = u.gradient.data(), *H = u.hessian.data();
    for (int j = 0; j < n; ++j) y.gradient.data()[j] = f.d * g[j];
    for (int j = 0, k = 0; j < n; ++j) {
      const double by_j = f.dd * g[j];
      for (int i = 0; i < n; ++i, ++k) y.hessian.data()[k] = f.d * H[k] + by_j * g[i];
    }
    return y;
  }
  /// f(a, b) for a function f with its derivatives at (a, b).
  [[gnu::noinline]] friend SecondJet chain(const SecondJet& a, const SecondJet& b, const Derivatives2& f) {
    SecondJet y;
    y.value = f.f;
    const double *g = a.gradient.data(), *h = b.gradient.data();
    const double *G = a.hessian.data(), *H = b.hessian.data();
    for (int j = 0; j < n; ++j) y.gradient.data()[j] = f.a * g[j] + f.b * h[j];
    for (int j = 0, k = 0; j < n; ++j) {
      const double of_g = f.aa * g[j] + f.ab * h[j], of_h = f.ab * g[j] + f.bb * h[j];
      for (int i = 0; i < n; ++i, ++k)
        y.hessian.data()[k] = f.a * G[k] + f.b * H[k] + of_g * g[i] + of_h * h[i];
    }
    return y;
  }

  friend SecondJet sin(const SecondJet& x) { return chain(x, elementary::sin(x.value)); }
  friend SecondJet cos(const SecondJet& x) { return chain(x, elementary::cos(x.value)); }
  friend SecondJet tan(const SecondJet& x) { return chain(x, elementary::tan(x.value)); }
  friend SecondJet asin(const SecondJet& x) { return chain(x, elementary::asin(x.value)); }
  friend SecondJet acos(const SecondJet& x) { return chain(x, elementary::acos(x.value)); }
  friend SecondJet atan(const SecondJet& x) { return chain(x, elementary::atan(x.value)); }
  friend SecondJet sinh(const SecondJet& x) { return chain(x, elementary::sinh(x.value)); }
  friend SecondJet cosh(const SecondJet& x) { return chain(x, elementary::cosh(x.value)); }
  friend SecondJet tanh(const SecondJet& x) { return chain(x, elementary::tanh(x.value)); }
  friend SecondJet exp(const SecondJet& x) { return chain(x, elementary::exp(x.value)); }
  friend SecondJet log(const SecondJet& x) { return chain(x, elementary::log(x.value)); }
  friend SecondJet sqrt(const SecondJet& x) { return chain(x, elementary::sqrt(x.value)); }
  friend SecondJet abs(const SecondJet& x) { return chain(x, elementary::abs(x.value)); }
  friend SecondJet pow(const SecondJet& x, double p) { return chain(x, elementary::power(x.value, p)); }
  friend SecondJet atan2(const SecondJet& y, const SecondJet& x) {
    return chain(y, x, elementary::atan2(y.value, x.value));
  }
  friend SecondJet hypot(const SecondJet& a, const SecondJet& b) {
    return chain(a, b, elementary::hypot(a.value, b.value));
  }
};

}  // namespace trammel

/// Jets as the scalar of Eigen's matrices, alone and mixed with plain numbers.
template <int n>
struct Eigen::NumTraits<trammel::SecondJet<n>> : Eigen::NumTraits<double> {
  using Real = trammel::SecondJet<n>;
  using NonInteger = trammel::SecondJet<n>;
  using Nested = trammel::SecondJet<n>;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = n * n,
    AddCost = n * n,
    MulCost = 3 * n * n
  };
};
template <int n, class Op>
struct Eigen::ScalarBinaryOpTraits<trammel::SecondJet<n>, double, Op> {
  using ReturnType = trammel::SecondJet<n>;
};
template <int n, class Op>
struct Eigen::ScalarBinaryOpTraits<double, trammel::SecondJet<n>, Op> {
  using ReturnType = trammel::SecondJet<n>;
};
