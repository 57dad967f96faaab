#include "io/expressions/functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "trammel/elementary.hpp"
#include "trammel/number_text.hpp"

namespace trammel {

namespace {

class ExpressionFunction final : public Function {
 public:
  ExpressionFunction(Expression expression, const Location& where)
      : Function(expression.text(), expression.signals(), where), expression_(std::move(expression)) {}

  bool is_constant() const override { return expression_.is_constant(); }

 private:
  Jet do_at(double t) const override { return expression_.at(t); }
  void do_evaluate(double t, std::span<const double> signals, FunctionValue& out) const override {
    expression_.evaluate(t, signals, out);
  }
  double do_value(double t, std::span<const double> signals) const override {
    return expression_.value_at(t, signals);
  }

  Expression expression_;
};

/// f(u) of an argument u, which is time or another function of time and signals.
class FunctionOfArgument : public Function {
 protected:
  FunctionOfArgument(std::string text, FunctionPtr of, const Location& where)
      : Function(std::move(text), of ? of->signals() : std::vector<std::string>{}, where),
        of_(std::move(of)) {
    if (const auto* nested = dynamic_cast<const FunctionOfArgument*>(of_.get())) depth_ = nested->depth_ + 1;
    if (depth_ > deepest_functions)
      throw Error(where, "functions of functions, more than " + std::to_string(deepest_functions) + " deep");
  }

  /// Where an argument lies outside of the points: the caller's function reads signals, or it does not.
  [[noreturn]] void fail_outside(double u, double first, double last) const {
    const std::string message = "the " + text() + " is defined from " + number_text(first) + " to " +
                                number_text(last) + ", its argument is " + number_text(u);
    if (depends_on_time_only()) throw Error(where(), message);
    throw RejectStep(message);
  }

 private:
  virtual Derivatives shape(double u) const = 0;

  Jet do_at(double t) const override {
    const Jet u = of_ ? of_->at(t) : Jet::time(t);
    return chain(u, shape(u.value));
  }

  double do_value(double t, std::span<const double> signals) const override {
    return shape(of_ ? of_->value_at(t, signals) : t).f;
  }

  void do_evaluate(double t, std::span<const double> signals, FunctionValue& out) const override {
    if (of_) {
      of_->evaluate(t, signals, out);
    } else {
      out.reset(0);
      out.value = t;
      out.dt = 1;
    }
    const Derivatives f = shape(out.value);
    out.value = f.f;
    out.dtt = f.d * out.dtt + f.dd * out.dt * out.dt;
    out.gradient_dt = f.d * out.gradient_dt + f.dd * out.dt * out.gradient;
    const auto n = out.gradient.size();
    for (Eigen::Index j = 0; j < n; ++j)
      for (Eigen::Index i = 0; i < n; ++i)
        out.hessian(i, j) = f.d * out.hessian(i, j) + f.dd * out.gradient(i) * out.gradient(j);
    out.dt *= f.d;
    out.gradient *= f.d;
  }

  FunctionPtr of_;
  int depth_ = 1;
};

/// Piecewise cubics over the points x: a table has only their linear part.
class PiecewiseFunction final : public FunctionOfArgument {
 public:
  /// On piece i, with z = u - x[i]: c[0] + c[1] z + c[2] z^2 + c[3] z^3.
  using Piece = std::array<double, 4>;

  PiecewiseFunction(std::string text, std::vector<double> x, std::vector<Piece> pieces, double last_value,
                    double last_slope, Outside outside, FunctionPtr of, const Location& where)
      : FunctionOfArgument(std::move(text), std::move(of), where),
        x_(std::move(x)),
        pieces_(std::move(pieces)),
        last_value_(last_value),
        last_slope_(last_slope),
        outside_(outside) {}

