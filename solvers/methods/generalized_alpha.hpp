#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "solvers/errors/alpha_coefficients.hpp"
#include "solvers/errors/alpha_error.hpp"
#include "solvers/errors/error_filter.hpp"
#include "solvers/errors/vibration_filter.hpp"
#include "solvers/methods/step_method.hpp"
#include "solvers/newton/linear_prediction.hpp"
#include "solvers/newton/unknown_runs.hpp"
#include "solvers/newton/weighed_runs.hpp"

namespace trammel {

/// The Lie-group generalized-alpha method (Bruls, Cardona and Arnold 2012), with constraints in one of their forms.
///
/// State::algorithmic contains the algorithmic accelerations a, and d of first-order states. State::predictor
/// contains v' of kinematic blocks, y' of states, and multipliers, all of the step before.
class GeneralizedAlpha final : public StepMethod {
 public:
  /// `form` must outlive it.
  GeneralizedAlpha(Assembler& assembler, const ModelScales& scales, const DynamicStage& stage,
                   ConstraintForm& form, Timings& timings);

  NewtonResult attempt(const State& now, double end, double h) override;
  const State& trial() const override { return equations_.trial(); }
  void obey(const StopRequest* request) override { newton_.obey(request); }
  Stop stop() const override { return newton_.stop(); }
  void accept(State& now, RankTotals& totals) override;
  void revise() override;
  void take_redundant() override;
  void restart(State& now) override;
  void pass_kink() override {
    if (errors_) errors_->forget_before();
  }
  void local_error(LocalError& out, bool event, double time) override;
  void serialize(Archive& archive) override;
  void drop_tangent() override;
  void drop_factorization() override;
  std::string failure(bool thorough) override;
  std::string frequent_cause() const override;
  Violations violations() const override { return form_.violations(equations_); }
  double acceleration_rounding(double h) const override;

 private:
  void start_from(const State& now, std::vector<double>& algorithmic) const;
  void change_step(const State& now, double h, bool anew);
  /// Of the equations of a step of size h: v0 and a0, or y0.
  void set_offsets(double h, const UnknownRun& run);
  /// The offsets, and the first value of x. `solved`, where it is given: the solution of this step with other algorithmic
  /// accelerations.
  void predict(double h, const State* solved = nullptr);
  /// Takes over the data for the next prediction from State::predictor, to be filled anew. Call before the trial becomes the
  /// present state.
  void look_back(State& now, RankTotals& totals);
  void take_layout();
  /// Learns from the accelerations and multipliers of the trial how they go on.
  void compare_with_steps_before(const State& now, RankTotals& totals);
  /// Computes the algorithmic accelerations at the end of the step that converged.
  void end_algorithmic();

  Assembler& assembler_;
  ConstraintForm& form_;
  AlphaCoefficients alpha_;
  StepEquations equations_;
  Newton newton_;
  // Of the present attempt: its step, its base (`now`, or `changed_` where something of that was altered), algorithmic
  // accelerations of the base (likewise) and, after convergence, of the end, and why a solution could not be brought onto the
  // constraints.
  double step_ = 0;
  const State* base_ = nullptr;
  State changed_;
  const std::vector<double>* a_ = nullptr;
  std::vector<double> a_changed_, a_end_;
  std::string not_closed_;
  std::map<std::string, int> failures_;  ///< number of failures, by the entity with the largest residual
  std::vector<UnknownRun> runs_;
  std::vector<WeighedRun> compared_;  ///< motion and multipliers of this rank, as accelerations of positions
  /// How accelerations, rates of states and multipliers go on, and those of the steps before State::predictor, the latest first. A
  /// snapshot goes without.
  LinearPrediction prediction_;
  std::array<std::vector<double>, LinearPrediction::most - 1> before_;
  double growth_ = 1;                 ///< ConstraintForm::error_growth
  double fastest_ = 0;                ///< largest acceleration of this rank's bodies so far [m/s^2]
  double accuracy_ = 0;               ///< that the stage asks for; 0: none
  std::optional<AlphaError> errors_;  ///< where it does
  ErrorFilter filter_;                ///< of these errors
  VibrationFilter vibration_filter_;
  bool event_ = false;  ///< the step that was judged last ends at one
};

}  // namespace trammel
