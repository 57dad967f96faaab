#pragma once

#include "trammel/jet_algebra.hpp"

namespace trammel {

/// A number that depends on n variables, with its gradient and its Hessian: the scalar in which a joint's residual
/// is evaluated. Operations are plain loops and not inlined: a formula of a few lines would take a minute to compile
/// otherwise, and run no faster.
template <int n>
struct SecondJet : JetAlgebra<SecondJet<n>> {
  static constexpr int variables = n;
  static constexpr int cost = n * n;
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

  /// f(u) for a function f with its derivatives at u.
  [[gnu::noinline]] friend SecondJet chain(const SecondJet& u, const Derivatives& f) {
    SecondJet y{NotZeroed{}};
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
    SecondJet y{NotZeroed{}};
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

 private:
  struct NotZeroed {};
  explicit SecondJet(NotZeroed) : gradient(), hessian() {}  // Eigen leaves fixed matrices as they are
};

}  // namespace trammel
