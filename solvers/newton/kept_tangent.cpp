#include "solvers/newton/kept_tangent.hpp"

#include <algorithm>

namespace trammel {

int KeptTangent::cost_of(const LinearWork& work) {
  constexpr int most_cost = 30;
  // Operations that a residual is taken to cost for each unknown.
  constexpr double of_residual = 100;
  const double residual = of_residual * work.unknowns;
  const double cost = (least_cost * residual + work.factorization) / (residual + work.solve);
  return static_cast<int>(std::clamp<double>(cost, least_cost, most_cost));
}

void KeptTangent::solved(int iterations, bool kept, bool renewed) {
  constexpr int longest_wait = 64;
  // This step cost more than the average of the earlier ones: for a while tangents are renewed one step earlier.
  const auto too_late = [&] {
    limit_ = solves_;
    wait_ = std::clamp(2 * wait_, 1, longest_wait);
    waiting_ = wait_;
  };
  if (!renewed) {
    last_ = std::max(0, iterations - first_);
    if (kept && last_ * solves_ > cost_ + more_)
      too_late();
    else if (kept && solves_ >= limit_)
      wait_ = 0;
    ++solves_;
    more_ += last_;
    return;
  }
  if (waiting_ > 0) --waiting_;
  if (kept) too_late();
  solves_ = 1;
  first_ = iterations;
  more_ = last_ = 0;
}

}  // namespace trammel
