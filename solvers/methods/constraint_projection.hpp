#pragma once

#include <string>

#include "solvers/constraints/constrained_mass.hpp"

namespace trammel {

/// Projects the end of an index-1 step onto the constraints, with mass-weighted smallest changes: of positions
/// until C = 0, of velocities until B v + C_t = 0 and A v + b = 0 (Eich 1993), and, after the algebraic unknowns,
/// of accelerations, with multipliers that preserve the balance of forces. Every function is collective.
class ConstraintProjection {
 public:
  /// `mass` must outlive it.
  explicit ConstraintProjection(ConstrainedMass& mass) : mass_(mass) {}

  /// Projects `state`; false if this fails, see `why`.
  bool project(State& state);
  /// Measures the violations at `state`, which does not change.
  bool measure(State& state);

  /// Largest remaining violations over all ranks: of C [m or rad], of the rates [m/s or rad/s], and of the
  /// redundant equations [m or rad].
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
