#include "trammel/jet.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trammel/function.hpp"

namespace trammel {
namespace {

// Central differences of fourth order.
double first_difference(const std::function<double(double)>& f, double x, double h) {
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

struct UnaryCase {
  std::string name;
  Derivatives (*function)(double);
  double (*reference)(double);
  std::vector<double> points;
};

class Unary : public testing::TestWithParam<UnaryCase> {};

// Proves: value, first and second derivative of every elementary function of one number.
TEST_P(Unary, functions_have_derivatives_that_match_differences) {
  const UnaryCase& c = GetParam();
  for (const double x : c.points) {
    const Derivatives y = c.function(x);
    const double h = 1e-3;
    const double scale = 1 + std::abs(y.f) + std::abs(y.d) + std::abs(y.dd);
    EXPECT_NEAR(y.f, c.reference(x), 1e-15 * scale) << x;
    EXPECT_NEAR(y.d, first_difference([&](double z) { return c.function(z).f; }, x, h), 1e-10 * scale) << x;
    EXPECT_NEAR(y.dd, first_difference([&](double z) { return c.function(z).d; }, x, h), 1e-9 * scale) << x;
  }
}

double smoothstep_reference(double x) {
  return x <= 0 ? 0 : (x >= 1 ? 1 : 6 * std::pow(x, 5) - 15 * std::pow(x, 4) + 10 * std::pow(x, 3));
}
double cycloidal_reference(double x) {
  const double w = 2 * std::numbers::pi;
  return x <= 0 ? 0 : (x >= 1 ? 1 : x - std::sin(w * x) / w);
}
double harmonic_reference(double x) {
  return x <= 0 ? 0 : (x >= 1 ? 1 : (1 - std::cos(std::numbers::pi * x)) / 2);
}
double ramp_reference(double x) { return x <= 0 ? 0 : (x >= 1 ? 1 : x); }
double deg_reference(double x) { return x * std::numbers::pi / 180; }
double sign_reference(double x) { return x < 0 ? -1 : 1; }
double step_reference(double x) { return x < 0 ? 0 : 1; }
Derivatives cube(double x) { return elementary::power(x, 3); }
double cube_reference(double x) { return x * x * x; }
Derivatives inverse_root(double x) { return elementary::power(x, -0.5); }
double inverse_root_reference(double x) { return 1 / std::sqrt(x); }

namespace el = elementary;
INSTANTIATE_TEST_SUITE_P(
    Jet, Unary,
    testing::Values(
        UnaryCase{"sin", el::sin, std::sin, {-2, 0, 0.7}}, UnaryCase{"cos", el::cos, std::cos, {-2, 0, 0.7}},
        UnaryCase{"tan", el::tan, std::tan, {-0.6, 0, 0.7}},
        UnaryCase{"asin", el::asin, std::asin, {-0.6, 0, 0.7}},
        UnaryCase{"acos", el::acos, std::acos, {-0.6, 0, 0.7}},
        UnaryCase{"atan", el::atan, std::atan, {-2, 0, 0.7}},
        UnaryCase{"sinh", el::sinh, std::sinh, {-2, 0, 0.7}},
        UnaryCase{"cosh", el::cosh, std::cosh, {-2, 0, 0.7}},
        UnaryCase{"tanh", el::tanh, std::tanh, {-2, 0, 0.7}},
        UnaryCase{"exp", el::exp, std::exp, {-2, 0, 0.7}}, UnaryCase{"log", el::log, std::log, {0.4, 1, 7}},
        UnaryCase{"log10", el::log10, std::log10, {0.4, 1, 7}},
        UnaryCase{"sqrt", el::sqrt, std::sqrt, {0.4, 1, 7}}, UnaryCase{"abs", el::abs, std::abs, {-0.4, 3}},
        UnaryCase{"sign", el::sign, sign_reference, {-0.4, 3}},
        UnaryCase{"step", el::step, step_reference, {-0.4, 3}},
        UnaryCase{"floor", el::floor, std::floor, {-0.4, 3.2}},
        UnaryCase{"ceil", el::ceil, std::ceil, {-0.4, 3.2}},
        UnaryCase{"deg", el::deg, deg_reference, {-40, 3.2}},
        UnaryCase{"cube", cube, cube_reference, {-1.3, 0, 2}},
        UnaryCase{"inverse_root", inverse_root, inverse_root_reference, {0.6, 2}},
        UnaryCase{"ramp", el::unit_ramp, ramp_reference, {-0.5, 0.3, 1.5}},
        UnaryCase{"cycloidal", el::unit_cycloidal, cycloidal_reference, {-0.5, 0.3, 0.8, 1.5}},
        UnaryCase{"harmonic", el::unit_harmonic, harmonic_reference, {-0.5, 0.3, 0.8, 1.5}},
        UnaryCase{"smoothstep", el::unit_smoothstep, smoothstep_reference, {-0.5, 0.3, 0.8, 1.5}}),
    [](const auto& test) { return test.param.name; });

struct BinaryCase {
  std::string name;
  Derivatives2 (*function)(double, double);
  std::vector<std::pair<double, double>> points;
};

class Binary : public testing::TestWithParam<BinaryCase> {};

// Proves: all first and second partial derivatives of every elementary function of two numbers.
TEST_P(Binary, functions_have_derivatives_that_match_differences) {
  const auto f = GetParam().function;
  const double h = 1e-3;
  for (const auto& [a, b] : GetParam().points) {
    const Derivatives2 y = f(a, b);
    const double scale = 1 + std::abs(y.f) + std::abs(y.aa) + std::abs(y.ab) + std::abs(y.bb);
    const auto in_a = [&, b = b](auto member) { return [=](double x) { return f(x, b).*member; }; };
    const auto in_b = [&, a = a](auto member) { return [=](double x) { return f(a, x).*member; }; };
    EXPECT_NEAR(y.a, first_difference(in_a(&Derivatives2::f), a, h), 1e-9 * scale);
    EXPECT_NEAR(y.b, first_difference(in_b(&Derivatives2::f), b, h), 1e-9 * scale);
    EXPECT_NEAR(y.aa, first_difference(in_a(&Derivatives2::a), a, h), 1e-8 * scale);
    EXPECT_NEAR(y.ab, first_difference(in_a(&Derivatives2::b), a, h), 1e-8 * scale);
    EXPECT_NEAR(y.bb, first_difference(in_b(&Derivatives2::b), b, h), 1e-8 * scale);
  }
}

INSTANTIATE_TEST_SUITE_P(Jet, Binary,
                         testing::Values(BinaryCase{"add", el::add, {{1.3, -0.4}}},
                                         BinaryCase{"subtract", el::subtract, {{1.3, -0.4}}},
                                         BinaryCase{"multiply", el::multiply, {{1.3, -0.4}}},
                                         BinaryCase{"divide", el::divide, {{1.3, -0.4}, {0, 2}}},
                                         BinaryCase{"pow", el::power2, {{1.3, -0.4}, {0.5, 2}}},
                                         BinaryCase{
                                             "atan2", el::atan2, {{1.3, -0.4}, {-0.2, -2}, {0.3, 0.1}}},
                                         BinaryCase{"hypot", el::hypot, {{1.3, -0.4}, {0, 2}}},
                                         BinaryCase{"min", el::min, {{1.3, -0.4}, {0, 2}}},
                                         BinaryCase{"max", el::max, {{1.3, -0.4}, {0, 2}}},
                                         BinaryCase{"mod", el::mod, {{7.3, 2}, {-7.3, 2}, {7.3, -2}}}),
                         [](const auto& test) { return test.param.name; });

template <class S>
S formula(const S& t) {
  using std::atan2, std::cos, std::exp, std::pow, std::sin, std::sqrt;
  return sin(2.0 * t) * exp(-0.3 * t) / (1.0 + t * t) + sqrt(2.0 + cos(t)) - pow(t, 3) / 7.0;
}

// Proves: a formula templated on its scalar gives exact rates; the complex step shares no rule with the jets.
TEST(Jet, matches_complex_step_for_a_formula) {
  for (const double t : {-0.8, 0.0, 0.6, 2.2}) {
    const Jet y = formula(Jet::time(t));
    const double h = 1e-30;
    EXPECT_NEAR(y.value, formula(t), 1e-15);
    EXPECT_NEAR(y.first, formula(std::complex<double>(t, h)).imag() / h, 1e-14);
    const auto d = [&](double z) { return formula(std::complex<double>(z, h)).imag() / h; };
    EXPECT_NEAR(y.second, first_difference(d, t, 1e-3), 1e-10);
  }
}

TEST(Jet, matches_differences_for_a_function_of_a_function) {
  const auto f = [](double t) { return atan2(sin(Jet::time(t)), pow(Jet::time(t), Jet::time(t)) + 1); };
  const double t = 0.7;
  EXPECT_NEAR(f(t).first, first_difference([&](double z) { return f(z).value; }, t, 1e-3), 1e-10);
  EXPECT_NEAR(f(t).second, first_difference([&](double z) { return f(z).first; }, t, 1e-3), 1e-10);
}

TEST(Jet, has_derivatives_of_a_whole_power_at_zero) {
  EXPECT_EQ(pow(Jet::time(0), 2).second, 2);
  EXPECT_EQ(pow(Jet::time(0), 1).first, 1);
  EXPECT_EQ(pow(Jet::time(-2), Jet(3)).first, 12);
}

TEST(Jet, keeps_a_constant_constant_where_the_derivative_is_infinite) {
  EXPECT_EQ(sqrt(Jet(0)).first, 0);
  EXPECT_EQ(GradientJet(0).n, 0);
  EXPECT_EQ(chain(GradientJet(0), elementary::sqrt(0)).n, 0);
}

TEST(Jet, serves_as_eigens_scalar) {
  Eigen::Matrix<Jet, 2, 2> R;
  const Jet a = 0.5 * Jet::time(0.4) * Jet::time(0.4);
  R << cos(a), -sin(a), sin(a), cos(a);
  const Eigen::Matrix<Jet, 2, 2> I = R.transpose() * R;
  EXPECT_NEAR(I(0, 0).value, 1, 1e-15);
  EXPECT_NEAR(I(0, 0).first, 0, 1e-15);
  EXPECT_NEAR(I(0, 0).second, 0, 1e-15);
  EXPECT_NEAR((R * Eigen::Matrix<Jet, 2, 1>(Jet(1), Jet(0)))(1).first, std::cos(0.08) * 0.4, 1e-15);
}

GradientJet two_variable_formula(double x, double y) {
  const GradientJet a = GradientJet::variable(x, 0, 2), b = GradientJet::variable(y, 1, 2);
  const GradientJet product = chain(a, b, elementary::multiply(a.value, b.value));
  const GradientJet s = chain(product, elementary::sin(product.value));
  return chain(s, b, elementary::divide(s.value, b.value));
}

TEST(GradientJet, has_a_gradient_and_a_Hessian_that_match_differences) {
  const double x = 0.7, y = 1.3, h = 1e-3;
  const GradientJet f = two_variable_formula(x, y);
  EXPECT_NEAR(f.value, std::sin(x * y) / y, 1e-15);
  for (int j = 0; j < 2; ++j) {
    const auto at = [&](double z) {
      return j == 0 ? two_variable_formula(z, y) : two_variable_formula(x, z);
    };
    const double z = j == 0 ? x : y;
    EXPECT_NEAR(f.g(j), first_difference([&](double w) { return at(w).value; }, z, h), 1e-10);
    for (int i = j; i < 2; ++i) {
      EXPECT_NEAR(f.h(i, j), first_difference([&](double w) { return at(w).g(i); }, z, h), 1e-10);
    }
  }
}

TEST(Function, has_no_rates_if_it_is_constant) {
  const FunctionPtr f = constant_function(2.5);
  EXPECT_TRUE(f->is_constant());
  EXPECT_EQ(f->text(), "2.5");
  EXPECT_EQ(f->motion_at(3).value, 2.5);
  EXPECT_EQ(f->motion_at(3).second, 0);
  FunctionValue out;
  f->evaluate(3, {}, out);
  EXPECT_EQ(out.value, 2.5);
  EXPECT_EQ(out.signals(), 0);
  EXPECT_THROW(constant_function(std::nan("")), Error);
}

// A function that is written by hand: t s0 s1, as a plugin's author may.
class Product final : public Function {
 public:
  Product() : Function("t*a*b", {"a", "b"}) {}

 private:
  Jet do_at(double) const override { return {}; }
  void do_evaluate(double t, std::span<const double> s, FunctionValue& out) const override {
    out.reset(2);
    out.value = t * s[0] * s[1];
    out.dt = s[0] * s[1];
    out.gradient << t * s[1], t * s[0];
    out.gradient_dt << s[1], s[0];
    out.hessian << 0, t, t, 0;
  }
};

TEST(Function, has_total_rates_that_follow_the_signals) {
  // a = sin t, b = t^2: f = t^3 sin t.
  const double t = 0.9;
  const Jet a = sin(Jet::time(t)), b = pow(Jet::time(t), 2), f = Jet::time(t) * a * b;
  const double values[] = {a.value, b.value};
  FunctionValue out;
  Product().evaluate(t, values, out);
  EXPECT_NEAR(out.rate(Eigen::Vector2d(a.first, b.first)), f.first, 1e-15);
  EXPECT_NEAR(out.second_rate(Eigen::Vector2d(a.first, b.first), Eigen::Vector2d(a.second, b.second)),
              f.second, 1e-14);
}

TEST(Function, names_the_error) {
  try {
    Product().at(0);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "the function 't*a*b' reads the signal 'a', but only a function of time is allowed here");
  }
  const double values[] = {HUGE_VAL, 1};
  FunctionValue out;
  EXPECT_THROW(Product().evaluate(1, values, out), RejectStep);
}

}  // namespace
}  // namespace trammel
