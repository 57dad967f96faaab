#include "solvers/errors/alpha_coefficients.hpp"

#include <cmath>

namespace trammel {

AlphaCoefficients AlphaCoefficients::from_radius(double radius) {
  AlphaCoefficients c{};
  c.alpha_m = (2 * radius - 1) / (radius + 1);
  c.alpha_f = radius / (radius + 1);
  c.gamma = 0.5 + c.alpha_f - c.alpha_m;
  c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
  c.alpha_m1 = (3 * radius - 1) / (2 * (radius + 1));
  c.gamma1 = 0.5 + c.alpha_f - c.alpha_m1;
  return c;
}

StepCoefficients AlphaCoefficients::of_step(double h) const {
  StepCoefficients step;
  step.step = h;
  step.velocity = gamma / (beta * h);
  step.acceleration = (1 - alpha_m) / ((1 - alpha_f) * beta * h * h);
  step.state_rate = (1 - alpha_m1) / ((1 - alpha_f) * gamma1 * h);
  return step;
}

double AlphaCoefficients::reaction_error_by_velocities() const {
  const auto mean_square = [this](double now) {
    const double lead = time_shift();
    return (1 - now) * (1 + lead) * (1 + lead) + now * lead * lead;
  };
  // Of a, from v_{n+1} - v_n with given velocities; and of v' besides, from the relation between a and v'.
  const double of_a = 1.0 / 6 - 0.5 * mean_square(1 - gamma);
  return of_a + 0.5 * (mean_square(alpha_m) - (1 - alpha_f));
}

double AlphaCoefficients::noise() const {
  // h^2 v' = (1 + rho)^2 (z - 1)^2 ((2 - rho) z + 2 rho - 1) / (z + rho)^3 q, by its response to a unit in one step.
  constexpr int most = 1000;
  const double rho = alpha_f / (1 - alpha_f), first = 2 - rho, second = 2 * rho - 1;
  const double b[4] = {first, second - 2 * first, first - 2 * second, second};
  double y1 = 0, y2 = 0, y3 = 0, sum = 0;
  for (int k = 0; k < most; ++k) {
    const double y = (k < 4 ? b[k] : 0) - rho * (3 * y1 + rho * (3 * y2 + rho * y3));
    y3 = y2;
    y2 = y1;
    y1 = y;
    sum += y * y;
  }
  return (1 + rho) * (1 + rho) * std::sqrt(sum);
}

}  // namespace trammel
