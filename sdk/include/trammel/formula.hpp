#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trammel/error.hpp"
#include "trammel/export.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// A scalar formula of named variables that a case gives as text, with exact first and second derivatives. Evaluation is
/// const, allocates nothing after the first one of a thread, and may run in several threads. What it gives may be nan or
/// infinite: its caller decides what that means.
class TRAMMEL_API Formula {
 public:
  virtual ~Formula() = default;
  Formula(const Formula&) = delete;
  Formula& operator=(const Formula&) = delete;

  /// The variables that the formula reads, by their index in FormulaNames::variables, ascending. Derivatives are by these.
  const std::vector<int>& variables() const { return variables_; }
  bool reads(int variable) const;
  /// As a person wrote it, and where.
  const std::string& text() const { return text_; }
  const Location& where() const { return where_; }

  // `values` holds all of FormulaNames::variables, in their order.
  virtual double value(std::span<const double> values) const = 0;
  /// Fills the gradient too, one entry for each of `variables()`.
  virtual double evaluate(std::span<const double> values, double* gradient) const = 0;
  /// Fills gradient and Hessian, its lower triangle row by row: entry (i, j), j <= i, at i (i + 1)/2 + j.
  virtual double evaluate(std::span<const double> values, double* gradient, double* hessian) const = 0;

 protected:
  Formula(std::string text, Location where) : text_(std::move(text)), where_(std::move(where)) {}

  std::vector<int> variables_;

 private:
  std::string text_;
  Location where_;
};

using FormulaPtr = std::shared_ptr<const Formula>;

/// Names that a formula may use, besides the functions and constants of expressions and the parameters of the case.
/// They hide parameters of the same name.
struct FormulaNames {
  std::vector<std::string> variables;                     ///< "p.x", "t": names, or names with a dot
  std::vector<std::pair<std::string, double>> constants;  ///< numbers, put in once
};

/// A ValueContext that reads formulas derives from this one, too.
class TRAMMEL_API FormulaReader {
 public:
  virtual ~FormulaReader() = default;
  /// Throws Error at the place of the value: what does not parse, a name that is not known.
  virtual FormulaPtr formula(const Value& value, const FormulaNames& names) const = 0;
  /// Throws Error where no variable or constant of a formula may have this name: it is no identifier, or it belongs to
  /// time, an operator, a function, or a constant.
  virtual void check_name(std::string_view name, const Location& where) const = 0;
};

/// The reader of formulas behind a context. Throws Error where it has none.
TRAMMEL_API const FormulaReader& formula_reader(const ValueContext& context, const Location& where);

}  // namespace trammel