 private:
  Derivatives shape(double u) const override {
    if (u < x_.front()) return beyond(u, x_.front(), pieces_.front()[0], pieces_.front()[1]);
    if (u > x_.back() || (u == x_.back() && outside_ != Outside::error)) {
      return beyond(u, x_.back(), last_value_, last_slope_);
    }
    if (std::isnan(u)) return {u, u, u};
    const auto after = std::upper_bound(x_.begin(), x_.end(), u);
    const auto last_piece = static_cast<std::ptrdiff_t>(pieces_.size()) - 1;
    const auto i = static_cast<std::size_t>(std::min(after - x_.begin() - 1, last_piece));
    const auto& [c0, c1, c2, c3] = pieces_[i];
    const double z = u - x_[i];
    return {c0 + z * (c1 + z * (c2 + z * c3)), c1 + z * (2 * c2 + 3 * z * c3), 2 * c2 + 6 * z * c3};
  }

  Derivatives beyond(double u, double end, double value, double slope) const {
    switch (outside_) {
      case Outside::hold:
        return {value, 0, 0};
      case Outside::extend:
        return {value + slope * (u - end), slope, 0};
      case Outside::error:
        break;
    }
    fail_outside(u, x_.front(), x_.back());
  }

  std::vector<double> x_;
  std::vector<Piece> pieces_;
  double last_value_;
  double last_slope_;
  Outside outside_;
};

class MotionLawFunction final : public FunctionOfArgument {
 public:
  MotionLawFunction(std::string text, Derivatives (*law)(double), double x0, double x1, double y0, double y1,
                    FunctionPtr of, const Location& where)
      : FunctionOfArgument(std::move(text), std::move(of), where),
        law_(law),
        x0_(x0),
        width_(x1 - x0),
        y0_(y0),
        rise_(y1 - y0) {}

 private:
  Derivatives shape(double u) const override {
    const Derivatives f = law_((u - x0_) / width_);
    return {y0_ + rise_ * f.f, rise_ / width_ * f.d, rise_ / (width_ * width_) * f.dd};
  }

  Derivatives (*law_)(double);
  double x0_, width_, y0_, rise_;
};

/// Throws Error unless the points can be interpolated.
void check_points(const std::string& kind, const std::vector<double>& x, const std::vector<double>& y,
                  const Location& where) {
  if (x.size() != y.size()) {
    throw Error(where, kind + ": " + std::to_string(x.size()) + " values of x, but " +
                           std::to_string(y.size()) + " of y");
  }
  if (x.size() < 2)
    throw Error(where, kind + ": at least two points are needed, found " + std::to_string(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::string place = kind + ": point " + std::to_string(i + 1) + " ";
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      throw Error(where, place + "is not finite (" + number_text(x[i]) + ", " + number_text(y[i]) + ")");
    }
    if (i > 0 && !(x[i] > x[i - 1])) {
      throw Error(where,
                  place + "does not increase x: " + number_text(x[i]) + " follows " + number_text(x[i - 1]));
    }
  }
}

/// Second derivatives of the spline at the points, by the tridiagonal system of continuous slopes.
std::vector<double> spline_curvatures(const std::vector<double>& x, const std::vector<double>& y,
                                      const SplineEnds& ends) {
  const std::size_t n = x.size();
  std::vector<double> below(n, 0), diagonal(n, 1), above(n, 0), m(n, 0);
  const auto slope = [&](std::size_t i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); };
  if (ends.first_slope) {
    const double h = x[1] - x[0];
    diagonal[0] = h / 3;
    above[0] = h / 6;
    m[0] = slope(0) - *ends.first_slope;
  }
  for (std::size_t i = 1; i + 1 < n; ++i) {
    below[i] = (x[i] - x[i - 1]) / 6;
    diagonal[i] = (x[i + 1] - x[i - 1]) / 3;
    above[i] = (x[i + 1] - x[i]) / 6;
    m[i] = slope(i) - slope(i - 1);
  }
  if (ends.last_slope) {
    const double h = x[n - 1] - x[n - 2];
    below[n - 1] = h / 6;
    diagonal[n - 1] = h / 3;
    m[n - 1] = *ends.last_slope - slope(n - 2);
  }
  // Diagonally dominant: elimination needs no pivoting.
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = below[i] / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    m[i] -= factor * m[i - 1];
  }
  m[n - 1] /= diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) m[i] = (m[i] - above[i] * m[i + 1]) / diagonal[i];
  return m;
}

struct LawEntry {
  std::string_view name;
  MotionLaw law;
  Derivatives (*shape)(double);
};

