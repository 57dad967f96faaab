#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/newton/algebraic_sizes.hpp"
#include "solvers/newton/block_runs.hpp"
#include "solvers/newton/newton_equations.hpp"
#include "solvers/newton/numbers_after_frames.hpp"
#include "solvers/newton/rotation_update.hpp"
#include "solvers/newton/stale_rows.hpp"
#include "solvers/newton/step_coefficients.hpp"

namespace trammel {

/// The equations of one step in its increment x: q = q_n exp(x~) for kinematic blocks, y = y_n + x for
/// states, likewise scaled for algebraic unknowns, the scaled value itself for multipliers; in the stabilized form q = q_n exp((x - mu)~). See
/// docs/time_integration.md.
///
/// Rows and columns are scaled so that the condition of the tangent does not depend on the step (Bottasso,
/// Dopico and Trainelli 2008).
class StepEquations final : public NewtonEquations {
 public:
  /// `level`: of the rows of constraints. At acceleration level they are B v' + bias and A v' + d/dt(A) v +
  /// d/dt(b), divided by dv'/dx, so that to leading order their tangent is that of the position level.
  StepEquations(Assembler& assembler, const ModelScales& scales,
                ConstraintLevel level = ConstraintLevel::position);

  /// Adapts the sizes of arrays after a change of the pattern.
  void revise();
  /// Adopts the present redundant rows of the assembler.
  void take_redundant();

  /// Begins a step from `base`, which must outlive it, to time `end`. Then fill the offsets.
  void begin(const State& base, double end, const StepCoefficients& coefficients, double stiffness);
  /// v0, y0 and a0, by dof offset.
  std::vector<double>& rate_offset() { return rate_offset_; }
  std::vector<double>& acceleration_offset() { return acceleration_offset_; }

  /// The blocks of unknowns, in order.
  std::span<const BlockRun> runs() const { return runs_; }
  /// Column scale of multipliers: lambda = scale * x.
  double multiplier_scale() const { return stiffness_; }
  /// Column scale of number k of a block of algebraic unknowns: its increment is scale * x.
  double column_scale(const UnknownBlock& u, std::size_t k) const {
    return algebraic_column_[static_cast<std::size_t>(u.local) + k];
  }
  /// Computes the scales of algebraic equations at the start of the present step. Call only when the tangent is
  /// made again.
  void rescale() override;
  /// Column scale of eta.
  double stabilizing_scale() const { return coefficients_.step > 0 ? 1 / coefficients_.step : 1; }

  /// Rotation vectors of the trial, by unknown, in place of x - mu: R = R_n exp(turns~). They must outlive the step.
  void turn_by(std::span<const Vec3> turns) { turns_ = turns; }

  Vec create_vector() const override { return assembler_.layout().create_vector(); }
  Mat create_matrix(bool lasting) override { return assembler_.create_matrix(lasting); }
  bool residual(Vec x, Vec f) override;
  bool move_here(Vec x) override;
  /// The same; false, on all ranks, where one rejects it.
  bool move_to(Vec x);
  /// The x of the trial by local unknown, with ghosts; kept on several ranks only, and for stabilized forms.
  const std::vector<double>& local() const { return local_; }
  void tangent(Mat J, LocalFault& fault) override;
  /// The same with the coefficients `by` in place of those of the step, unchanged scales, and the tangent operators
  /// T by unknown: axial(R^T dR) = T dx.
  void tangent(Mat J, const StepCoefficients& by, std::span<const Mat3> T, LocalFault& fault);

  void look_for_stale_rows(Vec f, StaleRows::Limits most, bool may_be_rounding) override;
  StaleRows* stale_rows() override { return &stale_; }
  bool renew_stale_rows(Mat J, LocalFault& fault) override;
  std::vector<int> turning_rows() const override;

  const State& trial() const override { return trial_; }
  /// The trial after a step has converged, to be completed and taken over.
  State& solution() { return trial_; }
  void carry(const FieldNorms& norms) override { carried_ = norms; }
  void send_along(const std::function<void(Vec f, RankTotals& totals)>& add) override { add_ = add; }
  const FieldNorms& norms() const override { return norms_; }
  std::string turned_too_far() const override;
  bool residual_is_finite() const override;
  std::string not_finite() const override;
  void measure_change(Vec change, FieldNorms& norms) const override;
  double largest_constraint() const { return largest_constraint_; }
  double largest_rate() const { return largest_rate_; }
  /// Of the redundant equations, at the last residual; this rank's rows only.
  double largest_redundant() const { return largest_redundant_; }

