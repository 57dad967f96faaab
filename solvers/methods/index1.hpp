#pragma once

#include "solvers/methods/constraint_form.hpp"
#include "solvers/methods/constraint_projection.hpp"

namespace trammel {

/// Index 1: constraints at acceleration level, and a projection at the end of each step, without which they drift.
class Index1 final : public ConstraintForm {
 public:
  Index1(ConstrainedMass& mass, bool project)
      : assembler_(mass.assembler()), projection_(mass), project_(project) {}

  ConstraintLevel level() const override { return ConstraintLevel::acceleration; }
  bool holds_velocities() const override { return project_; }
  bool improve_start(State& base, const State& end, std::vector<double>& algorithmic,
                     const AlphaCoefficients& c) override {
    return follow_accelerations(assembler_, base, end, algorithmic, c);
  }
  bool close(State& solution, double, const AlphaCoefficients&, bool) override {
    return project_ ? projection_.project(solution) : projection_.measure(solution);
  }
  std::string why() const override { return projection_.why(); }
  /// Multipliers satisfy the equations at the end of the step, and err by what its positions and velocities do.
  double reaction_error(const AlphaCoefficients&) const override { return 0; }
  Violations violations(const StepEquations& equations) const override;

 private:
  Assembler& assembler_;
  ConstraintProjection projection_;
  bool project_;
};

}  // namespace trammel