constexpr LawEntry laws[] = {
    {"ramp", MotionLaw::ramp, elementary::unit_ramp},
    {"harmonic", MotionLaw::harmonic, elementary::unit_harmonic},
    {"cycloidal", MotionLaw::cycloidal, elementary::unit_cycloidal},
    {"smoothstep", MotionLaw::smoothstep, elementary::unit_smoothstep},
};

const LawEntry& entry_of(MotionLaw law) {
  return *std::find_if(std::begin(laws), std::end(laws),
                       [&](const LawEntry& entry) { return entry.law == law; });
}

}  // namespace

FunctionPtr expression_function(std::string_view text, const Names& names, const Location& where) {
  try {
    Expression expression(text, names);
    if (expression.is_constant()) expression.constant();  // throws where it is not finite
    return std::make_shared<ExpressionFunction>(std::move(expression), where);
  } catch (const ExpressionError& error) {
    throw ExpressionError(where, error);
  }
}

FunctionPtr table_function(std::vector<double> x, std::vector<double> y, Outside outside, FunctionPtr of,
                           const Location& where) {
  check_points("table", x, y, where);
  std::vector<PiecewiseFunction::Piece> pieces;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    pieces.push_back({y[i], (y[i + 1] - y[i]) / (x[i + 1] - x[i]), 0, 0});
  }
  const double last_slope = pieces.back()[1];
  return std::make_shared<PiecewiseFunction>("table of " + std::to_string(x.size()) + " points", std::move(x),
                                             std::move(pieces), y.back(), last_slope, outside, std::move(of),
                                             where);
}

FunctionPtr spline_function(std::vector<double> x, std::vector<double> y, SplineEnds ends, Outside outside,
                            FunctionPtr of, const Location& where) {
  check_points("spline", x, y, where);
  for (const auto& slope : {ends.first_slope, ends.last_slope}) {
    if (slope && !std::isfinite(*slope)) throw Error(where, "spline: the slope at an end must be finite");
  }
  const std::vector<double> m = spline_curvatures(x, y, ends);
  std::vector<PiecewiseFunction::Piece> pieces;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double h = x[i + 1] - x[i];
    pieces.push_back(
        {y[i], (y[i + 1] - y[i]) / h - h * (2 * m[i] + m[i + 1]) / 6, m[i] / 2, (m[i + 1] - m[i]) / (6 * h)});
  }
  const std::size_t n = x.size();
  const double h = x[n - 1] - x[n - 2];
  const double last_slope = (y[n - 1] - y[n - 2]) / h + h * (m[n - 2] + 2 * m[n - 1]) / 6;
  return std::make_shared<PiecewiseFunction>("spline of " + std::to_string(n) + " points", std::move(x),
                                             std::move(pieces), y.back(), last_slope, outside, std::move(of),
                                             where);
}

FunctionPtr motion_law_function(MotionLaw law, double x0, double x1, double y0, double y1, FunctionPtr of,
                                const Location& where) {
  const LawEntry& entry = entry_of(law);
  const std::string name(entry.name);
  for (const double value : {x0, x1, y0, y1}) {
    if (!std::isfinite(value)) throw Error(where, name + ": limits and values must be finite");
  }
  if (!(x1 > x0)) {
    throw Error(where, name + ": it must end after it begins, found from " + number_text(x0) + " to " +
                           number_text(x1));
  }
  const std::string text = name + " from " + number_text(y0) + " to " + number_text(y1);
  return std::make_shared<MotionLawFunction>(text, entry.shape, x0, x1, y0, y1, std::move(of), where);
}

std::optional<MotionLaw> motion_law(std::string_view name) {
  for (const LawEntry& entry : laws) {
    if (entry.name == name) return entry.law;
  }
  return std::nullopt;
}

std::string_view name_of(MotionLaw law) { return entry_of(law).name; }

std::optional<Outside> outside_rule(std::string_view name) {
  if (name == "hold") return Outside::hold;
  if (name == "extend") return Outside::extend;
  if (name == "error") return Outside::error;
  return std::nullopt;
}

}  // namespace trammel
