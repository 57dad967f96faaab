#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/expression.hpp"
#include "trammel/parameters.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// A map with a `type` that may stand for a function, as the reader checks it.
struct FunctionType {
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters;  ///< `type` apart
};
std::vector<FunctionType> described_functions();

/// Knows the named parameters and functions of a case, and the indices of the entry that is being repeated: turns
/// texts into numbers and functions. Expressions are parsed once.
class CaseContext final : public ValueContext {
 public:
  /// Takes the map of named parameters, each a number or an expression of others; `overrides` replace texts.
  /// Throws Error at the place of the one at fault.
  void set_parameters(const Value* map, const std::vector<std::pair<std::string, std::string>>& overrides);
  /// Takes the map of named functions, which must outlive the context, and reads all of them.
  void set_functions(const Value* map);

  /// The indices that numbers and functions may use from now on.
  void set_indices(ParameterValues indices);
  const ParameterValues& indices() const { return indices_; }
  const ParameterValues& parameters() const { return in_numbers_.parameters; }

  double number(const Value& value) const override;
  /// A number, an expression of time and signals, the name of a function, or a map with a `type`.
  FunctionPtr function(const Value& value) const override;

  /// The value of an expression of parameters and indices. Throws Error at `where`.
  double evaluate(std::string_view text, const Location& where) const;
  /// As `evaluate`; it must be a whole number.
  long whole_number(std::string_view text, const Location& where) const;

 private:
  struct Constant {
    double value = 0;                      ///< of a text without indices
    std::optional<Expression> expression;  ///< of the indices
  };

  /// The same names and those of the indices.
  Names with_indices(Names names) const;
  bool mentions_index(std::string_view text) const;
  double computed(const std::string& text, const Location& where) const;
  FunctionPtr named_function(const std::string& name, const Location& where) const;
  FunctionPtr read_function(const Value& value) const;
  FunctionPtr function_of_map(const Value& map) const;

  Names in_numbers_;    ///< what numbers may name, indices apart
  Names in_functions_;  ///< what functions may name
  ParameterValues indices_;
  std::vector<std::string> function_names_;
  const Value* functions_ = nullptr;
  mutable std::unordered_map<std::string, Constant> numbers_;
  mutable std::unordered_map<std::string, FunctionPtr> by_text_;
  mutable std::unordered_map<std::string, FunctionPtr> named_;
  mutable std::vector<std::string> resolving_;
  mutable int reading_ = 0;  ///< functions given as maps, one within the other
};

}  // namespace trammel
