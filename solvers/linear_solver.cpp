#include "solvers/linear_solver.hpp"

#include <string>

#include "solvers/repeated_lu.hpp"

namespace trammel {

namespace {

/// Whether the command line gives the solver the option `name`.
bool option_given(KSP ksp, const std::string& name) {
  const char* prefix = nullptr;
  TRAMMEL_PETSC(KSPGetOptionsPrefix(ksp, &prefix));
  PetscBool given = PETSC_FALSE;
  TRAMMEL_PETSC(PetscOptionsHasName(nullptr, prefix, ("-" + name).c_str(), &given));
  return given == PETSC_TRUE;
}

/// MUMPS's own 20 % of extra workspace is too little where pivots of multipliers are delayed.
void widen_workspace(KSP ksp) {
  constexpr const char* workspace = "mat_mumps_icntl_14";
  if (option_given(ksp, workspace)) return;
  const char* prefix = nullptr;
  TRAMMEL_PETSC(KSPGetOptionsPrefix(ksp, &prefix));
  const std::string name = std::string("-") + (prefix == nullptr ? "" : prefix) + workspace;
  TRAMMEL_PETSC(PetscOptionsSetValue(nullptr, name.c_str(), "100"));
}

}  // namespace

void set_default_solver(KSP ksp, int ranks) {
  PC pc = nullptr;
  TRAMMEL_PETSC(KSPSetType(ksp, KSPPREONLY));
  TRAMMEL_PETSC(KSPGetPC(ksp, &pc));
  if (ranks == 1 && !option_given(ksp, "pc_type") && !option_given(ksp, "pc_factor_mat_solver_type")) {
    use_repeated_lu(pc);
    return;
  }
  TRAMMEL_PETSC(PCSetType(pc, PCLU));
  if (ranks > 1) widen_workspace(ksp);
  TRAMMEL_PETSC(PCFactorSetMatSolverType(pc, ranks == 1 ? MATSOLVERKLU : MATSOLVERMUMPS));
}

bool factorize(KSP ksp, bool& broken) {
  PC pc = nullptr;
  TRAMMEL_PETSC(KSPGetPC(ksp, &pc));
  PetscErrorCode code = 0;
  {
    const QuietErrors quiet;
    code = KSPSetUp(ksp);
  }
  int failed = code != 0 ? 2 : 0;
  if (code == 0) {
    PCFailedReason reason = PC_NOERROR;
    TRAMMEL_PETSC(PCGetFailedReason(pc, &reason));
    if (reason != PC_NOERROR) failed = 1;
  }
  int ranks = 1;
  MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(ksp));
  MPI_Comm_size(comm, &ranks);
  if (ranks > 1) MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
  if (failed == 2) broken = true;
  return failed == 0;
}

}  // namespace trammel
