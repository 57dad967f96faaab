#include "solvers/accuracy/error_budget.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {
// Bounds of shares. Beyond them rates are equal again.
constexpr double least = 0.125, most = 4;
// Part of a stage that counts as its beginning, where small ranges make d too large: the mean is taken over this at least, and this
// part of the accuracy may be used in advance. Savings of this size allow twice the mean rate.
constexpr double early = 0.05;
}  // namespace

void ErrorBudget::begin(double time, double span) {
  *this = {};
  begin_ = time;
  span_ = span;
}

double ErrorBudget::share(double part, double h, double time, double to_come) const {
  if (!(part > 0)) return 1;
  const double elapsed = (time - begin_) / span_, root = std::sqrt(part * span_ / h) * span_ / h,
               mean = (passed_ + root * h / span_) / std::max(elapsed, early),
               saved = elapsed + early * (1 - elapsed) - spent_ - to_come;
  return std::clamp(std::min(root / mean, 1 + saved / early), least, most);
}

void ErrorBudget::spend(double part, double h) {
  passed_ += std::sqrt(part * span_ / h);
  spent_ += part;
}

}  // namespace trammel
