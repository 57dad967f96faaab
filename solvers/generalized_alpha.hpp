#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/consistent_start.hpp"
#include "solvers/constraint_projection.hpp"
#include "solvers/step_method.hpp"

namespace trammel {

/// Coefficients of the generalized-alpha method for second-order equations (Chung and Hulbert 1993, in the
/// notation of Arnold and Bruls 2007) and for first-order ones (Jansen, Whiting and Hulbert 2000, same
/// notation, same alpha_f).
struct AlphaCoefficients {
  double alpha_m, alpha_f, beta, gamma;
  double alpha_m1, gamma1;

  /// `radius`: spectral radius at infinite frequency, 0 to 1.
  static AlphaCoefficients from_radius(double radius);

  /// Part of B v'' in B v + C_t of index-3 steps, over h^2.
  double kappa() const { return 1.0 / 6 - beta - (alpha_m - alpha_f) / 2; }
};

/// The Lie-group generalized-alpha method: index 3, stabilized index 2 where the layout is, or index 1 with a projection
/// of each step's end.
class GeneralizedAlpha final : public StepMethod {
 public:
  /// `algorithmic` are the algorithmic accelerations of the start by dof place, of a step `last_step` before;
  /// none: those of the state.
  GeneralizedAlpha(Assembler& assembler, const ModelScales& scales, const DynamicStage& stage,
                   const State& start, std::optional<std::vector<double>> algorithmic, double last_step,
                   Timings& timings);

  NewtonResult attempt(const State& now, double end, double h) override;
  const State& trial() const override { return index1() ? closed_ : equations_.trial(); }
  void obey(const StopRequest* request) override { newton_.obey(request); }
  Stop stop() const override { return newton_.stop(); }
  void accept(State& now) override;
  void revise(std::span<State* const> states) override;
  void restart(const State& now) override;
  StepHistory history() const override { return {algorithmic_, last_step_, first_, leads_}; }
  void restore(StepHistory&& history) override;
  void drop_tangent() override { newton_.drop_tangent(); }
  std::string failure(bool thorough) override;
  double constraint_violation() const override;
  double rate_violation() const override;
  double left_out_violation() const override;

  /// Algorithmic accelerations a, and d of first-order states, by dof place.
  const std::vector<double>& algorithmic() const { return algorithmic_; }
  double last_step() const { return last_step_; }

 private:
  void start_from(const State& now, std::vector<double>& algorithmic) const;
  void change_step(const State& now, double h);
  void predict(double h);
  bool lead_start();
  bool index1() const { return form_ == DynamicStage::Form::index1; }
  bool close();

  Assembler& assembler_;
  DynamicStage::Form form_;
  bool project_;
  bool leads_;  ///< the start values of index 3 are made those of the steps that follow
  AlphaCoefficients alpha_;
  Timings& timings_;
  StepEquations equations_;
  Newton newton_;
  std::vector<double> algorithmic_;
  double last_step_ = 0;
  bool first_ = false;     ///< the next step is the first after a start
  bool begins_ = false;    ///< the present attempt begins anew, as after a start
  double step_ = 0;        ///< of the present attempt
  State changed_;          ///< the base where a change of step altered its velocities
  std::vector<double> a_;  ///< algorithmic accelerations of the base
  const State* base_ = nullptr;
  std::vector<double> previous_acceleration_,
      previous_value_;  ///< v' and multipliers a step before, by dof place
  bool has_previous_ = false;
  std::vector<double> local_;
  State closed_;  ///< of index 1: the end of the last attempt, projected
  std::optional<ConstraintProjection> projection_;
  std::string not_closed_;  ///< why the last attempt could not be projected
};

}  // namespace trammel
