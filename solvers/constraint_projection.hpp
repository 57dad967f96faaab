#pragma once

#include <string>

#include "solvers/constrained_mass.hpp"

namespace trammel {

/// Brings the end of an index-1 step back onto the constraints, by the mass-weighted least change of positions until
/// C = 0, then of velocities until B v + C_t = 0 and A v + b = 0 (Eich 1993); algebraic unknowns follow; then of accelerations, with multipliers that
/// keep the balance of forces. Every function is collective.
class ConstraintProjection {
 public:
  /// `mass` must outlive it.
  explicit ConstraintProjection(ConstrainedMass& mass) : mass_(mass) {}

  /// False where the state cannot be brought there, see `why`.
  bool project(State& state);
  /// Measures how far off `state` is, and leaves it.
  bool measure(State& state);

  /// What is left, over all ranks: of C [m or rad], of the rates [m/s or rad/s], and of the equations that were left
  /// out as repeated [m or rad].
  double position() const { return position_; }
  double rate() const { return rate_; }
  double redundant() const { return redundant_; }
  std::string why() const { return why_; }

 private:
  /// `size`: of the numbers whose differences the constraints are.
  bool close(State& state, ConstraintLevel level, double size);
  bool close_accelerations(State& state);
  bool solve(const State& state);
  bool open(const State& state, ConstraintLevel level, double& violation);

  ConstrainedMass& mass_;
  bool prepared_ = false;
  double position_ = 0, rate_ = 0, redundant_ = 0;
  std::string why_;
};

}  // namespace trammel
