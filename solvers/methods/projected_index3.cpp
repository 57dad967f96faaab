#include "solvers/methods/projected_index3.hpp"

namespace trammel {

namespace {
/// Change of the accelerations v' per change of the velocities that keeps v' = (1 - alpha_m) / (1 - alpha_f) a +
/// ... and v = gamma h a + ... valid [1/s].
double of_velocities(double h, const AlphaCoefficients& c) {
  return (1 - c.alpha_m) / ((1 - c.alpha_f) * c.gamma * h);
}
}  // namespace

std::vector<double> ProjectedIndex3::expected_change(double h, const AlphaCoefficients& c) {
  const double ratio = of_velocities(h, c);
  std::vector<double> expected = correction_.expected(ratio);
  if (!expected.empty())
    for (const UnknownBlock& u : start_.system().assembler().layout().unknowns()) {
      const double part = is_multiplier(u.kind) ? ratio * start_.system().scales().mass : ratio;
      for (int i = u.local; i < u.local + u.size; ++i) expected[static_cast<std::size_t>(i)] *= part;
    }
  return expected;
}

bool ProjectedIndex3::close(State& solution, double h, const AlphaCoefficients& c, bool measured) {
  of_accelerations_ = 1 / (c.gamma * h);
  of_state_rates_ = (1 - c.alpha_f) / (1 - c.alpha_m1);
  return correction_.correct(solution, of_velocities(h, c), tolerance_, measured);
}

void ProjectedIndex3::correct(std::vector<double>& algorithmic) const {
  correction_.each_change([&](const UnknownBlock& u, const double* change, double of_change) {
    const double part = of_change * (u.kind == BlockKind::state ? of_state_rates_ : of_accelerations_);
    for (int k = 0; k < u.size; ++k)
      algorithmic[static_cast<std::size_t>(u.offset.dof + k)] += part * change[k];
  });
}

Violations ProjectedIndex3::violations(const StepEquations& equations) const {
  Violations all = ConstraintForm::violations(equations);
  all.rate = correction_.rate();
  return all;
}

}  // namespace trammel
