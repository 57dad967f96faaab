#include "io/expressions/functions.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace trammel {
namespace {

double difference(const std::function<double(double)>& f, double x, double h = 1e-3) {
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

void expect_exact_derivatives(const Function& f, const std::vector<double>& times) {
  for (const double t : times) {
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

const std::vector<double> x{0, 1, 2.5, 3}, y{1, 3, 2, -1};

TEST(TableFunction, joins_its_points_by_straight_lines) {
  const FunctionPtr f = table_function(x, y);
  EXPECT_EQ(f->text(), "table of 4 points");
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(f->at(x[i]).value, y[i]);
  EXPECT_EQ(f->at(0.5).value, 2);
  EXPECT_EQ(f->at(0.5).first, 2);
  EXPECT_EQ(f->at(0.5).second, 0);
  expect_exact_derivatives(*f, {-1, 0.4, 1.7, 2.7, 5});
}

TEST(TableFunction, takes_the_slope_of_the_right_hand_side_at_a_point) {
  const FunctionPtr f = table_function(x, y);
  EXPECT_EQ(f->at(0).first, 2);
  EXPECT_NEAR(f->at(1).first, -2.0 / 3, 1e-15);
  EXPECT_EQ(f->at(3).first, 0);
}

TEST(TableFunction, follows_its_rule_outside_of_the_points) {
  EXPECT_EQ(table_function(x, y, Outside::hold)->at(-2).value, 1);
  EXPECT_EQ(table_function(x, y, Outside::hold)->at(9).value, -1);
  EXPECT_EQ(table_function(x, y, Outside::hold)->at(9).first, 0);
  EXPECT_EQ(table_function(x, y, Outside::extend)->at(-2).value, -3);
  EXPECT_EQ(table_function(x, y, Outside::extend)->at(4).value, -7);
  EXPECT_EQ(table_function(x, y, Outside::extend)->at(3).first, -6);
  const FunctionPtr strict = table_function(x, y, Outside::error, nullptr, {"case.yaml", 3, 5});
  EXPECT_EQ(strict->at(3).value, -1);
  EXPECT_EQ(strict->at(0).value, 1);
  try {
    strict->at(3.5);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the table of 4 points is defined from 0 to 3, its argument is 3.5");
    EXPECT_EQ(error.where().text(), "case.yaml:3:5");
  }
}

TEST(SplineFunction, passes_its_points_with_two_continuous_derivatives) {
  for (const SplineEnds& ends :
       {SplineEnds{}, SplineEnds{0.5, -2}, SplineEnds{0.5, {}}, SplineEnds{{}, -2}}) {
    const FunctionPtr f = spline_function(x, y, ends, Outside::extend);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(f->at(x[i]).value, y[i], 1e-14);
    for (std::size_t i = 1; i + 1 < x.size(); ++i) {
      const Jet left = f->at(std::nextafter(x[i], -1)), right = f->at(x[i]);
      EXPECT_NEAR(left.value, right.value, 1e-13);
      EXPECT_NEAR(left.first, right.first, 1e-13);
      EXPECT_NEAR(left.second, right.second, 1e-13);
    }
    EXPECT_NEAR(ends.first_slope ? f->at(0).first - *ends.first_slope : f->at(0).second, 0, 1e-14);
    const Jet last = f->at(std::nextafter(3, 0));
    EXPECT_NEAR(ends.last_slope ? last.first - *ends.last_slope : last.second, 0, 1e-12);
    // Behind the end it goes on with the slope of the end.
    EXPECT_NEAR(f->at(4).first, last.first, 1e-12);
    EXPECT_NEAR(f->at(4).value, last.value + last.first, 1e-12);
    expect_exact_derivatives(*f, {-1, 0.4, 1.7, 2.7, 5});
  }
}

TEST(SplineFunction, reproduces_a_cubic_exactly) {
  // Clamped with the cubic's own slopes, the spline is the cubic.
  const auto cubic = [](const Jet& t) { return pow(t, 3) - 2.0 * t * t + 0.5 * t + 1.0; };
  std::vector<double> values;
  for (const double t : x) values.push_back(cubic(t).value);
  const FunctionPtr f =
      spline_function(x, values, {cubic(Jet::time(x.front())).first, cubic(Jet::time(x.back())).first});
  for (const double t : {0.2, 0.9, 1.6, 2.2, 2.9}) {
    const Jet exact = cubic(Jet::time(t));
    EXPECT_NEAR(f->at(t).value, exact.value, 1e-13);
    EXPECT_NEAR(f->at(t).first, exact.first, 1e-13);
    EXPECT_NEAR(f->at(t).second, exact.second, 1e-12);
  }
}

TEST(SplineFunction, of_two_points_is_a_straight_line) {
  const FunctionPtr f = spline_function({1, 3}, {2, 8});
  EXPECT_NEAR(f->at(2).value, 5, 1e-15);
  EXPECT_NEAR(f->at(2).first, 3, 1e-15);
  EXPECT_NEAR(f->at(2).second, 0, 1e-15);
}

// Proves: the spline converges with order 4 (clamped), as the theory of cubic splines has it.
TEST(SplineFunction, converges_with_order_four) {
  const auto error = [](int n) {
    std::vector<double> px, py;
    for (int i = 0; i <= n; ++i) {
      px.push_back(2.0 * i / n);
      py.push_back(std::sin(px.back()));
    }
    const FunctionPtr f = spline_function(px, py, {1.0, std::cos(2.0)});
    double worst = 0;
    for (double t = 0.001; t < 2; t += 0.01) worst = std::max(worst, std::abs(f->at(t).value - std::sin(t)));
    return worst;
  };
  EXPECT_NEAR(std::log2(error(20) / error(40)), 4, 0.1);
}

class Law : public testing::TestWithParam<MotionLaw> {};

TEST_P(Law, rises_between_its_limits_with_exact_derivatives) {
  const FunctionPtr f = motion_law_function(GetParam(), 0.5, 2.5, 3, -1);
  EXPECT_EQ(f->at(0).value, 3);
  EXPECT_EQ(f->at(0.5).value, 3);
  EXPECT_NEAR(f->at(1.5).value, 1, 1e-15);
  EXPECT_EQ(f->at(2.5).value, -1);
  EXPECT_EQ(f->at(9).value, -1);
  EXPECT_EQ(f->at(9).first, 0);
  expect_exact_derivatives(*f, {0.2, 0.7, 1.3, 2.2, 3});
}

TEST_P(Law, agrees_with_the_function_of_the_same_name) {
  const std::string text = std::string(name_of(GetParam())) + "(t, 0.5, 2.5, 3, -1)";
  const FunctionPtr f = motion_law_function(GetParam(), 0.5, 2.5, 3, -1);
  const FunctionPtr g = expression_function(text, Names::of_time());
  for (const double t : {0.0, 0.7, 1.9, 3.0}) {
    EXPECT_NEAR(f->at(t).value, g->at(t).value, 1e-14);
    EXPECT_NEAR(f->at(t).first, g->at(t).first, 1e-14);
    EXPECT_NEAR(f->at(t).second, g->at(t).second, 1e-14);
  }
}

TEST_P(Law, has_the_continuity_that_it_states) {
  const FunctionPtr f = motion_law_function(GetParam(), 0, 1, 0, 1);
  for (const double end : {0.0, 1.0}) {
    const Jet left = f->at(end - 1e-9), right = f->at(end + 1e-9);
    EXPECT_NEAR(left.value, right.value, 1e-8);
    const double velocity_jump = std::abs(right.first - left.first);
    const double acceleration_jump = std::abs(right.second - left.second);
    EXPECT_NEAR(velocity_jump, GetParam() == MotionLaw::ramp ? 1 : 0, 1e-7);
    EXPECT_NEAR(acceleration_jump,
                GetParam() == MotionLaw::harmonic ? std::numbers::pi * std::numbers::pi / 2 : 0, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(MotionLaw, Law,
                         testing::Values(MotionLaw::ramp, MotionLaw::harmonic, MotionLaw::cycloidal,
                                         MotionLaw::smoothstep),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(MotionLaws, are_found_by_name) {
  EXPECT_EQ(motion_law("cycloidal"), MotionLaw::cycloidal);
  EXPECT_FALSE(motion_law("cycloid"));
  EXPECT_EQ(outside_rule("extend"), Outside::extend);
  EXPECT_FALSE(outside_rule("repeat"));
}

// Proves: a function of a signal has the chain rule's gradient, Hessian and mixed derivatives.
TEST(FunctionOfASignal, has_derivatives_that_match_differences) {
  const FunctionPtr of = expression_function("A.s*t + B.angle^2", Names::of_time_and_signals());
  const FunctionPtr f = spline_function(x, y, {}, Outside::extend, of);
  EXPECT_EQ(f->signals(), of->signals());
  const double s[] = {0.7, 1.1}, t = 0.6;
  const auto at = [&](int variable, double h) {
    const double moved[] = {s[0] + (variable == 1 ? h : 0), s[1] + (variable == 2 ? h : 0)};
    FunctionValue out;
    f->evaluate(t + (variable == 0 ? h : 0), moved, out);
    return out;
  };
  const FunctionValue value = at(0, 0);
  EXPECT_NEAR(value.dt, difference([&](double h) { return at(0, h).value; }, 0), 1e-9);
  EXPECT_NEAR(value.dtt, difference([&](double h) { return at(0, h).dt; }, 0), 1e-9);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(value.gradient(i), difference([&](double h) { return at(i + 1, h).value; }, 0), 1e-9);
    EXPECT_NEAR(value.gradient_dt(i), difference([&](double h) { return at(i + 1, h).dt; }, 0), 1e-9);
    for (int j = 0; j < 2; ++j) {
      EXPECT_NEAR(value.hessian(i, j), difference([&](double h) { return at(j + 1, h).gradient(i); }, 0),
                  1e-9);
    }
  }
}

TEST(FunctionOfASignal, rejects_the_step_outside_of_its_points) {
  const FunctionPtr of = expression_function("A.s", Names::of_time_and_signals());
  const FunctionPtr f = table_function(x, y, Outside::error, of);
  FunctionValue out;
  const double inside[] = {1}, outside[] = {4};
  f->evaluate(0, inside, out);
  EXPECT_EQ(out.value, 3);
  EXPECT_THROW(f->evaluate(0, outside, out), RejectStep);
}

TEST(ExpressionFunction, is_constant_where_its_text_is) {
  EXPECT_TRUE(expression_function("2*pi", Names::of_time())->is_constant());
  EXPECT_FALSE(expression_function("2*t", Names::of_time())->is_constant());
  EXPECT_FALSE(table_function(x, y)->is_constant());
}

struct BadInput {
  const char* name;
  std::function<FunctionPtr(const Location&)> make;
  const char* message;
};

class Refused : public testing::TestWithParam<BadInput> {};

TEST_P(Refused, input_gives_a_message_with_its_position) {
  try {
    GetParam().make({"case.yaml", 7, 3});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), GetParam().message);
    EXPECT_EQ(error.where().text(), "case.yaml:7:3");
  }
}

const double nan_value = std::nan("");
INSTANTIATE_TEST_SUITE_P(
    Functions, Refused,
    testing::Values(
        BadInput{"text", [](const Location& w) { return expression_function("sin(", Names::of_time(), w); },
                 "column 5 of 'sin(': found the end, expected a value"},
        BadInput{"nan",
                 [](const Location& w) { return expression_function("sqrt(-2)", Names::of_time(), w); },
                 "column 1 of 'sqrt(-2)': sqrt(-2) is nan"},
        BadInput{"lengths",
                 [](const Location& w) {
                   return table_function({0, 1}, {0}, Outside::hold, {}, w);
                 },
                 "table: 2 values of x, but 1 of y"},
        BadInput{"one_point",
                 [](const Location& w) { return table_function({0}, {0}, Outside::hold, {}, w); },
                 "table: at least two points are needed, found 1"},
        BadInput{"order",
                 [](const Location& w) {
                   return spline_function({0, 2, 1}, {0, 0, 0}, {}, Outside::hold, {}, w);
                 },
                 "spline: point 3 does not increase x: 1 follows 2"},
        BadInput{"nan_point",
                 [](const Location& w) {
                   return spline_function({0, 1}, {0, nan_value}, {}, Outside::hold, {}, w);
                 },
                 "spline: point 2 is not finite (1, nan)"},
        BadInput{"slope",
                 [](const Location& w) {
                   return spline_function({0, 1}, {0, 1}, {HUGE_VAL, {}}, Outside::hold, {}, w);
                 },
                 "spline: the slope at an end must be finite"},
        BadInput{"limits",
                 [](const Location& w) { return motion_law_function(MotionLaw::ramp, 2, 1, 0, 1, {}, w); },
                 "ramp: it must end after it begins, found from 2 to 1"}),
    [](const auto& test) { return test.param.name; });

TEST(ExpressionFunction, keeps_the_column_of_an_error) {
  try {
    expression_function("2*sin(", Names::of_time(), {"case.yaml", 4, 12});
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.column(), 7);
    EXPECT_EQ(error.where().text(), "case.yaml:4:12");
  }
}

TEST(ExpressionFunction, reports_nan_where_it_arises) {
  const FunctionPtr f = expression_function("sqrt(1 - t)", Names::of_time(), {"case.yaml", 4, 12});
  EXPECT_EQ(f->at(0).value, 1);
  // At t = 1 the value is finite, its rate is not.
  EXPECT_EQ(f->at(1).value, 0);
  EXPECT_THROW(f->motion_at(1), Error);
  try {
    f->at(1.25);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the function 'sqrt(1 - t)' fails at t = 1.25: its value is nan");
    EXPECT_EQ(error.where().text(), "case.yaml:4:12");
  }
}

}  // namespace
}  // namespace trammel
