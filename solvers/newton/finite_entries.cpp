#include "solvers/newton/finite_entries.hpp"

#include <algorithm>

#include "kernel/petsc_call.hpp"
#include "solvers/newton/finite_numbers.hpp"

namespace trammel {

static bool is_finite_here(Mat A) {
  MatInfo info;
  const PetscScalar* entries = nullptr;
  TRAMMEL_PETSC(MatGetInfo(A, MAT_LOCAL, &info));
  TRAMMEL_PETSC(MatSeqAIJGetArrayRead(A, &entries));
  const bool fine = all_finite({entries, static_cast<std::size_t>(info.nz_used)});
  TRAMMEL_PETSC(MatSeqAIJRestoreArrayRead(A, &entries));
  return fine;
}

bool has_finite_entries(Mat A) {
  PetscBool sequential = PETSC_FALSE;
  TRAMMEL_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(A), MATSEQAIJ, &sequential));
  if (sequential == PETSC_TRUE) return is_finite_here(A);
  Mat own = nullptr, others = nullptr;  // columns of this rank, and of others
  TRAMMEL_PETSC(MatMPIAIJGetSeqAIJ(A, &own, &others, nullptr));
  return is_finite_here(own) && is_finite_here(others);
}

bool has_finite_rows(Mat A, std::span<const int> rows) {
  PetscInt n = 0;
  const PetscInt *begin = nullptr, *column = nullptr;
  const PetscScalar* entries = nullptr;
  PetscBool done = PETSC_FALSE;
  TRAMMEL_PETSC(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &begin, &column, &done));
  TRAMMEL_PETSC(MatSeqAIJGetArrayRead(A, &entries));
  const bool fine = std::ranges::all_of(rows, [&](int row) {
    return all_finite({entries + begin[row], static_cast<std::size_t>(begin[row + 1] - begin[row])});
  });
  TRAMMEL_PETSC(MatSeqAIJRestoreArrayRead(A, &entries));
  TRAMMEL_PETSC(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &begin, &column, &done));
  return fine;
}

}  // namespace trammel
