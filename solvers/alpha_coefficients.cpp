#include "solvers/alpha_coefficients.hpp"

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

}  // namespace trammel
