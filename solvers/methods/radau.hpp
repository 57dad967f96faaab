#pragma once

#include <string>
#include <vector>

#include "solvers/methods/radau_equations.hpp"
#include "solvers/methods/step_method.hpp"
#include "solvers/newton/newton.hpp"

namespace trammel {

/// The two-stage Radau IIA method in the stabilized index-2 form, rotations in the exponential chart of the step's start.
///
/// State::predictor holds v' of kinematic blocks, y' of states, algebraic unknowns and multipliers at the first stage of the last
/// step. A one-step method: neither a start nor a change of step nor a restart needs more than a consistent state.
class Radau final : public StepMethod {
 public:
  Radau(Assembler& assembler, const ModelScales& scales, const DynamicStage& stage, Timings& timings);

  NewtonResult attempt(const State& now, double end, double h) override;
  const State& trial() const override { return equations_.stage(1).trial(); }
  void obey(const StopRequest* request) override { newton_.obey(request); }
  Stop stop() const override { return newton_.stop(); }
  void accept(State& now, RankTotals& totals) override;
  void revise() override;
  void take_redundant() override;
  void restart(State& now) override;
  void drop_tangent() override { newton_.drop_tangent(); }
  void drop_factorization() override { newton_.drop_factorization(); }
  std::string failure(bool thorough) override { return newton_.failure(thorough); }
  Violations violations() const override;

 private:
  void predict(const State& now, double h);

  Assembler& assembler_;
  RadauEquations equations_;
  Newton newton_;
  double step_ = 0;  ///< of the present attempt [s]
  std::vector<double> predictor_;
};

}  // namespace trammel
