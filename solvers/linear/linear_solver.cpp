#include "solvers/linear/linear_solver.hpp"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "solvers/linear/mumps.hpp"
#include "solvers/linear/repeated_lu.hpp"
#include "solvers/linear/solver_options.hpp"
#include "solvers/linear/substructuring.hpp"
#include "solvers/linear/substructuring_solver.hpp"

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

/// Whether it is one of Trammel's, and no package of PETSc.
bool is_own(PC pc) {
  PetscBool shell = PETSC_FALSE;
  TRAMMEL_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCSHELL, &shell));
  return shell == PETSC_TRUE;
}

/// Whether a solve is one application of Trammel's own factors.
bool is_direct(KSP ksp) {
  PC pc = nullptr;
  PetscBool direct = PETSC_FALSE;
  TRAMMEL_PETSC(KSPGetPC(ksp, &pc));
  TRAMMEL_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), KSPPREONLY, &direct));
  return direct == PETSC_TRUE && is_own(pc);
}

/// False where MUMPS ran out of the workspace that it had estimated, and not of memory.
bool memory_ran_out(PC pc) {
  constexpr PetscInt cannot_allocate = -13;
  MatSolverType package = nullptr;
  const QuietErrors quiet;
  if (PCFactorGetMatSolverType(pc, &package) != 0 || package == nullptr ||
      std::string(package) != MATSOLVERMUMPS)
    return true;
  Mat factor = nullptr;
  PetscInt status = 0;
  TRAMMEL_PETSC(PCFactorGetMatrix(pc, &factor));
  TRAMMEL_PETSC(MatMumpsGetInfog(factor, 1, &status));
  return status == cannot_allocate;
}

/// Collective.
std::string out_of_memory(KSP ksp) {
  Mat A = nullptr;
  MatInfo info{};
  PetscInt unknowns = 0;
  TRAMMEL_PETSC(KSPGetOperators(ksp, &A, nullptr));
  TRAMMEL_PETSC(MatGetSize(A, &unknowns, nullptr));
  TRAMMEL_PETSC(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  return fmt::format("out of memory: the factorization of {} unknowns, whose matrix has {:.0f} entries",
                     unknowns, info.nz_used);
}

}  // namespace

void set_default_solver(KSP ksp, int ranks, SubstructuringCounts* counts) {
  PC pc = nullptr;
  TRAMMEL_PETSC(KSPSetType(ksp, KSPPREONLY));
  TRAMMEL_PETSC(KSPGetPC(ksp, &pc));
  register_substructuring();
  check_linear_options(ksp);
  const bool package = option_given(ksp, "pc_factor_mat_solver_type");
  if (ranks > 1) {
    use_substructuring(pc, counts);
    if (package || option_given(ksp, "pc_type")) use_mumps(pc);
  } else if (package || option_given(ksp, "pc_type")) {
    TRAMMEL_PETSC(PCSetType(pc, PCLU));
    TRAMMEL_PETSC(PCFactorSetMatSolverType(pc, MATSOLVERKLU));
  } else {
    use_repeated_lu(pc);
  }
}

bool reads_once(KSP ksp) {
  int ranks = 1;  // on several the solver may refer to the matrix
  MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), &ranks);
  return ranks == 1 && is_direct(ksp);
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
    if (reason != PC_NOERROR) failed = reason == PC_FACTOR_OUTMEMORY && memory_ran_out(pc) ? 3 : 1;
  } else if (code == PETSC_ERR_MEM) {
    failed = 3;
  }
  int ranks = 1;
  MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(ksp));
  MPI_Comm_size(comm, &ranks);
  // Substructuring has agreed on its outcome.
  if (ranks > 1 && !is_own(pc)) MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
  if (failed == 3) throw Error(out_of_memory(ksp));
  if (failed == 2) broken = true;
  return failed == 0;
}

bool solve(KSP ksp, Vec b, Vec x) {
  const QuietErrors quiet;
  if (!is_direct(ksp)) return KSPSolve(ksp, b, x) == 0;
  PC pc = nullptr;
  TRAMMEL_PETSC(KSPGetPC(ksp, &pc));
  return PCApply(pc, b, x) == 0;
}

namespace {
/// Null where another solver does.
RepeatedLu* own_lu(KSP ksp) {
  PC pc = nullptr;
  int ranks = 1;
  MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), &ranks);
  TRAMMEL_PETSC(KSPGetPC(ksp, &pc));
  if (ranks > 1 || !is_own(pc)) return nullptr;
  void* lu = nullptr;
  TRAMMEL_PETSC(PCShellGetContext(pc, &lu));
  return static_cast<RepeatedLu*>(lu);
}
}  // namespace

bool solve(KSP ksp, std::span<const Vec> b, std::span<const Vec> x) {
  RepeatedLu* const lu = is_direct(ksp) ? own_lu(ksp) : nullptr;
  std::size_t i = 0;
  for (; lu != nullptr && i + 1 < b.size(); i += 2) {
    std::array<const PetscScalar*, 2> from{};
    std::array<PetscScalar*, 2> to{};
    for (std::size_t k = 0; k < 2; ++k) {
      TRAMMEL_PETSC(VecGetArrayRead(b[i + k], &from[k]));
      TRAMMEL_PETSC(VecGetArrayWrite(x[i + k], &to[k]));
    }
    lu->solve(from, to);
    for (std::size_t k = 0; k < 2; ++k) {
      TRAMMEL_PETSC(VecRestoreArrayWrite(x[i + k], &to[k]));
      TRAMMEL_PETSC(VecRestoreArrayRead(b[i + k], &from[k]));
    }
  }
  bool fine = true;
  for (; i < b.size(); ++i) fine = solve(ksp, b[i], x[i]) && fine;
  return fine;
}

void expect_changes(KSP ksp, std::vector<int> rows) {
  if (RepeatedLu* const lu = own_lu(ksp))
    lu->expect_changes(std::move(rows));
  else if (Substructuring* const its = substructuring_of(ksp))
    its->expect_changes(std::move(rows));
}

double renewed_part(KSP ksp) {
  if (const RepeatedLu* const lu = own_lu(ksp))
    return static_cast<double>(lu->renewed_columns()) / lu->size();
  const Substructuring* const its = substructuring_of(ksp);
  return its == nullptr ? 1 : its->renewed_part();
}

void prefer_last(KSP ksp, std::vector<int> rows) {
  if (RepeatedLu* const lu = own_lu(ksp))
    lu->prefer_last(std::move(rows));
  else if (Substructuring* const its = substructuring_of(ksp))
    its->prefer_last(std::move(rows));
}

LinearWork work_of(KSP ksp) {
  if (const RepeatedLu* const lu = own_lu(ksp)) return lu->work();
  const Substructuring* const its = substructuring_of(ksp);
  return its == nullptr ? LinearWork() : its->work();
}

}  // namespace trammel
