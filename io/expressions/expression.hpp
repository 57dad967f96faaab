#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/expressions/expression_grammar.hpp"
#include "trammel/function.hpp"
#include "trammel/quoted.hpp"

namespace trammel {

/// Named numbers.
using ParameterValues = std::map<std::string, double, std::less<>>;

/// What the names in an expression may stand for, besides the constants pi and e and the functions.
struct Names {
  ParameterValues parameters;
  bool time = false;  ///< `t` is allowed
  /// The signals that may be read ("B.angle").
  std::vector<std::string> signals;
  /// Take every other dotted name as a signal, to be looked up later by the caller.
  bool any_signal = false;
  /// Functions of the case, which an expression cannot read: for messages. They outlive the names.
  std::span<const std::string> functions = {};

  /// Only parameters: for numbers.
  static Names constants(ParameterValues parameters = {}) {
    return {std::move(parameters), false, {}, false, {}};
  }
  /// Parameters and time.
  static Names of_time(ParameterValues parameters = {}) {
    return {std::move(parameters), true, {}, false, {}};
  }
  /// Parameters, time and any dotted name.
  static Names of_time_and_signals(ParameterValues parameters = {}) {
    return {std::move(parameters), true, {}, true, {}};
  }
};

/// A parsed expression of time, signals and parameters (docs/expressions.md), with exact first and second
/// derivatives. Parameters are put in when it is parsed, and constant parts are computed then. Evaluation
/// allocates nothing up to max_signals signals, and may run in several threads.
class Expression {
 public:
  /// Throws ExpressionError: the column, what was found and what was expected, the nearest known name.
  Expression(std::string_view text, const Names& names);

  const std::string& text() const { return text_; }
  bool is_constant() const { return !reads_time_ && signals_.empty(); }
  bool reads_time() const { return reads_time_; }
  /// The signals that it reads, in the order of their first appearance.
  const std::vector<std::string>& signals() const { return signals_; }

  /// The value of a constant expression, finite. Throws ExpressionError where it is nan or infinite (naming
  /// the operation where that began) or where the expression is not constant.
  double constant() const;

  /// Value and first and second time derivative of an expression without signals. They may be nan.
  Jet at(double t) const;

  /// Value and all derivatives at the values of `signals()`. They may be nan.
  void evaluate(double t, std::span<const double> signals, FunctionValue& out) const;
  /// The value alone, the same.
  double value_at(double t, std::span<const double> signals) const;

 private:
  friend class ExpressionCompiler;
  friend class ExpressionFormula;

  /// As `evaluate`, for more signals than a jet is differentiated by.
  void evaluate_by_groups(double t, std::span<const double> signals, FunctionValue& out) const;

  /// One step of a stack machine: it takes its operands from the top of the stack and leaves its result
  /// there.
  struct Instruction {
    enum class Kind : std::uint8_t { number, variable, unary, power, binary, jump, jump_if_zero };
    Kind kind = Kind::number;
    int index = 0;      ///< of a variable, or where to jump to
    double number = 0;  ///< a number, or a constant exponent
    Derivatives (*unary)(double) = nullptr;
    Derivatives2 (*binary)(double, double) = nullptr;
  };
  /// Largest number of values on the stack of the machine.
  static constexpr int max_stack = 64;

  template <class Scalar>
  Scalar run(std::span<const Scalar> variables) const;

  std::string text_;
  std::vector<Instruction> code_;
  std::vector<std::string> signals_;
  bool reads_time_ = false;
  int blame_column_ = 0;    // where a constant first became nan or infinite
  std::string blame_text_;  // and by what
};

/// The finite value of a text that may use parameters, pi and e: "2*pi/n". Throws ExpressionError.
double evaluate_constant(std::string_view text, const ParameterValues& parameters = {});

/// Throws Error where a name that a case gives to a number is no identifier, or belongs to time, an operator, a function or
/// a constant.
void check_own_name(std::string_view name);

/// A named parameter whose definition is at fault.
class ParameterError : public ExpressionError {
 public:
  ParameterError(std::string name, int column, const std::string& what)
      : ExpressionError(column, "parameter " + in_quotes(name) + ": " + what), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// Computes parameters, each with its text, that may be expressions of each other in any order.
/// Throws ParameterError for a text that does not parse, an unknown name, a cycle ("a -> b -> a"), a name
/// given twice, a name that is no identifier or that already belongs to a function or a constant.
ParameterValues resolve_parameters(const std::vector<std::pair<std::string, std::string>>& definitions);

}  // namespace trammel
