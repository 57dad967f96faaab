#pragma once

#include <string>

#include "kernel/assembler.hpp"
#include "solvers/petsc_owned.hpp"
#include "solvers/timings.hpp"

namespace trammel {

/// Finds algebraic unknowns where positions, velocities and first-order states are given: g(q, v, x, t) = 0 by Newton's method
/// with step halving, from the values in the state. Every function is collective.
class AlgebraicStart {
 public:
  AlgebraicStart(Assembler& assembler, Timings& timings) : assembler_(assembler), timings_(timings) {}

  /// Throws Error, which names the unknown, its entity and its place in the case, where an unknown has no equation: no element
  /// writes its row.
  void require_equations(const State& state);
  /// False, and the state as it was, where no solution is found; see `why`.
  bool solve(State& state);
  /// `solve`, and an Error where that fails.
  void require(State& state);
  const std::string& why() const { return why_; }

 private:
  /// The largest equation over its size beyond its rounding, of all ranks; not finite where the state is rejected. The
  /// equations are left in r_.
  double residual(const State& state, const AlgebraicSizes& sizes);
  /// Solves for the increment by the tangent at `state`; false where it is singular.
  bool increment(const State& state);
  bool fail(std::string why);

  Assembler& assembler_;
  Timings& timings_;
  OwnedVec r_, x_;
  std::string why_;
  Location where_;
};

}  // namespace trammel
