#pragma once

#include <Eigen/Core>

#include "trammel/elementary.hpp"

namespace trammel {

/// A number that depends on n variables, with its gradient and its Hessian: the scalar in which a joint's residual
/// is evaluated. Plain value semantics, no expression templates, so `auto` and ternaries are safe.
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

  SecondJet& operator+=(const SecondJet& b) {
    value += b.value;
    gradient += b.gradient;
    hessian += b.hessian;
    return *this;
  }
  SecondJet& operator-=(const SecondJet& b) {
    value -= b.value;
    gradient -= b.gradient;
    hessian -= b.hessian;
    return *this;
  }
  SecondJet& operator*=(const SecondJet& b) { return *this = *this * b; }
  SecondJet& operator/=(const SecondJet& b) { return *this = *this / b; }

  friend SecondJet operator+(SecondJet a, const SecondJet& b) { return a += b; }
  friend SecondJet operator-(SecondJet a, const SecondJet& b) { return a -= b; }
  friend SecondJet operator-(const SecondJet& a) { return chain(a, elementary::negate(a.value)); }
  friend SecondJet operator+(const SecondJet& a) { return a; }
  friend SecondJet operator*(const SecondJet& a, const SecondJet& b) {
    SecondJet y;
    y.value = a.value * b.value;
    y.gradient = a.value * b.gradient + b.value * a.gradient;
    const Hessian ab = a.gradient * b.gradient.transpose();
    y.hessian = a.value * b.hessian + b.value * a.hessian + ab + ab.transpose();
    return y;
  }
  friend SecondJet operator/(const SecondJet& a, const SecondJet& b) {
    return chain(a, b, elementary::divide(a.value, b.value));
  }
  friend SecondJet operator*(const SecondJet& a, double b) {
    SecondJet y;
    y.value = a.value * b;
    y.gradient = a.gradient * b;
    y.hessian = a.hessian * b;
    return y;
  }
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
  friend SecondJet chain(const SecondJet& u, const Derivatives& f) {
    SecondJet y;
    y.value = f.f;
    y.gradient = f.d * u.gradient;
    y.hessian = f.d * u.hessian + f.dd * u.gradient * u.gradient.transpose();
    return y;
  }
  /// f(a, b) for a function f with its derivatives at (a, b).
  friend SecondJet chain(const SecondJet& a, const SecondJet& b, const Derivatives2& f) {
    SecondJet y;
    y.value = f.f;
    y.gradient = f.a * a.gradient + f.b * b.gradient;
    const Hessian ab = f.ab * a.gradient * b.gradient.transpose();
    y.hessian = f.a * a.hessian + f.b * b.hessian + f.aa * a.gradient * a.gradient.transpose() + ab +
                ab.transpose() + f.bb * b.gradient * b.gradient.transpose();
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
