#pragma once

#include <type_traits>

#include <Eigen/Core>

#include "trammel/elementary.hpp"

namespace trammel {

/// Common base of numbers with derivatives of any order: arithmetic, comparison and elementary functions, by the
/// chain rule. J derives from it and gives `value`, the constants, `+=`, `-=`, `chain` for functions of one and of
/// two
/// numbers, and `cost`, how many doubles it holds. Plain value semantics, no expression templates, so `auto` and
/// ternaries are safe.
template <class J>
struct JetAlgebra {
  static constexpr bool is_jet = true;

  J& operator*=(const J& b) { return self() = self() * b; }
  J& operator/=(const J& b) { return self() = self() / b; }

  friend J operator+(J a, const J& b) { return a += b; }
  friend J operator-(J a, const J& b) { return a -= b; }
  friend J operator-(const J& a) { return chain(a, elementary::negate(a.value)); }
  friend J operator+(const J& a) { return a; }
  friend J operator*(const J& a, const J& b) {
    return chain(a, b, {a.value * b.value, b.value, a.value, 0, 1, 0});
  }
  friend J operator/(const J& a, const J& b) { return chain(a, b, elementary::divide(a.value, b.value)); }
  friend J operator*(const J& a, double b) { return chain(a, {a.value * b, b, 0}); }
  friend J operator*(double a, const J& b) { return b * a; }
  friend J operator/(const J& a, double b) { return a * (1 / b); }

  // Jets are ordered by value.
  friend bool operator<(const J& a, const J& b) { return a.value < b.value; }
  friend bool operator>(const J& a, const J& b) { return a.value > b.value; }
  friend bool operator<=(const J& a, const J& b) { return a.value <= b.value; }
  friend bool operator>=(const J& a, const J& b) { return a.value >= b.value; }
  friend bool operator==(const J& a, const J& b) { return a.value == b.value; }
  friend bool operator!=(const J& a, const J& b) { return a.value != b.value; }

  friend J sin(const J& x) { return chain(x, elementary::sin(x.value)); }
  friend J cos(const J& x) { return chain(x, elementary::cos(x.value)); }
  friend J tan(const J& x) { return chain(x, elementary::tan(x.value)); }
  friend J asin(const J& x) { return chain(x, elementary::asin(x.value)); }
  friend J acos(const J& x) { return chain(x, elementary::acos(x.value)); }
  friend J atan(const J& x) { return chain(x, elementary::atan(x.value)); }
  friend J sinh(const J& x) { return chain(x, elementary::sinh(x.value)); }
  friend J cosh(const J& x) { return chain(x, elementary::cosh(x.value)); }
  friend J tanh(const J& x) { return chain(x, elementary::tanh(x.value)); }
  friend J exp(const J& x) { return chain(x, elementary::exp(x.value)); }
  friend J log(const J& x) { return chain(x, elementary::log(x.value)); }
  friend J sqrt(const J& x) { return chain(x, elementary::sqrt(x.value)); }
  friend J abs(const J& x) { return chain(x, elementary::abs(x.value)); }
  friend J pow(const J& x, double p) { return chain(x, elementary::power(x.value, p)); }
  friend J atan2(const J& y, const J& x) { return chain(y, x, elementary::atan2(y.value, x.value)); }
  friend J hypot(const J& a, const J& b) { return chain(a, b, elementary::hypot(a.value, b.value)); }
  friend J pow(const J& x, const J& p) { return chain(x, p, elementary::power2(x.value, p.value)); }
  // Where both are equal, the derivatives are those of the first.
  friend J min(const J& a, const J& b) { return chain(a, b, elementary::min(a.value, b.value)); }
  friend J max(const J& a, const J& b) { return chain(a, b, elementary::max(a.value, b.value)); }

 private:
  J& self() { return static_cast<J&>(*this); }
};

template <class J>
concept JetScalar = requires {
  requires J::is_jet;
};

/// `a` where the condition holds, else `b`: an `if` inside a formula. Their values must agree where the condition changes;
/// their derivatives need not.
template <JetScalar J>
J select(bool condition, const std::type_identity_t<J>& a, const J& b) {
  return condition ? a : b;
}
template <JetScalar J>
J select(bool condition, const J& a, double b) {
  return condition ? a : J(b);
}

}  // namespace trammel

/// Jets as the scalar of Eigen's matrices, alone and mixed with plain numbers.
template <trammel::JetScalar J>
struct Eigen::NumTraits<J> : Eigen::NumTraits<double> {
  using Real = J;
  using NonInteger = J;
  using Nested = J;
  using Literal = double;
  enum { RequireInitialization = 1, ReadCost = J::cost, AddCost = J::cost, MulCost = 3 * J::cost };
};
template <trammel::JetScalar J, class Op>
struct Eigen::ScalarBinaryOpTraits<J, double, Op> {
  using ReturnType = J;
};
template <trammel::JetScalar J, class Op>
struct Eigen::ScalarBinaryOpTraits<double, J, Op> {
  using ReturnType = J;
};
