#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/expressions/expression.hpp"
#include "trammel/formula.hpp"

namespace trammel {

/// An expression of named variables, differentiated in forward mode by those that it reads. Values, gradients and lower
/// triangles of Hessians lie packed on a stack of numbers, and what is constant carries no derivatives.
class ExpressionFormula final : public Formula {
 public:
  /// `names` says what may be read. Throws ExpressionError.
  ExpressionFormula(std::string_view text, const FormulaNames& names, ParameterValues parameters,
                    std::span<const std::string> functions, const Location& where);

  double value(std::span<const double> values) const override;
  double evaluate(std::span<const double> values, double* gradient) const override;
  double evaluate(std::span<const double> values, double* gradient, double* hessian) const override;

 private:
  struct Instruction {
    enum class Kind : std::uint8_t {
      number,
      variable,
      add,
      subtract,
      multiply,
      unary,
      power,
      binary,
      jump,
      jump_if_zero
    };
    Kind kind = Kind::number;
    int index = 0;       ///< of a variable in `values`, or where to jump to
    int derivative = 0;  ///< of a variable: its place in the gradient
    double number = 0;   ///< a number, or a constant exponent
    Derivatives (*unary)(double) = nullptr;
    Derivatives2 (*binary)(double, double) = nullptr;
  };

  /// level 0: values; 1: gradients too; 2: Hessians too.
  template <int level>
  double run(std::span<const double> values, double* gradient, double* hessian) const;

  std::vector<Instruction> code_;
};

}  // namespace trammel
