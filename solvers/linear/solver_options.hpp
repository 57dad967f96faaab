#pragma once

#include <petscksp.h>
#include <petscsnes.h>

namespace trammel {

/// Refuses what the command line asks of linear solvers of this prefix where PETSc has no such thing: -ksp_type, -pc_type,
/// -pc_factor_mat_solver_type. Throws Error with what there is, or the nearest name.
void check_linear_options(KSP ksp);

/// The same of Newton's method: -snes_type, -snes_linesearch_type.
void check_newton_options(SNES snes);

}  // namespace trammel
