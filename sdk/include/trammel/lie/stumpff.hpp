#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "trammel/linear_algebra.hpp"

namespace trammel::lie {

/// 1/n!
constexpr double inverse_factorial(int n) {
  double result = 1.0;
  for (int i = 2; i <= n; ++i) result /= i;
  return result;
}

/// The sum over j < Terms of (-x)^j / (2 j + Order)!.
template <int Order, int Terms, class S>
S stumpff_series(const S& x) {
  static constexpr std::array<double, Terms> coefficients = [] {
    std::array<double, Terms> c{};
    for (int j = 0; j < Terms; ++j) {
      c[static_cast<std::size_t>(j)] = inverse_factorial(2 * j + Order) * (j % 2 == 0 ? 1.0 : -1.0);
    }
    return c;
  }();
  S sum(coefficients[Terms - 1]);
  for (std::size_t j = Terms - 1; j-- > 0;) sum = S(coefficients[j]) + S(x * sum);
  return sum;
}

/// The Stumpff functions C_0 ... C_Top at x = a^2: C_0 = cos a, C_1 = sin a / a, C_2 = (1 - cos a)/a^2, C_3 =
/// (a - sin a)/a^3, in general C_k = sum_j (-x)^j / (2 j + k)! = 1/k! - x C_{k+2}. They are entire functions
/// of x, so everything built on them is smooth at zero rotation; dC_k/dx = (k C_{k+2} - C_{k+1})/2. Up to x =
/// 12, where upward recursion would cancel, the two highest come from series and the rest by downward
/// recursion, which is stable.
template <int Top, class S>
std::array<S, Top + 1> stumpff(const S& x) {
  static_assert(Top >= 2);
  constexpr std::size_t top = Top;
  std::array<S, Top + 1> C;
  if constexpr (requires { x.derivatives(); }) {
    // An automatically differentiated scalar: series on its value only, derivatives by the rule above.
    const auto inner = stumpff<Top + 2>(x.value());
    using Inner = std::decay_t<decltype(inner[0])>;
    for (std::size_t k = 0; k <= top; ++k) {
      const Inner slope =
          Inner(Inner(0.5) * Inner(Inner(static_cast<double>(k)) * inner[k + 2] - inner[k + 1]));
      C[k] = S(inner[k], slope * x.derivatives());
    }
    return C;
  } else {
    const double size = value_of(x);
    if (size <= 12.0) {
      if (size <= 0.02) {
        C[top] = stumpff_series<Top, 7>(x);
        C[top - 1] = stumpff_series<Top - 1, 7>(x);
      } else if (size <= 1.0) {
        C[top] = stumpff_series<Top, 11>(x);
        C[top - 1] = stumpff_series<Top - 1, 11>(x);
      } else {
        C[top] = stumpff_series<Top, 18>(x);
        C[top - 1] = stumpff_series<Top - 1, 18>(x);
      }
      for (std::size_t k = top - 1; k-- > 0;) {
        C[k] = S(inverse_factorial(static_cast<int>(k))) - S(x * C[k + 2]);
      }
      return C;
    }
    using std::cos, std::sin, std::sqrt;
    const S a = sqrt(x);
    C[0] = cos(a);
    C[1] = S(sin(a) / a);
    for (std::size_t k = 2; k <= top; ++k) {
      C[k] = S(S(S(inverse_factorial(static_cast<int>(k) - 2)) - C[k - 2]) / x);
    }
    return C;
  }
}

}  // namespace trammel::lie
