#pragma once

#include <string>
#include <vector>

#include "solvers/alpha_coefficients.hpp"
#include "solvers/step_method.hpp"

namespace trammel {

/// The Lie-group generalized-alpha method, with constraints in one of their forms.
///
/// State::algorithmic holds its accelerations a, and d of first-order states; State::predictor v' of kinematic blocks, y' of
/// states and multipliers, each a step before.
class GeneralizedAlpha final : public StepMethod {
 public:
  /// `form` must outlive it.
  GeneralizedAlpha(Assembler& assembler, const ModelScales& scales, const DynamicStage& stage,
                   ConstraintForm& form, Timings& timings);

  NewtonResult attempt(const State& now, double end, double h) override;
  const State& trial() const override { return form_.end(equations_.trial()); }
  void obey(const StopRequest* request) override { newton_.obey(request); }
  Stop stop() const override { return newton_.stop(); }
  void accept(State& now) override;
  void revise() override;
  void take_left_out() override;
  void restart(State& now) override;
  void drop_tangent() override;
  void drop_factorization() override;
  std::string failure(bool thorough) override;
  Violations violations() const override { return form_.violations(equations_); }

 private:
  void start_from(const State& now, std::vector<double>& algorithmic) const;
  void change_step(const State& now, double h, bool anew);
  void predict(double h);

  Assembler& assembler_;
  ConstraintForm& form_;
  AlphaCoefficients alpha_;
  StepEquations equations_;
  Newton newton_;
  // Of the present attempt: its step, its base (`now`, or `changed_` where something of that was altered), the base's
  // algorithmic accelerations, and why a solution could not be brought onto the constraints.
  double step_ = 0;
  const State* base_ = nullptr;
  State changed_;
  std::vector<double> a_;
  std::string not_closed_;
  std::vector<double> local_, predictor_;
};

}  // namespace trammel
