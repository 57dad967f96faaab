#include "io/expressions/expression_formula.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "io/expressions/expression_functions.hpp"
#include "trammel/elementary.hpp"

namespace trammel {

namespace {

/// The derivatives of one number of the stack by n variables: its value, its gradient, the lower triangle of its Hessian.
template <int level>
struct Packed {
  int n;

  int hessian_size() const { return level > 1 ? n * (n + 1) / 2 : 0; }
  int size() const { return 1 + (level > 0 ? n : 0) + hessian_size(); }

  void set_variable(double* u, double value, int derivative) const {
    std::fill_n(u, size(), 0.0);
    u[0] = value;
    if constexpr (level > 0) u[1 + derivative] = 1;
  }
  void scale(double* u, double factor) const {
    for (int k = 1; k < size(); ++k) u[k] *= factor;
  }
  /// u <- f(u)
  void chain(double* u, const Derivatives& f) const {
    if constexpr (level > 1) {
      const double* g = u + 1;
      double* h = u + 1 + n;
      if (f.dd == 0) {
        for (int k = 0; k < hessian_size(); ++k) h[k] *= f.d;
      } else {
        for (int i = 0; i < n; ++i) {
          const double by_i = f.dd * g[i];
          for (int j = 0; j <= i; ++j, ++h) *h = f.d * *h + by_i * g[j];
        }
      }
    }
    if constexpr (level > 0)
      for (int i = 1; i <= n; ++i) u[i] *= f.d;
    u[0] = f.f;
  }
  /// a <- f(a, b)
  void chain(double* a, const double* b, const Derivatives2& f) const {
    if constexpr (level > 1) {
      const double *g = a + 1, *h = b + 1, *H = b + 1 + n;
      double* G = a + 1 + n;
      for (int i = 0; i < n; ++i) {
        const double of_g = f.aa * g[i] + f.ab * h[i], of_h = f.ab * g[i] + f.bb * h[i];
        for (int j = 0; j <= i; ++j, ++G, ++H) *G = f.a * *G + f.b * *H + of_g * g[j] + of_h * h[j];
      }
    }
    if constexpr (level > 0)
      for (int i = 1; i <= n; ++i) a[i] = f.a * a[i] + f.b * b[i];
    a[0] = f.f;
  }
  void add(double* a, const double* b) const {
    for (int k = 0; k < size(); ++k) a[k] += b[k];
  }
  void subtract(double* a, const double* b) const {
    for (int k = 0; k < size(); ++k) a[k] -= b[k];
  }
  void multiply(double* a, const double* b) const {
    if constexpr (level > 1) {
      const double *g = a + 1, *h = b + 1, *H = b + 1 + n;
      double* G = a + 1 + n;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j, ++G, ++H) *G = b[0] * *G + a[0] * *H + h[i] * g[j] + g[i] * h[j];
    }
    if constexpr (level > 0)
      for (int i = 1; i <= n; ++i) a[i] = b[0] * a[i] + a[0] * b[i];
    a[0] *= b[0];
  }
};

/// Memory of the stack: grows to what the largest formula of a thread needs.
double* stack_of(std::size_t size) {
  thread_local std::vector<double> memory;
  if (memory.size() < size) memory.resize(size);
  return memory.data();
}

Names names_in_expression(const FormulaNames& names, ParameterValues parameters,
                          std::span<const std::string> functions) {
  Names all;
  for (const std::string& variable : names.variables) {
    parameters.erase(variable);
    if (variable == "t")
      all.time = true;
    else
      all.signals.push_back(variable);
  }
  for (const auto& [name, value] : names.constants) parameters.insert_or_assign(name, value);
  all.parameters = std::move(parameters);
  all.functions = functions;
  return all;
}

}  // namespace

ExpressionFormula::ExpressionFormula(std::string_view text, const FormulaNames& names,
                                     ParameterValues parameters, std::span<const std::string> functions,
                                     const Location& where)
    : Formula(std::string(text), where) {
  const Expression expression(text, names_in_expression(names, std::move(parameters), functions));
  if (expression.is_constant()) expression.constant();  // throws where it is not finite
  const auto index_of = [&](std::string_view name) {
    return static_cast<int>(std::ranges::find(names.variables, name) - names.variables.begin());
  };
  // The expression numbers time 0, and its signals from 1 on.
  std::vector<int> index{expression.reads_time() ? index_of("t") : -1};
  for (const std::string& name : expression.signals()) index.push_back(index_of(name));
  for (const int i : index)
    if (i >= 0) variables_.push_back(i);
  std::ranges::sort(variables_);

  using From = Expression::Instruction::Kind;
  using Kind = Instruction::Kind;
  for (const Expression::Instruction& from : expression.code_) {
    Instruction to;
    to.index = from.index;
    to.number = from.number;
    to.unary = from.unary;
    to.binary = from.binary;
    switch (from.kind) {
      case From::number:
        to.kind = Kind::number;
        break;
      case From::variable:
        to.kind = Kind::variable;
        to.index = index[static_cast<std::size_t>(from.index)];
        to.derivative = static_cast<int>(std::ranges::lower_bound(variables_, to.index) - variables_.begin());
        break;
      case From::unary:
        to.kind = Kind::unary;
        break;
      case From::power:
        to.kind = Kind::power;
        break;
      case From::binary:
        to.kind = from.binary == elementary::add        ? Kind::add
                  : from.binary == elementary::subtract ? Kind::subtract
                  : from.binary == elementary::multiply ? Kind::multiply
                                                        : Kind::binary;
        break;
      case From::jump:
        to.kind = Kind::jump;
        break;
      case From::jump_if_zero:
        to.kind = Kind::jump_if_zero;
        break;
    }
    code_.push_back(to);
  }
}

