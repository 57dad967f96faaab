#pragma once

#include <cstdint>
#include <string>

namespace trammel {

/// Counts of direct solves by substructuring, the same on every rank.
struct SubstructuringCounts {
  std::int64_t analyses = 0;        ///< choices of an interface
  std::int64_t interface = 0;       ///< unknowns of the largest interface
  std::int64_t largest_front = 0;   ///< unknowns, where groups of ranks eliminate the interface; else zero
  std::int64_t promotions = 0;      ///< unknowns of interiors without a pivot, moved to the interface
  std::int64_t factorizations = 0;  ///< by substructuring
  std::int64_t solves = 0;
  std::int64_t refinements = 0;  ///< solves with a step of iterative refinement
  std::int64_t fallbacks = 0;    ///< factorizations by MUMPS instead
  std::string reason;            ///< of the last of these
};

/// What linear algebra takes, in additions and multiplications.
struct LinearWork {
  double unknowns = 0;
  double factorization = 0, solve = 0;
};

/// Wall time by phase on this rank [s], and counts of what a solver did.
struct Timings {
  double residual = 0;  ///< evaluation and assembly of residuals
  double tangent = 0;   ///< evaluation of tangents
  double assembly = 0;  ///< their assembly into the matrix
  double factorization = 0;
  double solve = 0;   ///< linear solves with a factorization, and vector work of Newton's method
  double output = 0;  ///< monitors
  double rest = 0;
  double total = 0;

  std::int64_t steps = 0;           ///< accepted
  std::int64_t cuts = 0;            ///< steps that failed and were halved
  std::int64_t iterations = 0;      ///< of Newton's method, in accepted and failed steps
  std::int64_t residuals = 0;       ///< evaluations
  std::int64_t factorizations = 0;  ///< and tangents
  std::int64_t renewals = 0;        ///< those of them, in this process, of stale rows alone

  SubstructuringCounts substructuring;
};

}  // namespace trammel
