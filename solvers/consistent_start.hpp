#pragma once

#include <string>

#include "solvers/convergence.hpp"
#include "solvers/petsc_owned.hpp"
#include "solvers/stages.hpp"
#include "solvers/timings.hpp"
#include "trammel/assembler.hpp"

namespace trammel {

/// Makes a state satisfy the constraints and the equations of motion, by systems with the matrix [M B^T; B
/// 0].
///
/// Rows and columns of blocks without any mass or constraint keep their rates. The layout must have no
/// companions. Every function is collective, and throws Error, naming the unknowns, where the matrix is
/// singular.
class ConsistentStart {
 public:
  ConsistentStart(Assembler& assembler, const ModelScales& scales, Timings& timings);

  /// Moves the configuration, by mass-weighted least displacements, until position constraints hold. Returns
  /// the largest violation found at first. Throws Error that names the worst joint where that fails.
  double assemble(State& state, const AssembleStage& options);

  /// Changes velocities by the mass-weighted least amount so that B v + C_t = 0 and A v + b = 0. Returns the
  /// kinetic energy that this adds [J].
  double velocities(State& state);

  /// Adds the mass-weighted least velocities that multiply B v + C_t by `factor`.
  void scale_violation(State& state, double factor);

  /// Accelerations and multipliers that satisfy the equations of motion and the constraints at acceleration
  /// level, and y' = f of first-order states.
  void accelerations(State& state);

  /// Unknowns that have neither mass nor constraint, named; empty where there are none. Of the last call.
  const std::string& massless() const { return massless_; }

 private:
  void prepare(const State& state);
  void silence_left_out();
  void solve();
  void find_massless();
  template <class Use>
  void each_owned(Vec x, Use&& use) const;

  Assembler& assembler_;
  ModelScales scales_;
  Timings& timings_;
  bool has_velocity_constraints_ = false;
  OwnedMat J_;
  OwnedKSP ksp_;
  OwnedVec r_, x_;
  std::vector<char> free_;  ///< owned rows without mass and constraint
  std::string massless_;
  std::vector<double> local_;
};

}  // namespace trammel