  Assembler& assembler() const override { return assembler_; }
  const ModelScales& scales() const override { return scales_; }
  const StepCoefficients& coefficients() const override { return coefficients_; }
  ConstraintLevel level() const override { return level_; }
  double stiffness() const override { return stiffness_; }
  double rate_stiffness() const override {
    return coefficients_.velocity > 0 ? stiffness_ / coefficients_.velocity : 0;
  }

 private:
  /// Into the trial, which has the motion of another step: frames get all their numbers, and multipliers their values, from an increment.
  void copy_what_is_not_moved(const State& base);
  /// Sets the trial by x, and norms of the increment and of accelerations.
  bool update(const double* x);
  /// The frames of blocks [first, last) of the run.
  void move_frames(const BlockRun& run, int first, int last, const double* x);
  void move_block(int i, const double* x);
  void move_kinematic(int i, const UnknownBlock& u, const double* x);
  void move_states(int i, const UnknownBlock& u, const double* from, double* value);
  void move_algebraic(const UnknownBlock& u, const double* from, double* value);
  void turn(int i, const Vec3& theta);
  void zero_redundant(double* f);
  /// Scales the rows of a residual, and sets its norms. `rows`: those of a run.
  void scale_rows(double* f, const double* x);
  void measure_frames(const BlockRun& run, const double* rows);
  void scale_constraints(const BlockRun& run, const TangentWeights& w, double* rows);
  void scale_block(int i, const TangentWeights& w, double* f, const double* x);
  void scale_stabilizing(const UnknownBlock& u, const TangentWeights& w, double* f, const double* x);
  TangentWeights weights(std::span<const Mat3> T) const;
  bool tangent(Mat J, LocalFault& fault, const RenewedRows& renewed);

  Assembler& assembler_;
  ModelScales scales_;
  ConstraintLevel level_;
  bool has_velocity_constraints_ = false;
  std::vector<BlockRun> runs_;
  /// Conversion factors by local unknown. `metres_`: of its increment, or of the violation of a constraint, to [m].
  /// `of_row_`: of its row to [N] (kinematic) or [m] (multipliers). For a state both are 1 over its size in this
  /// step; for an algebraic unknown so is the first.
  NumbersAfterFrames metres_, of_row_;
  NumbersAfterFrames typical_;      ///< typical_size
  std::vector<double> rounding_;    ///< by local unknown: ModelScales::rounding
  std::vector<double> state_gain_;  ///< by unknown, where there are states: ModelScales::state_gain
  AlgebraicSizes algebraic_;        ///< at the base of the step, as what follows by local unknown
  std::vector<double> algebraic_row_, algebraic_column_;
  std::vector<double>
      known_to_;  ///< likewise: the rounding of a state's row at the last trial, in nominal sizes
  const State* base_ = nullptr;
  StepCoefficients coefficients_;
  double stiffness_ = 1;
  State trial_, moving_;
  bool trial_is_complete_ = false;  ///< of this layout
  std::vector<double> rate_offset_, acceleration_offset_;
  std::vector<double> local_, corrections_;  ///< in the stabilized form; `local_` on several ranks too
  std::span<const Vec3> turns_;
  std::vector<RotationAt> rotations_;
  std::vector<Vec3>
      turned_;        ///< rotation increments of the last residual, by unknown up to the last rotation
  int too_far_ = -1;  ///< unknown that an increment of the last trial turned by half a turn
  FieldNorms norms_, carried_;
  std::function<void(Vec f, RankTotals& totals)> add_;
  struct RedundantRow {
    int row = 0;           ///< in the local vector
    int stabilizing = -1;  ///< likewise
  };
  std::vector<RedundantRow> redundant_;  ///< of this rank's rows
  StaleRows stale_;
  StepCoefficients tangent_for_;  ///< of the last tangent, as the next
  double tangent_stiffness_ = 0;
  double largest_constraint_ = 0, largest_rate_ = 0, largest_redundant_ = 0;
};

}  // namespace trammel