template <int level>
double ExpressionFormula::run(std::span<const double> values, [[maybe_unused]] double* gradient,
                              [[maybe_unused]] double* hessian) const {
  using Kind = Instruction::Kind;
  const Packed<level> jets{static_cast<int>(variables_.size())};
  const int stride = jets.size();
  double* const stack = stack_of(static_cast<std::size_t>(Expression::max_stack * stride));
  std::array<bool, Expression::max_stack> constant;  // of each number on the stack
  double* top = stack - stride;
  int k = -1;  // index of the top
  const auto is_constant = [&constant](int i) { return constant[static_cast<std::size_t>(i)]; };
  const auto set_constant = [&constant](int i, bool yes) { constant[static_cast<std::size_t>(i)] = yes; };
  const int end = static_cast<int>(code_.size());
  for (int at = 0; at < end; ++at) {
    const Instruction& i = code_[static_cast<std::size_t>(at)];
    switch (i.kind) {
      case Kind::number:
        top += stride;
        set_constant(++k, true);
        top[0] = i.number;
        continue;
      case Kind::variable:
        top += stride;
        set_constant(++k, false);
        jets.set_variable(top, values[static_cast<std::size_t>(i.index)], i.derivative);
        continue;
      case Kind::unary:
      case Kind::power: {
        const Derivatives f = i.kind == Kind::unary ? i.unary(top[0]) : elementary::power(top[0], i.number);
        if (is_constant(k))
          top[0] = f.f;
        else
          jets.chain(top, f);
        continue;
      }
      case Kind::jump_if_zero: {
        const bool jumps = top[0] == 0;
        top -= stride;
        --k;
        if (jumps) at = i.index - 1;
        continue;
      }
      case Kind::jump:
        at = i.index - 1;
        continue;
      default:
        break;
    }
    // Operators of two numbers a and b, the result in the place of a.
    const double* b = top;
    double* a = top -= stride;
    --k;
    const bool a_constant = is_constant(k), b_constant = is_constant(k + 1);
    set_constant(k, a_constant && b_constant);
    if (level == 0 || (a_constant && b_constant)) {
      a[0] = i.kind == Kind::add        ? a[0] + b[0]
             : i.kind == Kind::subtract ? a[0] - b[0]
             : i.kind == Kind::multiply ? a[0] * b[0]
                                        : i.binary(a[0], b[0]).f;
      continue;
    }
    if (a_constant || b_constant) {
      const double x = a[0], y = b[0];
      if (a_constant) std::copy_n(b, stride, a);
      if (i.kind == Kind::add) {
        a[0] = x + y;
      } else if (i.kind == Kind::subtract) {
        if (a_constant) jets.scale(a, -1);
        a[0] = x - y;
      } else if (i.kind == Kind::multiply) {
        jets.scale(a, a_constant ? x : y);
        a[0] = x * y;
      } else {
        const Derivatives2 f = i.binary(x, y);
        jets.chain(a, a_constant ? Derivatives{f.f, f.b, f.bb} : Derivatives{f.f, f.a, f.aa});
      }
      continue;
    }
    if (i.kind == Kind::add)
      jets.add(a, b);
    else if (i.kind == Kind::subtract)
      jets.subtract(a, b);
    else if (i.kind == Kind::multiply)
      jets.multiply(a, b);
    else
      jets.chain(a, b, i.binary(a[0], b[0]));
  }
  const int n = jets.n;
  if constexpr (level > 0) {
    if (is_constant(k))
      std::fill_n(gradient, n, 0.0);
    else
      std::copy_n(top + 1, n, gradient);
  }
  if constexpr (level > 1) {
    if (is_constant(k))
      std::fill_n(hessian, jets.hessian_size(), 0.0);
    else
      std::copy_n(top + 1 + n, jets.hessian_size(), hessian);
  }
  return top[0];
}

double ExpressionFormula::value(std::span<const double> values) const {
  return run<0>(values, nullptr, nullptr);
}
double ExpressionFormula::evaluate(std::span<const double> values, double* gradient) const {
  return run<1>(values, gradient, nullptr);
}
double ExpressionFormula::evaluate(std::span<const double> values, double* gradient, double* hessian) const {
  return run<2>(values, gradient, hessian);
}

}  // namespace trammel
