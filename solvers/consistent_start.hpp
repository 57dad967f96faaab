#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "solvers/constrained_mass.hpp"
#include "solvers/stages.hpp"

namespace trammel {

/// Makes a state satisfy the constraints and the equations of motion, by systems of ConstrainedMass. Every function is
/// collective, and throws Error, naming the unknowns, where the matrix is singular.
class ConsistentStart {
 public:
  ConsistentStart(Assembler& assembler, const ModelScales& scales, Timings& timings);

  /// Moves the configuration, by mass-weighted least displacements, until position constraints hold. Returns
  /// the largest violation found at first. Throws Error that names the worst joint where that fails.
  double assemble(State& state, const AssembleStage& options);

  /// Changes velocities by the mass-weighted least amount so that B v + C_t = 0 and A v + b = 0. Returns the
  /// kinetic energy that this adds [J].
  double velocities(State& state);

  /// Of the last change of velocities: the impulse of some multipliers, of forces [N s] and of moments [N m s].
  std::array<double, 2> impulse(const std::vector<BlockId>& multipliers) const;

  /// Adds the mass-weighted least velocities that multiply B v + C_t by `factor`.
  void scale_violation(State& state, double factor);

  /// Accelerations and multipliers that satisfy the equations of motion and the constraints at acceleration
  /// level, and y' = f of first-order states.
  void accelerations(State& state);

  /// Start values of the index-3 form for steps of size h, without the transient that consistent ones cause
  /// in its multipliers: as in the steps that follow, `algorithmic` (by dof place) belongs to a time `lead` h
  /// later, and B v + C_t is h^2 (spread B v'' + B (w x w') / 12). Only the parts along B change, by the
  /// mass-weighted least amount (Arnold, Cardona and Bruls 2015, section 3).
  void lead(State& state, std::vector<double>& algorithmic, double h, double lead, double spread);

  /// Unknowns that have neither mass nor constraint, named; empty where there are none. Of the last call.
  const std::string& massless() const { return mass_.massless(); }

 private:
  void prepare(const State& state);
  void solve();
  void residual(const State& state, ConstraintLevel level);
  /// B v' + bias by owned unknown; nothing outside the domain of an element.
  std::optional<std::vector<double>> acceleration_rows(const State& state);
  void solve_for(const std::vector<double>& rows, bool position_only);

  Assembler& assembler_;
  ModelScales scales_;
  ConstrainedMass mass_;
};

}  // namespace trammel
