#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/methods/step_method.hpp"

namespace trammel {

/// Static equilibrium at the end of each load step: velocities and accelerations are zero, first-order states
/// are at rest (f = 0), velocity-level constraints act on the increment of the step. State::predictor contains the
/// last increment (of multipliers their scaled change), State::algorithmic the increment before.
class Statics final : public StepMethod {
 public:
  Statics(Assembler& assembler, const ModelScales& scales, double stiffness, const StaticStage& stage,
          Timings& timings);

  NewtonResult attempt(const State& now, double end, double h) override;
  const State& trial() const override { return equations_.trial(); }
  void obey(const StopRequest* request) override { newton_.obey(request); }
  Stop stop() const override { return newton_.stop(); }
  void accept(State& now, RankTotals& totals) override;
  void revise() override;
  void take_redundant() override;
  void restart(State&) override;
  void drop_tangent() override { newton_.drop_tangent(); }
  void drop_factorization() override;
  std::string failure(bool thorough) override;
  Violations violations() const override;

 private:
  /// The increment of a load step and its size on the clock [s].
  struct Increment {
    double step = 0;
    std::vector<double> x;
  };
  /// An increment of a step before, borrowed.
  struct Before {
    double step;
    const std::vector<double>* x;
  };

  /// No step before is continued.
  void forget();
  void predict(const State& now, bool extrapolate);
  /// The increments of the steps before `now`, the newest first.
  std::vector<Before> steps_before(const State& now) const;
  /// From how many of them a polynomial would have predicted the last increment (`predictor_`) best; 1 where there is one.
  /// Collective.
  int best_order(std::span<const Before> before) const;
  NewtonResult with_inertia(const NewtonResult& before, double end, StepCoefficients step);
  double largest_force() const;

  Assembler& assembler_;
  double stiffness_;
  StepEquations equations_;
  Newton newton_;
  State rest_;  ///< the base, without rates
  std::vector<double> local_, predictor_, before_;
  /// Increments older than State::algorithmic, the newest first, and of how many increments predictions are made. A snapshot goes
  /// without.
  std::vector<Increment> older_;
  int order_ = 1;
  double step_ = 0;
  double failed_at_ = 0;        ///< largest unbalanced force at the start of the last step that failed [N]
  bool constant_load_ = false;  ///< this force was the same for the longer step tried before
};

}  // namespace trammel
