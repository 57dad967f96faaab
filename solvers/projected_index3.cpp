#include "solvers/projected_index3.hpp"

namespace trammel {

bool ProjectedIndex3::close(const State& solution, double h, const AlphaCoefficients& c) {
  // v' = (1 - alpha_m) / (1 - alpha_f) a + ..., v = gamma h a + ...: both go on to hold.
  of_accelerations_ = 1 / (c.gamma * h);
  of_state_rates_ = (1 - c.alpha_f) / (1 - c.alpha_m1);
  end_ = solution;
  return correction_.correct(end_, (1 - c.alpha_m) / (1 - c.alpha_f) * of_accelerations_, tolerance_);
}

void ProjectedIndex3::correct(std::vector<double>& algorithmic) const {
  correction_.each_change([&](const UnknownBlock& u, const double* change) {
    const double part = u.kind == BlockKind::state ? of_state_rates_ : of_accelerations_;
    for (int k = 0; k < u.size; ++k)
      algorithmic[static_cast<std::size_t>(u.place.dof + k)] += part * change[k];
  });
}

Violations ProjectedIndex3::violations(const StepEquations& equations) const {
  Violations all = ConstraintForm::violations(equations);
  all.rate = correction_.rate();
  return all;
}

}  // namespace trammel
