#include "solvers/linear_solver.hpp"

namespace trammel {

void set_default_solver(KSP ksp, int ranks) {
  PC pc = nullptr;
  TRAMMEL_PETSC(KSPSetType(ksp, KSPPREONLY));
  TRAMMEL_PETSC(KSPGetPC(ksp, &pc));
  TRAMMEL_PETSC(PCSetType(pc, PCLU));
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
