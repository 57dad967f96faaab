#include "motion.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trammel::coordinates {

namespace {

// A difference above both bounds is examined for a jump: a fraction of the terms, and an absolute amount [q, q/s],
// since an expression may itself contain differences with a large relative rounding error.
constexpr double unsuspicious = 1e-8, insignificant = 1e-10;

/// Looks for jumps of y, whose rate is y', with both read from a jet by `value` and `slope`.
template <class Value, class Slope>
class JumpSearch {
 public:
  JumpSearch(const Function& f, Value value, Slope slope, double from, const Jet& a, double to, const Jet& b)
      : f_(f), value_(value), slope_(slope), span_(to - from) {
    const double size =
        std::abs(value(a)) + std::abs(value(b)) + span_ * (std::abs(slope(a)) + std::abs(slope(b)));
    allowed_ = unsuspicious * size + insignificant;
  }

  std::optional<Jump> in(double from, const Jet& a, double to, const Jet& b) const {
    const double left = value_(b) - value_(a) - 0.5 * (to - from) * (slope_(a) + slope_(b));
    if (std::abs(left) <= allowed_) return std::nullopt;
    const double middle = 0.5 * (from + to);
    if (!(from < middle && middle < to) || to - from < 1e-12 * span_) return Jump{to, value_(b) - value_(a)};
    const Jet m = f_.at(middle);
    if (auto jump = in(from, a, middle, m)) return jump;
    return in(middle, m, to, b);
  }

 private:
  const Function& f_;
  Value value_;
  Slope slope_;
  double span_, allowed_;
};

}  // namespace

std::optional<Jump> find_jump(const Function& f, double from, const Jet& at_from, double to,
                              const Jet& at_to) {
  const auto value = [](const Jet& j) { return j.value; };
  const auto first = [](const Jet& j) { return j.first; };
  const auto second = [](const Jet& j) { return j.second; };
  const JumpSearch values(f, value, first, from, at_from, to, at_to);
  if (const auto jump = values.in(from, at_from, to, at_to)) return jump;
  const JumpSearch rates(f, first, second, from, at_from, to, at_to);
  auto jump = rates.in(from, at_from, to, at_to);
  if (jump) jump->of_rate = true;
  return jump;
}

void Motion::evaluate(const LocalState& x, LocalSystem& out) const {
  const int i = target_.component, row = target_.size;
  const Jet f = f_->motion_at(x.time());
  // In statics nothing moves, and a motion may go from load step to load step as it likes.
  const History& h = history_;
  if (h.time && x.time() > *h.time && (h.was_moving || target_.rate(x) != 0))
    if (const auto jump = find_jump(*f_, *h.time, h.last, x.time(), f))
      throw Error(f_->where(),
                  fmt::format("the motion '{}' of '{}' jumps: its {} changes by {:.6g} {} at t = {:.9g}; "
                              "let it begin and end smoothly, by `cycloidal` or `smoothstep`",
                              f_->text(), name_, jump->of_rate ? "rate" : "value", jump->size,
                              jump->of_rate ? target_.unit + "/s" : target_.unit, jump->time));
  out.residual()[i] = *x.value(1);
  out.residual()[row] = target_.value(x) - f.value;
  if (out.request.tangent) {
    auto K = out.K();
    K(row, i) = K(i, row) = 1;
  }
  if (out.request.rates) {
    out.rate()[row] = target_.rate(x) - f.first;
    if (out.request.tangent) out.rate_gradient();
  }
  if (out.request.bias) out.bias()[row] = -f.second;
}

}  // namespace trammel::coordinates
