#pragma once

#include <span>
#include <vector>

#include "solvers/linear/petsc_owned.hpp"
#include "solvers/linear/timings.hpp"

namespace trammel {

/// Sets the default of every linear solve: one direct solve, by KLU on one rank and by substructuring on several.
/// Options of the command line are applied afterwards. `counts` may be null; otherwise it must outlive `ksp`.
void set_default_solver(KSP ksp, int ranks, SubstructuringCounts* counts = nullptr);

/// Whether the solver, with all options applied, reads its matrix while it factorizes, and never again.
bool reads_once(KSP ksp);

/// Sets the solver up for its operators. False if the factorization failed, whichever way the package reports this.
/// `broken` is set if the solver must be created again. Collective.
bool factorize(KSP ksp, bool& broken);

/// The next matrix to be factorized differs from the last in these rows only, ascending, of this rank. Solvers that gain nothing by that do not
/// care. Every rank must call it.
void expect_changes(KSP ksp, std::vector<int> rows);

/// The part of this rank's columns that the last factorization renewed because of expect_changes; 1 where it was a whole one.
double renewed_part(KSP ksp);

/// These rows will change most often, as expect_changes says: the order of elimination to be sought takes them last, where that is as good.
void prefer_last(KSP ksp, std::vector<int> rows);

/// x = A^-1 b with the operator A that was factorized; false if this fails. What Trammel's own factors solve at once does not go through
/// KSPSolve, which would fill x with zeros before, and look for options. Collective.
bool solve(KSP ksp, Vec b, Vec x);
/// The same for several right-hand sides. On one rank the factors are read once for two of them.
bool solve(KSP ksp, std::span<const Vec> b, std::span<const Vec> x);

/// Operations of the last factorization and of a solve by it, on the rank that has most; zero where a package of PETSc factorizes. Collective.
LinearWork work_of(KSP ksp);

}  // namespace trammel
