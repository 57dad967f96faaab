#pragma once

#include <string>
#include <vector>

#include "solvers/step_method.hpp"

namespace trammel {

/// Static equilibrium at the end of each load step: velocities and accelerations are zero, first-order states
/// are at rest (f = 0), velocity-level constraints act on the increment of the step.
class Statics final : public StepMethod {
 public:
  Statics(Assembler& assembler, const ModelScales& scales, double stiffness, const StaticStage& stage,
          Timings& timings);

  NewtonResult attempt(const State& now, double end, double h) override;
  const State& trial() const override { return equations_.trial(); }
  void obey(const StopRequest* request) override { newton_.obey(request); }
  Stop stop() const override { return newton_.stop(); }
  void accept(State& now) override;
  void revise(std::span<State* const> states) override;
  void restart(const State&) override { previous_step_ = 0; }
  void drop_tangent() override { newton_.drop_tangent(); }
  std::string failure(bool thorough) override;
  double constraint_violation() const override;
  double rate_violation() const override { return 0; }
  double left_out_violation() const override;

 private:
  void predict(const State& now, double part);
  NewtonResult with_inertia(const NewtonResult& before, double end, StepCoefficients step);
  double largest_force() const;

  Assembler& assembler_;
  double stiffness_;
  StepEquations equations_;
  Newton newton_;
  State rest_;                    ///< the base, without rates
  std::vector<double> previous_;  ///< the last increment, multipliers as their change, by local unknown
  double previous_step_ = 0;
  double step_ = 0;
  double failed_at_ = 0;        ///< the largest force at rest of the last step that failed
  bool constant_load_ = false;  ///< it was that of the longer step before, too
};

}  // namespace trammel
