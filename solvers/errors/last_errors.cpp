#include "solvers/errors/last_errors.hpp"

#include <cmath>
#include <utility>

namespace trammel {

void reduce_cancelled(LocalError& mean, const std::vector<double>& magnitude) {
  for (std::size_t i = 0; i < mean.velocity.size(); ++i)
    if (magnitude[i] > 0) mean.velocity[i] *= std::abs(mean.velocity[i]) / magnitude[i];
}

void LastErrors::look(const LocalError& error, double h) {
  // Errors per unit of time go with h^2.
  const double old = step_ > 0 ? (1 - of_last) * h * h / (step_ * step_) : 0.0,
               now = (step_ > 0 ? of_last : 1.0) / h;
  const auto mix = [&](const std::vector<double>& before, const std::vector<double>& errors, auto&& part,
                       std::vector<double>& out) {
    out.resize(errors.size());
    for (std::size_t i = 0; i < errors.size(); ++i)
      out[i] = (step_ > 0 ? old * before[i] : 0.0) + now * part(errors[i]);
  };
  const auto signed_one = [](double x) { return x; };
  mix(mean_.displacement, error.displacement, signed_one, trial_.displacement);
  mix(mean_.velocity, error.velocity, signed_one, trial_.velocity);
  mix(
      magnitude_, error.velocity, [](double x) { return std::abs(x); }, trial_magnitude_);
}

void LastErrors::count(LocalError& out) const {
  out.displacement = trial_.displacement;
  out.velocity = trial_.velocity;
  reduce_cancelled(out, trial_magnitude_);
}

void LastErrors::accepted(double h) {
  std::swap(mean_, trial_);
  std::swap(magnitude_, trial_magnitude_);
  step_ = h;
}

}  // namespace trammel
