#pragma once

#include <array>
#include <string>
#include <vector>

#include "solvers/linear/petsc_owned.hpp"
#include "solvers/methods/radau_chart.hpp"
#include "solvers/newton/step_equations.hpp"

namespace trammel {

/// The equations of both stages of a step by Radau IIA, in the stabilized index-2 form. See docs/time_integration.md.
///
/// The unknowns of a stage are those of StepEquations with h sum_j a_ij v_j in place of the increment x, so that velocities and
/// accelerations of a stage are linear in the unknowns of both. Number k of stage i stands at 2 k + i: the graph of the layout
/// and its partition remain. Equations of motion of the two stages change places: the acceleration of the first does not depend on its own
/// x, and a direct solver, which chooses its order for pivots on the diagonal, finds one there.
class RadauEquations final : public NewtonEquations {
 public:
  RadauEquations(Assembler& assembler, const ModelScales& scales);

  /// See StepEquations.
  void revise();
  void take_redundant();
  /// Begins a step of size `h` from `base`, which must outlive it, to time `end`.
  void begin(const State& base, double end, double h);

  double multiplier_scale() const { return stages_[0].multiplier_scale(); }
  double column_scale(const UnknownBlock& u, std::size_t k) const { return stages_[0].column_scale(u, k); }
  /// Of one of the stages at the last residual.
  const StepEquations& stage(int i) const { return stages_[static_cast<std::size_t>(i)]; }
  /// See StepEquations::solution; of the last stage, which ends the step.
  State& solution() { return stages_.back().solution(); }

  Vec create_vector() const override;
  Mat create_matrix(bool lasting) override;
  void rescale() override;
  bool residual(Vec x, Vec f) override;
  bool move_here(Vec x) override;
  void tangent(Mat J, LocalFault& fault) override;
  Mat diagnosed(Mat J) const override;
  void carry(const FieldNorms& norms) override { stages_[0].carry(norms); }
  const FieldNorms& norms() const override { return norms_; }
  void measure_change(Vec change, FieldNorms& norms) const override;
  const State& trial() const override { return stages_[told_].trial(); }
  std::string turned_too_far() const override { return stages_[told_].turned_too_far(); }
  bool residual_is_finite() const override;
  std::string not_finite() const override;
  Assembler& assembler() const override { return assembler_; }
  const ModelScales& scales() const override { return stages_[0].scales(); }
  const StepCoefficients& coefficients() const override { return coefficients_; }
  ConstraintLevel level() const override { return ConstraintLevel::position; }
  double stiffness() const override { return stages_[0].stiffness(); }
  double rate_stiffness() const override { return stiffness() / coefficients_.velocity; }

 private:
  /// Takes the unknowns of both stages from x, and with them what each stage takes from the other one.
  void spread(Vec x);
  void split(Vec x) const;
  /// Place among the rows of this rank of number `row` of a stage.
  std::size_t place(std::size_t row, std::size_t stage) const {
    return radau::stages * row + (exchanged_[row] != 0 ? 1 - stage : stage);
  }

  Assembler& assembler_;
  std::array<StepEquations, radau::stages> stages_;
  StepCoefficients coefficients_;  ///< of the size of A^-1, for both stages
  const State* base_ = nullptr;
  std::array<OwnedVec, radau::stages> x_, f_;  ///< of one stage
  std::array<std::vector<double>, radau::stages> local_;
  std::vector<char> exchanged_;                         ///< rows of a stage that are of motion
  std::vector<RadauChart> charts_;                      ///< by unknown
  std::array<std::vector<Vec3>, radau::stages> turns_;  ///< likewise
  std::vector<Mat3> own_, both_;                        ///< likewise
  OwnedMat diagonal_, sum_;                             ///< of one stage
  FieldNorms norms_;
  std::size_t told_ = 1;  ///< stage that rejected the last trial; otherwise the last stage
};

}  // namespace trammel
