#pragma once

#include <span>
#include <string_view>

#include "trammel/elementary.hpp"

namespace trammel::grammar {

/// A function that an expression may call. Exactly one of `unary`, `binary` and `law` is set, none for `if`.
struct FunctionEntry {
  std::string_view name;
  std::string_view signature;  ///< "atan2(y, x)", for messages
  Derivatives (*unary)(double) = nullptr;
  Derivatives2 (*binary)(double, double) = nullptr;
  /// A rise from 0 to 1 over the unit interval, called as law(x, x0, x1, y0, y1).
  Derivatives (*law)(double) = nullptr;
  bool any_number = false;  ///< two or more arguments, taken pairwise: min, max

  /// Number of arguments; the least one where any number may be given.
  int arguments() const { return unary ? 1 : (binary ? 2 : (law ? 5 : 3)); }
};

/// A constant that an expression may name.
struct ConstantEntry {
  std::string_view name;
  double value;
};

std::span<const FunctionEntry> functions();
std::span<const ConstantEntry> constants();

/// The entry of a name, or nullptr.
const FunctionEntry* find_function(std::string_view name);
const ConstantEntry* find_constant(std::string_view name);

/// The function behind a binary operator's sign ("+", "<=", "and").
Derivatives2 (*binary_operator(std::string_view sign))(double, double);

/// 1 where x is 0, else 0.
Derivatives logical_not(double x);

}  // namespace trammel::grammar
