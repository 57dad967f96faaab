#include "io/expressions/expression_functions.hpp"

#include <numbers>

namespace trammel::grammar {

namespace {

Derivatives2 less(double a, double b) { return {a < b ? 1.0 : 0.0}; }
Derivatives2 less_or_equal(double a, double b) { return {a <= b ? 1.0 : 0.0}; }
Derivatives2 greater(double a, double b) { return {a > b ? 1.0 : 0.0}; }
Derivatives2 greater_or_equal(double a, double b) { return {a >= b ? 1.0 : 0.0}; }
Derivatives2 equal(double a, double b) { return {a == b ? 1.0 : 0.0}; }
Derivatives2 not_equal(double a, double b) { return {a != b ? 1.0 : 0.0}; }
Derivatives2 both(double a, double b) { return {a != 0 && b != 0 ? 1.0 : 0.0}; }
Derivatives2 either(double a, double b) { return {a != 0 || b != 0 ? 1.0 : 0.0}; }

constexpr FunctionEntry unary(std::string_view name, std::string_view signature, Derivatives (*f)(double)) {
  return {name, signature, f, nullptr, nullptr, false};
}
constexpr FunctionEntry binary(std::string_view name, std::string_view signature,
                               Derivatives2 (*f)(double, double)) {
  return {name, signature, nullptr, f, nullptr, false};
}
constexpr FunctionEntry law(std::string_view name, std::string_view signature, Derivatives (*f)(double)) {
  return {name, signature, nullptr, nullptr, f, false};
}

constexpr FunctionEntry function_table[] = {
    unary("sin", "sin(x)", elementary::sin),
    unary("cos", "cos(x)", elementary::cos),
    unary("tan", "tan(x)", elementary::tan),
    unary("asin", "asin(x)", elementary::asin),
    unary("acos", "acos(x)", elementary::acos),
    unary("atan", "atan(x)", elementary::atan),
    unary("sinh", "sinh(x)", elementary::sinh),
    unary("cosh", "cosh(x)", elementary::cosh),
    unary("tanh", "tanh(x)", elementary::tanh),
    unary("exp", "exp(x)", elementary::exp),
    unary("log", "log(x)", elementary::log),
    unary("log10", "log10(x)", elementary::log10),
    unary("sqrt", "sqrt(x)", elementary::sqrt),
    unary("abs", "abs(x)", elementary::abs),
    unary("sign", "sign(x)", elementary::sign),
    unary("step", "step(x)", elementary::step),
    unary("floor", "floor(x)", elementary::floor),
    unary("ceil", "ceil(x)", elementary::ceil),
    unary("deg", "deg(x)", elementary::deg),
    binary("atan2", "atan2(y, x)", elementary::atan2),
    binary("pow", "pow(x, n)", elementary::power2),
    binary("hypot", "hypot(a, b)", elementary::hypot),
    binary("mod", "mod(a, b)", elementary::mod),
    {"min", "min(a, b, ...)", nullptr, elementary::min, nullptr, true},
    {"max", "max(a, b, ...)", nullptr, elementary::max, nullptr, true},
    law("ramp", "ramp(x, x0, x1, y0, y1)", elementary::unit_ramp),
    law("cycloidal", "cycloidal(x, x0, x1, y0, y1)", elementary::unit_cycloidal),
    law("harmonic", "harmonic(x, x0, x1, y0, y1)", elementary::unit_harmonic),
    law("smoothstep", "smoothstep(x, x0, x1, y0, y1)", elementary::unit_smoothstep),
    {"if", "if(condition, a, b)", nullptr, nullptr, nullptr, false},
};

constexpr ConstantEntry constant_table[] = {{"pi", std::numbers::pi}, {"e", std::numbers::e}};

struct OperatorEntry {
  std::string_view sign;
  Derivatives2 (*function)(double, double);
};

constexpr OperatorEntry operator_table[] = {
    {"+", elementary::add},
    {"-", elementary::subtract},
    {"*", elementary::multiply},
    {"/", elementary::divide},
    {"^", elementary::power2},
    {"<", less},
    {"<=", less_or_equal},
    {">", greater},
    {">=", greater_or_equal},
    {"==", equal},
    {"!=", not_equal},
    {"and", both},
    {"or", either},
};

template <class Entry, std::size_t size>
const Entry* find(const Entry (&table)[size], std::string_view name) {
  for (const Entry& entry : table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

std::span<const FunctionEntry> functions() { return function_table; }
std::span<const ConstantEntry> constants() { return constant_table; }
const FunctionEntry* find_function(std::string_view name) { return find(function_table, name); }
const ConstantEntry* find_constant(std::string_view name) { return find(constant_table, name); }

Derivatives2 (*binary_operator(std::string_view sign))(double, double) {
  for (const OperatorEntry& entry : operator_table) {
    if (entry.sign == sign) return entry.function;
  }
  return nullptr;
}

Derivatives logical_not(double x) { return {x == 0 ? 1.0 : 0.0}; }

}  // namespace trammel::grammar
