#include "solvers/linear/substructuring.hpp"

#include <memory>
#include <string_view>

#include "solvers/linear/petsc_owned.hpp"
#include "solvers/linear/repeated_lu.hpp"
#include "solvers/linear/substructuring_solver.hpp"

namespace trammel {

namespace {

constexpr const char* shell_name = "substructuring";

/// The counts that use_substructuring was given travel with the PC.
constexpr const char* counts_key = "trammel_substructuring_counts";

SubstructuringCounts* counts_of(PC pc) {
  PetscContainer container = nullptr;
  void* counts = nullptr;
  TRAMMEL_PETSC(PetscObjectQuery(reinterpret_cast<PetscObject>(pc), counts_key,
                                 reinterpret_cast<PetscObject*>(&container)));
  if (container != nullptr) TRAMMEL_PETSC(PetscContainerGetPointer(container, &counts));
  return static_cast<SubstructuringCounts*>(counts);
}

/// PETSc calls this for a preconditioner of type "substructuring", which becomes a shell preconditioner.
PetscErrorCode create(PC pc) {
  PetscMPIInt ranks = 1;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &ranks));
  if (ranks == 1) {
    use_repeated_lu(pc);
    return 0;
  }
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetName(pc, shell_name));
  PetscCall(PCShellSetContext(pc, std::make_unique<Substructuring>(pc, counts_of(pc)).release()));
  PetscCall(PCShellSetSetUp(pc, [](PC shell) -> PetscErrorCode {
    void* self = nullptr;
    Mat A = nullptr;
    PetscCall(PCShellGetContext(shell, &self));
    PetscCall(PCGetOperators(shell, nullptr, &A));
    auto& own = *static_cast<Substructuring*>(self);
    PCFailedReason reason = PC_NOERROR;
    if (!own.factorize(A)) reason = own.out_of_memory() ? PC_FACTOR_OUTMEMORY : PC_FACTOR_NUMERIC_ZEROPIVOT;
    PetscCall(PCSetFailedReason(shell, reason));
    return 0;
  }));
  PetscCall(PCShellSetApply(pc, [](PC shell, Vec b, Vec x) -> PetscErrorCode {
    void* self = nullptr;
    PetscCall(PCShellGetContext(shell, &self));
    if (!static_cast<Substructuring*>(self)->solve(b, x)) PetscCall(VecSet(x, PETSC_INFINITY));
    return 0;
  }));
  PetscCall(PCShellSetDestroy(pc, [](PC shell) -> PetscErrorCode {
    void* self = nullptr;
    PetscCall(PCShellGetContext(shell, &self));
    delete static_cast<Substructuring*>(self);
    return 0;
  }));
  return 0;
}

}  // namespace

Substructuring* substructuring_of(KSP ksp) {
  PC pc = nullptr;
  PetscBool shell = PETSC_FALSE;
  const char* name = nullptr;
  TRAMMEL_PETSC(KSPGetPC(ksp, &pc));
  TRAMMEL_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCSHELL, &shell));
  if (shell == PETSC_TRUE) TRAMMEL_PETSC(PCShellGetName(pc, &name));
  if (name == nullptr || std::string_view(name) != shell_name) return nullptr;
  void* self = nullptr;
  TRAMMEL_PETSC(PCShellGetContext(pc, &self));
  return static_cast<Substructuring*>(self);
}

void begin_solution(KSP ksp, Vec b, RankTotals& totals) {
  if (Substructuring* const its = substructuring_of(ksp)) its->begin(b, totals);
}

void register_substructuring() { TRAMMEL_PETSC(PCRegister("substructuring", create)); }

void use_substructuring(PC pc, SubstructuringCounts* counts) {
  if (counts != nullptr) {
    PetscContainer container = nullptr;
    auto object = reinterpret_cast<PetscObject>(pc);
    TRAMMEL_PETSC(PetscContainerCreate(PetscObjectComm(object), &container));
    TRAMMEL_PETSC(PetscContainerSetPointer(container, counts));
    TRAMMEL_PETSC(PetscObjectCompose(object, counts_key, reinterpret_cast<PetscObject>(container)));
    TRAMMEL_PETSC(PetscContainerDestroy(&container));
  }
  TRAMMEL_PETSC(PCSetType(pc, "substructuring"));
}

}  // namespace trammel
