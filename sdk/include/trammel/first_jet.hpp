#pragma once

#include "trammel/jet_algebra.hpp"

namespace trammel {

/// A number that depends on n variables, with its gradient: a SecondJet where second derivatives are not wanted, with the
/// same functions.
template <int n>
struct FirstJet : JetAlgebra<FirstJet<n>> {
  static constexpr int variables = n;
  static constexpr int cost = n;
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

  /// f(u) for a function f with its derivatives at u.
  friend FirstJet chain(const FirstJet& u, const Derivatives& f) {
    FirstJet y{NotZeroed{}};
    y.value = f.f;
    const double* g = u.gradient.data();
    for (int j = 0; j < n; ++j) y.gradient.data()[j] = f.d * g[j];
    return y;
  }
  /// f(a, b) for a function f with its derivatives at (a, b).
  friend FirstJet chain(const FirstJet& a, const FirstJet& b, const Derivatives2& f) {
    FirstJet y{NotZeroed{}};
    y.value = f.f;
    const double *g = a.gradient.data(), *h = b.gradient.data();
    for (int j = 0; j < n; ++j) y.gradient.data()[j] = f.a * g[j] + f.b * h[j];
    return y;
  }

 private:
  struct NotZeroed {};
  explicit FirstJet(NotZeroed) : gradient() {}  // Eigen leaves fixed matrices as they are
};

}  // namespace trammel
