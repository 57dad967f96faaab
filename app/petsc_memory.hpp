#pragma once

namespace trammel {

/// Lets PETSc allocate by functions that report a failure with the size asked for; for use before PetscInitialize. (PETSc
/// 3.18's own mixes up the arguments of its report: what comes out is an unknown error with the number of a line.)
void report_petsc_memory();

}  // namespace trammel
