#include "solvers/methods/projected_index3.hpp"

namespace trammel {

namespace {
/// Change of the accelerations v' per change of the velocities that keeps v' = (1 - alpha_m) / (1 - alpha_f) a +
/// ... and v = gamma h a + ... valid [1/s].
double of_velocities(double h, const AlphaCoefficients& c) {
  return (1 - c.alpha_m) / ((1 - c.alpha_f) * c.gamma * h);
}
}  // namespace

void ProjectedIndex3::begin(const State& base, double h, const AlphaCoefficients& c) {
  correction_.begin(base, of_velocities(h, c));
}

ConstraintForm::ExpectedChange ProjectedIndex3::expected_change(double h, const AlphaCoefficients& c) {
  const double ratio = of_velocities(h, c);
  const std::vector<double>& expected = correction_.expected(ratio);
  return {expected.empty() ? nullptr : expected.data(), ratio, ratio * start_.system().scales().mass};
}

bool ProjectedIndex3::close(State& solution, double h, const AlphaCoefficients& c, bool measured) {
  of_accelerations_ = 1 / (c.gamma * h);
  of_state_rates_ = (1 - c.alpha_f) / (1 - c.alpha_m1);
  return correction_.correct(solution, of_velocities(h, c), tolerance_, measured);
}

void ProjectedIndex3::correct(std::vector<double>& algorithmic) const {
  correction_.each_change([&](const UnknownRun& run, const ConstRunNumbers& change, double of_change) {
    const double part = of_change * (run.of == UnknownRun::Of::states ? of_state_rates_ : of_accelerations_);
    RunNumbers(algorithmic.data() + run.dof, run.size) += part * change;
  });
}

Violations ProjectedIndex3::violations(const StepEquations&) const {
  const VelocityCorrection::Gaps& gaps = correction_.gaps();
  return {gaps.position, correction_.rate(), gaps.redundant};
}

}  // namespace trammel
