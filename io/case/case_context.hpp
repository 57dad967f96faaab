#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/expressions/expression.hpp"
#include "trammel/formula.hpp"
#include "trammel/parameters.hpp"
#include "trammel/registry.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// Description of a map with a `type` that is allowed as a function.
struct FunctionType {
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters;  ///< `type` apart
};
std::vector<FunctionType> described_functions();

/// The named parameters and functions of a case, and the indices of the entry that is being repeated. Turns texts
/// into numbers and functions. Each expression is parsed once.
class CaseContext final : public ValueContext, public FormulaReader {
 public:
  /// Sets the named parameters, each a number or an expression of others. `overrides` replace texts of the map.
  /// Throws Error at the position of a faulty parameter.
  void set_parameters(const Value* map, const std::vector<std::pair<std::string, std::string>>& overrides);
  /// Sets the map of named functions, which must outlive the context. Reads all of them except those of types that
  /// are not known yet.
  void set_functions(const Value* map);
  /// Types of functions that plugins offer; reads the named functions that waited for them. The registry must outlive the
  /// context.
  void use_types(const Registry& registry);

  /// The indices that numbers and functions may use from now on.
  void set_indices(ParameterValues indices);
  /// Other values of the present indices, in the order of their names.
  void change_indices(const double* values);
  const ParameterValues& indices() const { return indices_; }
  const ParameterValues& parameters() const { return in_numbers_.parameters; }

  double number(const Value& value) const override;
  /// A number, an expression of time and signals, the name of a function, or a map with a `type`.
  FunctionPtr function(const Value& value) const override;
  FormulaPtr formula(const Value& value, const FormulaNames& names) const override;
  void check_name(std::string_view name, const Location& where) const override;

  /// The value of an expression of parameters and indices. Throws Error at `where`.
  double evaluate(std::string_view text, const Location& where) const;
  /// As `evaluate`; it must be a whole number.
  long whole_number(std::string_view text, const Location& where) const;

 private:
  /// What a text says, for all values of the present indices.
  struct Constant {
    double value = 0;  ///< of a text without indices
    bool of_indices = false;
    std::optional<Expression> expression;  ///< of the indices
  };

  /// The same names and those of the indices.
  Names with_indices(Names names) const;
  bool mentions_index(std::string_view text) const;
  Constant read_constant(const std::string& text) const;
  double computed(const std::string& text, const Location& where) const;
  FunctionPtr named_function(const std::string& name, const Location& where) const;
  FunctionPtr read_function(const Value& value) const;
  FunctionPtr function_of_map(const Value& map) const;
  /// Whether a function names a type that a plugin may bring.
  bool waits_for_types(const Value& function, int depth = 0) const;
  std::vector<std::string> known_types() const;

  Names in_numbers_;    ///< what numbers may name, indices apart
  Names in_functions_;  ///< what functions may name
  ParameterValues indices_;
  std::string index_names_;  ///< of all indices, one a line
  std::vector<std::string> function_names_;
  const Value* functions_ = nullptr;
  const Registry* registry_ = nullptr;
  /// By the names of the indices, and by text.
  mutable std::unordered_map<std::string, std::unordered_map<std::string, Constant>> numbers_;
  mutable std::unordered_map<std::string, FunctionPtr> by_text_;
  mutable std::unordered_map<std::string, FunctionPtr> named_;
  mutable std::vector<std::string> resolving_;
  mutable int reading_ = 0;  ///< functions given as maps, one within the other
};

}  // namespace trammel
