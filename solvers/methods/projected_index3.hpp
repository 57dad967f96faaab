#pragma once

#include "solvers/constraints/velocity_correction.hpp"
#include "solvers/methods/constraint_form.hpp"

namespace trammel {

/// Index 3, and at the end of each step the mass-weighted least change of velocities that satisfies B v + C_t = 0, with the
/// changes of accelerations and multipliers that belong to it: for forces that do not depend on velocities this is the stabilized
/// index-2 form of Gear, Gupta and Leimkuhler (1985) with the constraints' gradient at the end of the step.
class ProjectedIndex3 final : public ConstraintForm {
 public:
  ProjectedIndex3(ConsistentStart& start, double tolerance)
      : start_(start), correction_(start.system()), tolerance_(tolerance) {}

  void solved_by(Newton& newton) override { correction_.follow(newton); }
  void start_algorithmic(State& base, std::vector<double>& algorithmic, double h,
                         const AlphaCoefficients& c) override {
    start_.start_algorithmic(base, algorithmic, h, c.time_shift());
  }
  bool improve_start(State& base, const State& end, std::vector<double>& algorithmic,
                     const AlphaCoefficients& c) override {
    return start_.follow_motion(base, end, c.time_shift(), c.time_shift1(), algorithmic);
  }
  void begin_anew(State& base) override { start_.set_massless_rates(base); }
  void begin(const State& base, double h, const AlphaCoefficients& c) override;
  ExpectedChange expected_change(double h, const AlphaCoefficients& c) override;
  void measure(const State& solution, RankTotals& totals) override { correction_.measure(solution, totals); }
  bool close(State& solution, double h, const AlphaCoefficients& c, bool measured) override;
  void correct(std::vector<double>& algorithmic) const override;
  void accept(RankTotals& totals) override { correction_.keep(totals); }
  void drop_tangent() override { correction_.drop(); }
  bool completes_balance() const override { return correction_.completes_balance(); }
  double gap() const override { return correction_.gaps().distance; }
  std::string why() const override { return correction_.why(); }
  Violations violations(const StepEquations& equations) const override;

 private:
  ConsistentStart& start_;
  VelocityCorrection correction_;
  double tolerance_;
  double of_accelerations_ = 0,
         of_state_rates_ = 0;  ///< changes of a over those of v, and of d over those of y'
};

}  // namespace trammel
