#pragma once

#include <optional>
#include <utility>

#include "trammel/element.hpp"
#include "trammel/function.hpp"

namespace trammel::generic_joint {

/// When a joint holds: always, never, or while a function of time is positive.
class Activity {
 public:
  explicit Activity(bool always = true) : always_(always) {}
  /// Throws Error where the function reads a signal.
  explicit Activity(FunctionPtr function) : function_(std::move(function)) {
    if (!function_->depends_on_time_only())
      throw Error(function_->where(), "'active' reads the signal '" + function_->signals().front() +
                                          "', but only a function of time is allowed here");
  }

  bool switches() const { return function_ != nullptr; }
  bool always() const { return !function_ && always_; }
  bool at(double t) const { return function_ ? function_->at(t).value > 0 : always_; }

  /// The status just after a time at which steps of size h end and begin.
  bool after(double t, double h) const { return at(t + just * h); }
  /// The first time inside the step at which the status differs from that at its begin; each side of it is found to
  /// rounding. Changes and changes back between two of 16 points of the step are not seen.
  std::optional<double> change(const StepInfo& step) const;

 private:
  static constexpr double just = 1e-6;  // of a step

  bool always_ = true;
  FunctionPtr function_;
};

inline std::optional<double> Activity::change(const StepInfo& step) const {
  if (!function_) return std::nullopt;
  constexpr int points = 16;
  const double h = step.end - step.start;
  const bool begin = after(step.start, h);
  double low = step.start + just * h;
  for (int i = 1; i <= points; ++i) {
    double high = i == points ? step.end : step.start + h * i / points;
    if (at(high) == begin) {
      low = high;
      continue;
    }
    for (double middle = 0.5 * (low + high); middle > low && middle < high; middle = 0.5 * (low + high))
      (at(middle) == begin ? low : high) = middle;
    return high;
  }
  return std::nullopt;
}

}  // namespace trammel::generic_joint
