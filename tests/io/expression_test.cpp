#include "io/expressions/expression.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/expressions/expression_functions.hpp"

namespace trammel {
namespace {

// Central difference of fourth order.
double difference(const std::function<double(double)>& f, double x, double h = 1e-3) {
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

std::string error_of(const std::string& text, const Names& names = Names::of_time({{"rate", 2.0}})) {
  try {
    const Expression expression(text, names);
    if (expression.is_constant()) expression.constant();
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "no error";
}

struct ValueCase {
  const char* text;
  double value;
};

class Value : public testing::TestWithParam<ValueCase> {};

// Proves: precedence, associativity, numbers, constants, parameters and each function's value.
TEST_P(Value, is_that_of_the_text) {
  const ParameterValues parameters{{"a", 3.0}, {"b_1", -2.0}};
  const double value = evaluate_constant(GetParam().text, parameters);
  EXPECT_NEAR(value, GetParam().value, 1e-15 * (1 + std::abs(GetParam().value))) << GetParam().text;
}

constexpr double pi = std::numbers::pi;
INSTANTIATE_TEST_SUITE_P(
    Expression, Value,
    testing::Values(
        ValueCase{"1", 1}, ValueCase{" 1.5 ", 1.5}, ValueCase{".5", 0.5}, ValueCase{"2.", 2},
        ValueCase{"1e3", 1000}, ValueCase{"1.25E-2", 0.0125}, ValueCase{"2.e1", 20}, ValueCase{"0.1", 0.1},
        ValueCase{"1.7976931348623157e308", 1.7976931348623157e308}, ValueCase{"pi", pi},
        ValueCase{"e", std::numbers::e}, ValueCase{"a", 3}, ValueCase{"b_1*a", -6}, ValueCase{"1+2*3", 7},
        ValueCase{"(1+2)*3", 9}, ValueCase{"2-3-4", -5}, ValueCase{"16/4/2", 2}, ValueCase{"2^3^2", 512},
        ValueCase{"-2^2", -4}, ValueCase{"(-2)^2", 4}, ValueCase{"2^-1", 0.5}, ValueCase{"2*-3", -6},
        ValueCase{"--3", 3}, ValueCase{"+3 - +2", 1}, ValueCase{"2^-2^2", 1.0 / 16}, ValueCase{"-a^2", -9},
        ValueCase{"1<2", 1}, ValueCase{"1>=2", 0}, ValueCase{"2<=2", 1}, ValueCase{"2!=2", 0},
        ValueCase{"2==2", 1}, ValueCase{"1+1>1", 1}, ValueCase{"1<2 and 2<3", 1}, ValueCase{"1<2 and 3<2", 0},
        ValueCase{"0 or 1 and 0", 0}, ValueCase{"1 or 1 and 0", 1}, ValueCase{"not 1<2", 0},
        ValueCase{"not(0)", 1}, ValueCase{"if(a > 2, 10, 20)", 10}, ValueCase{"if(a < 2, 1/0, 20)", 20},
        ValueCase{"if(0, a, b_1)", -2}, ValueCase{"sin(pi/6)", 0.5}, ValueCase{"cos(0)", 1},
        ValueCase{"tan(pi/4)", 1}, ValueCase{"asin(1)", pi / 2}, ValueCase{"acos(0)", pi / 2},
        ValueCase{"atan(1)", pi / 4}, ValueCase{"atan2(1, -1)", 3 * pi / 4},
        ValueCase{"sinh(1)", std::sinh(1.0)}, ValueCase{"cosh(1)", std::cosh(1.0)},
        ValueCase{"tanh(1)", std::tanh(1.0)}, ValueCase{"exp(1)", std::numbers::e}, ValueCase{"log(e)", 1},
        ValueCase{"log10(1000)", 3}, ValueCase{"sqrt(16)", 4}, ValueCase{"abs(-3)", 3},
        ValueCase{"sign(-3)", -1}, ValueCase{"sign(0)", 0}, ValueCase{"step(0)", 1},
        ValueCase{"step(-1e-300)", 0}, ValueCase{"floor(-1.5)", -2}, ValueCase{"ceil(-1.5)", -1},
        ValueCase{"deg(180)", pi}, ValueCase{"deg(5)", 5 * pi / 180}, ValueCase{"pow(2, 10)", 1024},
        ValueCase{"pow(-2, 3)", -8}, ValueCase{"hypot(3, 4)", 5}, ValueCase{"mod(7, 3)", 1},
        ValueCase{"mod(-7, 3)", 2}, ValueCase{"mod(7, -3)", -2}, ValueCase{"min(3, 1, 2)", 1},
        ValueCase{"max(3, 1, 2)", 3}, ValueCase{"ramp(0.25, 0, 1, 2, 6)", 3},
        ValueCase{"ramp(-1, 0, 1, 2, 6)", 2}, ValueCase{"harmonic(0.5, 0, 1, 2, 6)", 4},
        ValueCase{"cycloidal(9, 0, 2, 2, 6)", 6}, ValueCase{"smoothstep(1, 0, 2, 2, 6)", 4},
        ValueCase{"2 *\n 3\t", 6}),
    [](const auto& test) { return "text_" + std::to_string(test.index); });

TEST(ExpressionNames, may_begin_like_an_operator) {
  EXPECT_EQ(evaluate_constant("notch + order*android", {{"notch", 1.0}, {"order", 2.0}, {"android", 3.0}}),
            7);
}

struct ErrorCase {
  const char* text;
  const char* message;
};

class BadText : public testing::TestWithParam<ErrorCase> {};

// Proves: each mistake gives one message with the column, what was found and what was expected.
TEST_P(BadText, is_explained) { EXPECT_EQ(error_of(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Expression, BadText,
    testing::Values(
        ErrorCase{"", "'': the expression is empty"}, ErrorCase{"  ", "'  ': the expression is empty"},
        ErrorCase{"1+", "column 3 of '1+': found the end, expected a value"},
        ErrorCase{"1 + * 2", "column 5 of '1 + * 2': found '*', expected a value"},
        ErrorCase{"(1+2", "column 5 of '(1+2': found the end, expected an operator or ')'"},
        ErrorCase{"1+2)", "column 4 of '1+2)': found ')', expected an operator or the end"},
        ErrorCase{"2 t", "column 3 of '2 t': found 't', expected an operator or the end"},
        ErrorCase{"2e", "column 2 of '2e': found 'e', expected an operator or the end"},
        ErrorCase{"3 ** 2", "column 4 of '3 ** 2': found '*', expected a value"},
        ErrorCase{"1.2.3", "column 4 of '1.2.3': found '.3', expected an operator or the end"},
        ErrorCase{"sin(t", "column 6 of 'sin(t': found the end, expected an operator, ',' or ')'"},
        ErrorCase{"sin()", "column 5 of 'sin()': found ')', expected a value"},
        ErrorCase{"atan2(1,)", "column 9 of 'atan2(1,)': found ')', expected a value"},
        ErrorCase{"t; 1", "column 2 of 't; 1': found ';', expected an operator or the end"},
        ErrorCase{"\xcf\x80*t", "column 1 of '\xcf\x80*t': found '\xcf\x80', expected a value"},
        ErrorCase{
            "0 < t < 1",
            "column 7 of '0 < t < 1': found '<', expected an operator or the end (comparisons do not chain: "
            "write a < b and b < c)"},
        ErrorCase{"sin(ratte*t)", "column 5 of 'sin(ratte*t)': unknown name 'ratte'; did you mean 'rate'?"},
        ErrorCase{"xyzzy", "column 1 of 'xyzzy': unknown name 'xyzzy'"},
        ErrorCase{"1 + sine(t)", "column 5 of '1 + sine(t)': unknown function 'sine'; did you mean 'sin'?"},
        ErrorCase{"sin*2", "column 1 of 'sin*2': 'sin' is a function: write sin(x)"},
        ErrorCase{"sin(1, 2)", "column 1 of 'sin(1, 2)': sin(x) takes 1 argument, found 2"},
        ErrorCase{"min(1)", "column 1 of 'min(1)': min(a, b, ...) takes at least 2 arguments, found 1"},
        ErrorCase{"if(1, 2)", "column 1 of 'if(1, 2)': if(condition, a, b) takes 3 arguments, found 2"},
        ErrorCase{"B.angle", "column 1 of 'B.angle': the signal 'B.angle' may not be read here"},
        ErrorCase{"sqrt(-1)", "column 1 of 'sqrt(-1)': sqrt(-1) is nan"},
        ErrorCase{"1 + 2/(rate-2)", "column 5 of '1 + 2/(rate-2)': 2/0 is inf"},
        ErrorCase{"3*log(0)", "column 3 of '3*log(0)': log(0) is -inf"},
        ErrorCase{"atan2(0, 0) + 10^400", "column 15 of 'atan2(0, 0) + 10^400': 10^400 is inf"},
        ErrorCase{"1e999", "column 1 of '1e999': the number '1e999' is out of range"},
        ErrorCase{
            "ramp(t, 1, 1, 0, 2)",
            "column 1 of 'ramp(t, 1, 1, 0, 2)': ramp(x, x0, x1, y0, y1) needs x1 > x0, found x0 = 1, x1 = 1"},
        ErrorCase{"ramp(t, t, 1, 0, 2)",
                  "column 9 of 'ramp(t, t, 1, 0, 2)': the limits x0 and x1 of ramp must be constants"},
        ErrorCase{"if(0, ratte, 1)",
                  "column 7 of 'if(0, ratte, 1)': unknown name 'ratte'; did you mean 'rate'?"}),
    [](const auto& test) { return "text_" + std::to_string(test.index); });

TEST(ExpressionErrors, name_the_known_signal_that_is_nearest) {
  Names names = Names::of_time();
  names.signals = {"B.angle", "hook.s"};
  EXPECT_EQ(error_of("2*B.angel", names),
            "column 3 of '2*B.angel': unknown name 'B.angel'; did you mean 'B.angle'?");
}

TEST(ExpressionErrors, say_that_a_constant_is_expected) {
  EXPECT_EQ(error_of("2*t", Names::constants()),
            "column 3 of '2*t': time is not allowed here: a constant is expected");
  EXPECT_THROW(Expression("t", Names::of_time()).constant(), ExpressionError);
}

TEST(ExpressionErrors, refuse_what_would_exhaust_the_stack) {
  EXPECT_NE(error_of(std::string(65, '(') + "1" + std::string(65, ')')).find("nested deeper"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(3000, '-') + "1").find("nested deeper"), std::string::npos);
  EXPECT_NE(error_of(std::string(5000, '1')).find("longer than"), std::string::npos);
  std::string powers = "t", sum = "t", deep = "t";
  for (int i = 0; i < 100; ++i) powers += "^t";
  for (int i = 0; i < 500; ++i) sum += "+t^2";
  for (int i = 0; i < 63; ++i) deep = "t+(" + deep + ")";
  EXPECT_NE(error_of(powers).find("nested deeper"), std::string::npos);
  EXPECT_EQ(error_of(sum), "no error");
  EXPECT_EQ(error_of(deep), "no error");
  EXPECT_NE(error_of("t+max(t, " + deep + ")").find("values are open"), std::string::npos);
}

TEST(Expression, reads_any_number_of_signals) {
  // f = (sum of i s_i + t)^3, whose derivatives are known.
  for (const int n : {7, 8, 9, 12, 21}) {
    std::string sum = "t";
    std::vector<double> s;
    double u = 0.3;
    for (int i = 1; i <= n; ++i) {
      sum += "+" + std::to_string(i) + "*s.x" + std::to_string(i);
      s.push_back(0.1 - 0.02 * i);
      u += i * s.back();
    }
    const Expression f("(" + sum + ")^3", Names::of_time_and_signals());
    ASSERT_EQ(f.signals().size(), s.size());
    FunctionValue out;
    f.evaluate(0.3, s, out);
    EXPECT_NEAR(out.value, u * u * u, 1e-12 * std::abs(u * u * u));
    EXPECT_EQ(f.value_at(0.3, s), out.value);
    EXPECT_NEAR(out.dt, 3 * u * u, 1e-11 * u * u);
    EXPECT_NEAR(out.dtt, 6 * u, 1e-11 * std::abs(u));
    ASSERT_EQ(out.signals(), n);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(out.gradient(i), 3 * u * u * (i + 1), 1e-10 * u * u * n) << n << " " << i;
      EXPECT_NEAR(out.gradient_dt(i), 6 * u * (i + 1), 1e-10 * std::abs(u) * n) << n << " " << i;
      for (int j = 0; j < n; ++j)
        EXPECT_NEAR(out.hessian(i, j), 6 * u * (i + 1) * (j + 1), 1e-9 * std::abs(u) * n * n)
            << n << " " << i << j;
    }
  }
}

const char* const texts_of_time[] = {"rate*t",
                                     "t^2",
                                     "t^3 - 2*t^-1.5",
                                     "2^t",
                                     "t^t",
                                     "pow(t, 3)",
                                     "pow(2, t)",
                                     "sin(3*t)/t",
                                     "cos(t^2)",
                                     "tan(t/2)",
                                     "asin(t/3)",
                                     "acos(t/3)",
                                     "atan(t^2)",
                                     "atan2(t, t^2 - 1.3)",
                                     "sinh(t)",
                                     "cosh(t^2)",
                                     "tanh(2*t)",
                                     "exp(-t)*sin(t)",
                                     "log(1 + t)",
                                     "log10(t)",
                                     "sqrt(t)",
                                     "abs(t - 1)*t",
                                     "sign(t - 1)*t",
                                     "step(t - 1)*t",
                                     "min(t, t^2, 1.5)",
                                     "max(t, t^2)",
                                     "floor(t)*t",
                                     "ceil(t)*t",
                                     "mod(t, 0.7)",
                                     "mod(t^2, t)",
                                     "hypot(t, t^2)",
                                     "deg(t^2)",
                                     "ramp(t, 0, 1, 0, 2)*t",
                                     "cycloidal(t, 0, 2, 0.5, 3)",
                                     "harmonic(t, 0, 2, t, 3*t^2)",
                                     "smoothstep(t, 0.1, 1.5, 1, -2)",
                                     "if(t < 1, t^2, t^3)",
                                     "if(t > 0.5 and not t > 1, sin(t), if(t < 0.5, t, cos(t)))*t + 1",
                                     "(6/15)*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1))",
                                     "-t^2/(1 - t^2*0.01)",
                                     "-(-t)^3",
                                     "1 + if(t > 1, 2, 3)*t"};

class OfTime : public testing::TestWithParam<const char*> {};

// Proves: exact first and second derivatives of expressions of time, each function among them.
TEST_P(OfTime, expressions_have_derivatives_that_match_differences) {
  const Expression f(GetParam(), Names::of_time({{"rate", -0.6}}));
  for (const double t : {0.31, 0.62, 1.77}) {
    const Jet y = f.at(t);
    const double scale = 1 + std::abs(y.value) + std::abs(y.first) + std::abs(y.second);
    EXPECT_NEAR(y.first, difference([&](double z) { return f.at(z).value; }, t), 1e-9 * scale) << t;
    EXPECT_NEAR(y.second, difference([&](double z) { return f.at(z).first; }, t), 1e-8 * scale) << t;
    FunctionValue out;
    f.evaluate(t, {}, out);
    EXPECT_EQ(out.value, y.value);
    EXPECT_NEAR(out.dt, y.first, 1e-14 * scale);
    EXPECT_NEAR(out.dtt, y.second, 1e-14 * scale);
  }
}

INSTANTIATE_TEST_SUITE_P(Expression, OfTime, testing::ValuesIn(texts_of_time),
                         [](const auto& test) { return "text_" + std::to_string(test.index); });

// Proves: the derivatives of every function in the table are tested above.
TEST(Expression, has_a_test_for_every_function) {
  for (const auto& entry : grammar::functions()) {
    const std::string call = std::string(entry.name) + "(";
    EXPECT_TRUE(std::any_of(std::begin(texts_of_time), std::end(texts_of_time), [&](const std::string& text) {
      return text.find(call) != std::string::npos;
    })) << entry.name;
  }
}

class OfSignals : public testing::TestWithParam<const char*> {};

// Proves: gradient, Hessian and mixed time derivatives of expressions of signals.
TEST_P(OfSignals, expressions_have_derivatives_that_match_differences) {
  const Expression f(GetParam(), Names::of_time_and_signals({{"k", 7.0}}));
  const auto n = f.signals().size();
  const std::vector<double> s{0.4, 1.1, -0.7};
  const double t = 0.8;
  const auto at = [&](int variable, double shift) {
    std::vector<double> moved(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(n));
    if (variable > 0) moved[static_cast<std::size_t>(variable - 1)] += shift;
    FunctionValue out;
    f.evaluate(variable == 0 ? t + shift : t, moved, out);
    return out;
  };
  const FunctionValue y = at(0, 0);
  ASSERT_EQ(y.signals(), static_cast<int>(n));
  EXPECT_EQ(f.value_at(t, std::span(s).first(n)), y.value);
  EXPECT_NEAR(y.dt, difference([&](double h) { return at(0, h).value; }, 0), 1e-9);
  EXPECT_NEAR(y.dtt, difference([&](double h) { return at(0, h).dt; }, 0), 1e-9);
  for (int i = 0; i < y.signals(); ++i) {
    EXPECT_NEAR(y.gradient(i), difference([&](double h) { return at(i + 1, h).value; }, 0), 1e-9);
    EXPECT_NEAR(y.gradient_dt(i), difference([&](double h) { return at(i + 1, h).dt; }, 0), 1e-9);
    for (int j = 0; j < y.signals(); ++j) {
      EXPECT_NEAR(y.hessian(i, j), difference([&](double h) { return at(j + 1, h).gradient(i); }, 0), 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Expression, OfSignals,
                         testing::Values("-k*B.angle", "k*A.s^3 + B.angle*t*A.s",
                                         "sin(A.s*t)/B.angle + C.rate^2",
                                         "atan2(A.s, B.angle)*hypot(C.rate, t)",
                                         "if(A.s > B.angle, 1, A.s^2*C.rate)", "if(t > 2, A.s, 3)",
                                         "exp(-A.s^2)*(B.angle - C.rate)^2",
                                         "min(A.s, B.angle)*max(C.rate, A.s)", "B.angle^A.s",
                                         "smoothstep(A.s, 0, 1, B.angle, C.rate*t)"),
                         [](const auto& test) { return "text_" + std::to_string(test.index); });

TEST(Expression, keeps_signals_in_the_order_of_their_first_use) {
  const Expression f("B.angle*A.s + B.angle^2", Names::of_time_and_signals());
  EXPECT_EQ(f.signals(), (std::vector<std::string>{"B.angle", "A.s"}));
  EXPECT_FALSE(f.reads_time());
}

TEST(Expression, does_not_read_the_signals_of_a_branch_never_taken) {
  const Expression f("if(k, 3, t*B.angle)", Names::of_time_and_signals({{"k", 1.0}}));
  EXPECT_TRUE(f.is_constant());
  EXPECT_EQ(f.constant(), 3);
}

TEST(Expression, evaluates_only_the_branch_taken) {
  // At a negative t the root would give nan.
  const Expression f("if(t > 0, sqrt(t), 0) + 1", Names::of_time());
  EXPECT_EQ(f.at(-1).value, 1);
  EXPECT_EQ(f.at(-1).second, 0);
  EXPECT_EQ(f.at(4).value, 3);
}

TEST(Parameters, may_depend_on_each_other_in_any_order) {
  const ParameterValues values = resolve_parameters(
      {{"area", "width*height"}, {"width", "2*height"}, {"height", "3"}, {"tilt", "deg(90)"}});
  EXPECT_EQ(values.at("height"), 3);
  EXPECT_EQ(values.at("width"), 6);
  EXPECT_EQ(values.at("area"), 18);
  EXPECT_NEAR(values.at("tilt"), pi / 2, 1e-15);
  EXPECT_TRUE(resolve_parameters({}).empty());
}

TEST(Parameters, may_form_a_long_chain) {
  std::vector<std::pair<std::string, std::string>> chain;
  for (int i = 0; i < 30'000; ++i)
    chain.emplace_back("p" + std::to_string(i), "p" + std::to_string(i + 1) + " + 1");
  chain.emplace_back("p30000", "5");
  EXPECT_EQ(resolve_parameters(chain).at("p0"), 30'005);
  chain.back().second = "p0";
  try {
    resolve_parameters(chain);
    FAIL();
  } catch (const ParameterError& error) {
    EXPECT_STREQ(
        error.what(),
        "parameter 'p0': it is defined by itself: p0 -> p1 -> p2 -> p3 -> ... -> p30000 -> p0 (30001 names)");
  }
}

TEST(Expression, reports_that_a_name_is_that_of_a_function) {
  const std::vector<std::string> functions{"push"};
  Names names = Names::of_time_and_signals();
  names.functions = functions;
  const std::string why =
      "'push' is an entry of 'functions': its name may stand alone where a function is expected, but not in "
      "an "
      "expression";
  EXPECT_EQ(error_of("2*push", names), "column 3 of '2*push': " + why);
  EXPECT_EQ(error_of("push(t)", names), "column 1 of 'push(t)': " + why);
}

TEST(Expression, quotes_the_part_of_a_long_text_that_is_wrong) {
  std::string text = "1";
  for (int i = 0; i < 900; ++i) text += "+1";
  const std::string message = error_of(text + "+x+1" + text);
  EXPECT_NE(message.find("column 1803 of '..."), std::string::npos) << message;
  EXPECT_NE(message.find("+1+x+11+1+"), std::string::npos) << message;
  EXPECT_LT(message.size(), 200U);
}

TEST(Expression, limits_the_depth_of_laws_within_laws) {
  std::string text = "t";
  for (int i = 0; i < 60; ++i) text = "ramp(t,0,1," + text + ",1)";  // 2^60 instructions
  EXPECT_NE(error_of(text).find("the expression is too large"), std::string::npos);
}

struct ParameterCase {
  std::vector<std::pair<std::string, std::string>> definitions;
  const char* name;
  const char* message;
};

class BadParameter : public testing::TestWithParam<ParameterCase> {};

TEST_P(BadParameter, is_explained) {
  try {
    resolve_parameters(GetParam().definitions);
    FAIL();
  } catch (const ParameterError& error) {
    EXPECT_EQ(error.name(), GetParam().name);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Parameters, BadParameter,
    testing::Values(
        ParameterCase{{{"a", "a+1"}}, "a", "parameter 'a': it is defined by itself: a -> a"},
        ParameterCase{{{"x", "a"}, {"a", "2*b"}, {"b", "c"}, {"c", "a"}},
                      "a",
                      "parameter 'a': it is defined by itself: a -> b -> c -> a"},
        ParameterCase{{{"width", "1"}, {"area", "2*widht"}},
                      "area",
                      "parameter 'area': column 3 of '2*widht': unknown name 'widht'; did you mean 'width'?"},
        ParameterCase{{{"a", "1"}, {"a", "2"}}, "a", "parameter 'a': given twice"},
        ParameterCase{{{"e", "1"}}, "e", "parameter 'e': the name belongs to a constant"},
        ParameterCase{{{"sin", "1"}}, "sin", "parameter 'sin': the name belongs to a function"},
        ParameterCase{{{"t", "1"}}, "t", "parameter 't': the name belongs to time"},
        ParameterCase{
            {{"2a", "1"}},
            "2a",
            "parameter '2a': a name is made of letters, digits and '_', and begins with a letter or '_'"},
        ParameterCase{{{"a", "2*t"}},
                      "a",
                      "parameter 'a': column 3 of '2*t': time is not allowed here: a constant is expected"},
        ParameterCase{{{"b", "a"}, {"a", "1/0"}}, "a", "parameter 'a': column 1 of '1/0': 1/0 is inf"}),
    [](const auto& test) { return "definitions_" + std::to_string(test.index); });

}  // namespace
}  // namespace trammel
