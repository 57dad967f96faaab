#include "io/expressions/expression_formula.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trammel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ExpressionFormula formula(const std::string& text, const FormulaNames& names,
                          const ParameterValues& parameters = {}) {
  return {text, names, parameters, {}, {}};
}

const FormulaNames four{{"x", "p.y", "t", "z"}, {{"k", 1.5}}};
const std::array<double, 4> point{0.7, -1.3, 0.4, 2.2};

/// The formula's derivatives are those of the expression, which differentiates by other jets.
void expect_as_expression(const std::string& text) {
  const ExpressionFormula f = formula(text, four);
  Names names = Names::of_time({{"k", 1.5}});
  names.signals = {"x", "p.y", "z"};
  const Expression expression(text, names);
  std::vector<double> signals;
  for (const std::string& name : expression.signals())
    signals.push_back(name == "x" ? point[0] : name == "p.y" ? point[1] : point[3]);
  FunctionValue expected;
  expression.evaluate(point[2], signals, expected);

  std::array<double, 4> g{}, first{};
  std::array<double, 10> h{};
  EXPECT_EQ(f.value(point), expected.value) << text;
  EXPECT_EQ(f.evaluate(point, first.data()), expected.value) << text;
  EXPECT_EQ(f.evaluate(point, g.data(), h.data()), expected.value) << text;
  EXPECT_EQ(first, g) << text;
  // Where a variable stands in the expression: 0 is time.
  const auto place = [&](int variable) {
    if (variable == 2) return -1;
    const auto& known = expression.signals();
    const auto at = std::ranges::find(known, four.variables[static_cast<std::size_t>(variable)]);
    return static_cast<int>(at - known.begin());
  };
  const auto near = [&](double a, double b) {
    EXPECT_NEAR(a, b, 1e-14 * std::max(1.0, std::abs(b))) << text;
  };
  const std::vector<int>& read = f.variables();
  for (std::size_t i = 0; i < read.size(); ++i) {
    const int a = place(read[i]);
    near(g[i], a < 0 ? expected.dt : expected.gradient(a));
    for (std::size_t j = 0; j <= i; ++j) {
      const int b = place(read[j]);
      near(h[i * (i + 1) / 2 + j], a < 0 && b < 0 ? expected.dtt
                                   : a < 0        ? expected.gradient_dt(b)
                                   : b < 0        ? expected.gradient_dt(a)
                                                  : expected.hessian(a, b));
    }
  }
}

TEST(ExpressionFormula, differentiates_as_expressions_do) {
  for (const char* text :
       {"x", "2 - x", "x + p.y*z - t", "k*x^2/(2*k) - p.y^3", "sin(x*p.y)/z", "3/z - z/3 + x/p.y",
        "sqrt(x^2 + p.y^2 + z^2)", "if(x > t, x*z, p.y)", "if(x < t, x*z, p.y^2*t)",
        "max(x, z, t)*min(p.y, x)", "abs(p.y)*exp(-x*t)", "atan2(p.y, x) + hypot(x, z)", "2^(x*t)", "-x*-z",
        "(x - p.y)*(x + p.y)", "cycloidal(x, 0, 1, p.y, z)", "5"})
    expect_as_expression(text);
}

TEST(ExpressionFormula, lists_what_it_reads_in_the_order_of_the_names) {
  EXPECT_THAT(formula("z*t + x", four).variables(), ElementsAre(0, 2, 3));
  EXPECT_TRUE(formula("z*t + x", four).reads(2));
  EXPECT_FALSE(formula("z*t + x", four).reads(1));
  EXPECT_TRUE(formula("k + 1", four).variables().empty());
}

TEST(ExpressionFormula, hides_parameters_of_the_case_by_its_names) {
  EXPECT_EQ(formula("x + k + m", four, {{"x", 100}, {"k", 100}, {"m", 2}}).value(point), 0.7 + 1.5 + 2);
}

TEST(ExpressionFormula, reads_more_than_a_function_may) {
  FormulaNames many;
  std::string text = "0";
  std::vector<double> values;
  for (int k = 0; k < 30; ++k) {
    many.variables.push_back("a" + std::to_string(k));
    text += " + a" + std::to_string(k) + "^2";
    values.push_back(k);
  }
  std::vector<double> gradient(30), hessian(30 * 31 / 2);
  EXPECT_EQ(formula(text, many).evaluate(values, gradient.data(), hessian.data()), 8555);
  EXPECT_EQ(gradient[29], 58);
  EXPECT_EQ(hessian.back(), 2);
  EXPECT_EQ(std::ranges::count(hessian, 0.0), 30 * 29 / 2);
}

TEST(ExpressionFormula, keeps_constants_beside_infinite_derivatives) {
  std::array<double, 1> g{};
  std::array<double, 1> h{};
  EXPECT_EQ(formula("sqrt(k - 1.5) + x", four).evaluate(point, g.data(), h.data()), 0.7);
  EXPECT_EQ(g[0], 1);
  EXPECT_EQ(h[0], 0);
}

TEST(ExpressionFormula, names_the_error) {
  const auto message = [](const std::string& text, const FormulaNames& names) {
    try {
      formula(text, names);
    } catch (const ExpressionError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message("x + y", four), HasSubstr("column 5 of 'x + y': unknown name 'y'"));
  EXPECT_THAT(message("x + p.q", four), HasSubstr("unknown name 'p.q'; 'p' has p.y"));
  EXPECT_THAT(message("x + p", four), HasSubstr("unknown name 'p'; 'p' has p.y"));
  EXPECT_THAT(message("x*t", {{"x"}, {}}), HasSubstr("time is not allowed here"));
  EXPECT_THAT(message("1/(k - 1.5)", four), HasSubstr("1/0 is inf"));
}

}  // namespace
}  // namespace trammel
