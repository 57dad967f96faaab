#include "solvers/linear_solver.hpp"

#include <string>

namespace trammel {

namespace {

// Below this part of all unknowns the fill around multipliers does not count, and AMD is the better ordering of beams that
// form a lattice.
constexpr double few_multipliers = 0.02;

constexpr const char* klu_ordering = "-mat_klu_ordering";
constexpr const char* klu_btf = "-mat_klu_use_btf";

bool is_given(const char* option) {
  PetscBool given = PETSC_FALSE;
  TRAMMEL_PETSC(PetscOptionsHasName(nullptr, nullptr, option, &given));
  return given == PETSC_TRUE;
}

bool has_many_multipliers(const Layout& layout) {
  PetscInt count = 0;
  for (const UnknownBlock& u : layout.unknowns())
    if (is_multiplier(u.kind)) count += u.size;
  return static_cast<double>(count) > few_multipliers * static_cast<double>(layout.global_size());
}

/// MUMPS's own 20 % of extra workspace is too little where pivots of multipliers are delayed.
void widen_workspace(KSP ksp) {
  const char* prefix = nullptr;
  TRAMMEL_PETSC(KSPGetOptionsPrefix(ksp, &prefix));
  const std::string name = std::string("-") + (prefix == nullptr ? "" : prefix) + "mat_mumps_icntl_14";
  PetscBool given = PETSC_FALSE;
  TRAMMEL_PETSC(PetscOptionsHasName(nullptr, nullptr, name.c_str(), &given));
  if (given == PETSC_FALSE) TRAMMEL_PETSC(PetscOptionsSetValue(nullptr, name.c_str(), "100"));
}

}  // namespace

void set_default_solver(KSP ksp, int ranks) {
  PC pc = nullptr;
  TRAMMEL_PETSC(KSPSetType(ksp, KSPPREONLY));
  TRAMMEL_PETSC(KSPGetPC(ksp, &pc));
  TRAMMEL_PETSC(PCSetType(pc, PCLU));
  if (ranks > 1) widen_workspace(ksp);
  TRAMMEL_PETSC(PCFactorSetMatSolverType(pc, ranks == 1 ? MATSOLVERKLU : MATSOLVERMUMPS));
}

DefaultOrdering::DefaultOrdering(const Layout& layout) {
  if (layout.ranks() > 1 || !has_many_multipliers(layout) || is_given(klu_ordering) || is_given(klu_btf))
    return;
  set_ = true;
  TRAMMEL_PETSC(PetscOptionsSetValue(nullptr, klu_ordering, "COLAMD"));
  TRAMMEL_PETSC(PetscOptionsSetValue(nullptr, klu_btf, "0"));
}

DefaultOrdering::~DefaultOrdering() {
  if (!set_) return;
  PetscOptionsClearValue(nullptr, klu_ordering);
  PetscOptionsClearValue(nullptr, klu_btf);
}

bool factorize(KSP ksp, const Layout& layout, bool& broken) {
  const DefaultOrdering scope(layout);
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
