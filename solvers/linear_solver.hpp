#pragma once

#include "solvers/petsc_owned.hpp"
#include "solvers/timings.hpp"

namespace trammel {

/// The default of every linear solve: one direct solve, by KLU on one rank and by substructuring on several. Options from
/// the command line come after it. `counts` may be null; else it must outlive `ksp`.
void set_default_solver(KSP ksp, int ranks, SubstructuringCounts* counts = nullptr);

/// Sets the solver up for its operators. False where the factorization failed, by whatever sign the package
/// gives; `broken` is set where the solver must be made anew. Collective.
bool factorize(KSP ksp, bool& broken);

}  // namespace trammel
