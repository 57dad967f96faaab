#pragma once

#include <cassert>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "trammel/error.hpp"
#include "trammel/export.hpp"
#include "trammel/growing_matrix.hpp"
#include "trammel/jet.hpp"
#include "trammel/number_text.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// Exact value and all first and second partial derivatives of a function f(t, s) of time and n signals. Up to
/// max_signals of them, filling one allocates nothing.
struct FunctionValue {
  using Vector = GrowingMatrix<1, max_signals>;
  using Matrix = GrowingMatrix<Eigen::Dynamic, max_signals * max_signals>;

  double value = 0;
  double dt = 0;       ///< df/dt at fixed signals
  double dtt = 0;      ///< d2f/dt2 at fixed signals
  Vector gradient;     ///< n: df/ds_i
  Vector gradient_dt;  ///< n: d2f/(ds_i dt)
  Matrix hessian;      ///< n x n, symmetric: d2f/(ds_i ds_j)
  Reserved<2> reserved{};

  /// Sets everything to zero for n signals.
  void reset(int n) {
    value = dt = dtt = 0;
    gradient.setZero(n);
    gradient_dt.setZero(n);
    hessian.setZero(n, n);
  }

  int signals() const { return static_cast<int>(gradient.size()); }

  /// Total time derivative along signals that change with the rates s_dot.
  template <class Rates>
  double rate(const Eigen::MatrixBase<Rates>& s_dot) const {
    return dt + gradient.dot(s_dot);
  }

  /// Second total time derivative along signals with rates s_dot and s_ddot.
  template <class Rates, class SecondRates>
  double second_rate(const Eigen::MatrixBase<Rates>& s_dot,
                     const Eigen::MatrixBase<SecondRates>& s_ddot) const {
    double sum = dtt + 2 * gradient_dt.dot(s_dot) + gradient.dot(s_ddot);
    for (Eigen::Index i = 0; i < s_dot.size(); ++i) sum += s_dot[i] * hessian.col(i).dot(s_dot);
    return sum;
  }
};

/// A scalar function of time and signals with exact first and second derivatives: a load factor, a prescribed
/// angle, a force law. Elements hold a `FunctionPtr` and never know whether it was a number, an expression or
/// a table. Evaluation is const, allocates nothing up to max_signals signals, and may run in several threads.
class TRAMMEL_API Function {
 public:
  virtual ~Function() = default;
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  /// Names of the signals that the function reads, in the order of `evaluate`'s values.
  const std::vector<std::string>& signals() const { return signals_; }

  /// True where the function reads no signal, so that `at` may be called.
  bool depends_on_time_only() const { return signals_.empty(); }

  /// True where the value never changes.
  virtual bool is_constant() const { return false; }

  /// The function as a person wrote it ("rate*t", "table of 12 points"), for messages.
  const std::string& text() const { return text_; }
  const Location& where() const { return where_; }

  /// Value at time t with its first and second time derivative; for functions without signals.
  /// Throws Error where the value is not finite or where the function reads a signal. A derivative may be
  /// infinite (sqrt(t) at 0): see `motion_at`.
  Jet at(double t) const {
    if (!signals_.empty()) {
      throw Error(where_, "the function '" + text_ + "' reads the signal '" + signals_.front() +
                              "', but only a function of time is allowed here");
    }
    const Jet f = do_at(t);
    if (!std::isfinite(f.value)) fail(t, "its value is " + number_text(f.value));
    return f;
  }

  /// As `at`, for a prescribed motion: velocity and acceleration must be finite too.
  Jet motion_at(double t) const {
    const Jet f = at(t);
    if (!std::isfinite(f.first)) fail(t, "its rate is " + number_text(f.first));
    if (!std::isfinite(f.second)) fail(t, "its second rate is " + number_text(f.second));
    return f;
  }

  /// Value and all first and second derivatives at time t, at the values of `signals()` in their order.
  /// Where the value is not finite it throws RejectStep if the function reads signals (a smaller step may
  /// stay in its domain), else Error.
  void evaluate(double t, std::span<const double> values, FunctionValue& out) const {
    assert(values.size() == signals_.size());
    do_evaluate(t, values, out);
    check_finite(t, out.value);
  }

  /// The value alone, the same as that of `evaluate`.
  double value_at(double t, std::span<const double> values) const {
    assert(values.size() == signals_.size());
    const double value = do_value(t, values);
    check_finite(t, value);
    return value;
  }

 protected:
  Function(std::string text, std::vector<std::string> signals, Location where = {})
      : text_(std::move(text)), signals_(std::move(signals)), where_(std::move(where)) {}

 private:
  /// Only called where there are no signals.
  virtual Jet do_at(double t) const = 0;

  /// The default serves functions of time.
  virtual void do_evaluate(double t, std::span<const double>, FunctionValue& out) const {
    const Jet f = do_at(t);
    out.reset(0);
    out.value = f.value;
    out.dt = f.first;
    out.dtt = f.second;
  }

  /// To be overridden where the value costs less without derivatives.
  virtual double do_value(double t, std::span<const double> values) const {
    FunctionValue out;
    do_evaluate(t, values, out);
    return out.value;
  }

  void check_finite(double t, double value) const {
    if (std::isfinite(value)) return;
    if (signals_.empty()) fail(t, "its value is " + number_text(value));
    throw RejectStep(message(t, "its value is " + number_text(value)));
  }
  std::string message(double t, const std::string& what) const {
    return "the function '" + text_ + "' fails at t = " + number_text(t) + ": " + what;
  }
  [[noreturn]] void fail(double t, const std::string& what) const { throw Error(where_, message(t, what)); }

  std::string text_;
  std::vector<std::string> signals_;
  Location where_;
  Reserved<2> reserved_;
};

/// Values of the signals that a function reads.
using SignalNumbers = InlineVector<double, max_signals>;

/// How elements hold a function.
using FunctionPtr = std::shared_ptr<const Function>;

/// The same value at all times.
class TRAMMEL_API ConstantFunction final : public Function {
 public:
  /// Throws Error where the value is not finite.
  explicit ConstantFunction(double value, Location where = {})
      : Function(number_text(value), {}, where), value_(value) {
    if (!std::isfinite(value))
      throw Error(std::move(where), "a constant must be finite, found " + number_text(value));
  }

  bool is_constant() const override { return true; }

 private:
  Jet do_at(double) const override { return {value_}; }

  double value_;
};

/// A constant as a `FunctionPtr`.
inline FunctionPtr constant_function(double value) { return std::make_shared<ConstantFunction>(value); }

}  // namespace trammel
