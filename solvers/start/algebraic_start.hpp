#pragma once

#include <string>

#include "kernel/assembler.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/linear/timings.hpp"
#include "solvers/newton/algebraic_sizes.hpp"

namespace trammel {

/// Computes algebraic unknowns x from given positions, velocities and first-order states: solves g(q, v, x, t) = 0
/// by Newton's method with step halving, beginning with the values in the state. Every function is collective.
class AlgebraicStart {
 public:
  AlgebraicStart(Assembler& assembler, Timings& timings) : assembler_(assembler), timings_(timings) {}

  /// Throws Error if an unknown has no equation, that is, if no element writes its row. The message names the
  /// unknown, its entity and the position in the case.
  void require_equations(const State& state);
  /// Returns false, and leaves the state unchanged, if no solution is found; see `why`.
  bool solve(State& state);
  /// As `solve`, but throws Error if no solution is found.
  void require(State& state);
  const std::string& why() const { return why_; }

 private:
  /// The largest residual of an equation, minus its rounding error and divided by its size, over all ranks; not
  /// finite if an element rejects the state. The residuals are left in r_.
  double residual(const State& state, const AlgebraicSizes& sizes);
  /// Solves for the increment with the tangent at `state`; false if it is singular.
  bool increment(const State& state);
  bool fail(std::string why);

  Assembler& assembler_;
  Timings& timings_;
  OwnedVec r_, x_;
  std::string why_;
  Location where_;
};

}  // namespace trammel
