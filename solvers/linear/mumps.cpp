#include "solvers/linear/mumps.hpp"

#include <petscmat.h>

#include <string>

#include "kernel/petsc_call.hpp"

namespace trammel {

void use_mumps(PC pc) {
  TRAMMEL_PETSC(PCSetType(pc, PCLU));
  const char* prefix = nullptr;
  TRAMMEL_PETSC(PCGetOptionsPrefix(pc, &prefix));
  // MUMPS's own 20 % of extra workspace is too little where pivots of multipliers are delayed.
  const std::string name = std::string("-") + (prefix == nullptr ? "" : prefix) + "mat_mumps_icntl_14";
  PetscBool given = PETSC_FALSE;
  TRAMMEL_PETSC(PetscOptionsHasName(nullptr, nullptr, name.c_str(), &given));
  if (given == PETSC_FALSE) TRAMMEL_PETSC(PetscOptionsSetValue(nullptr, name.c_str(), "100"));
  TRAMMEL_PETSC(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
}

bool mumps_ran_out_of_memory(PC pc) {
  constexpr PetscInt cannot_allocate = -13;
  Mat factor = nullptr;
  PetscInt status = 0;
  TRAMMEL_PETSC(PCFactorGetMatrix(pc, &factor));
  TRAMMEL_PETSC(MatMumpsGetInfog(factor, 1, &status));
  return status == cannot_allocate;
}

}  // namespace trammel
