#include "solvers/newton/finite_entries.hpp"

#include <algorithm>

#include "solvers/linear/matrix_rows.hpp"
#include "solvers/newton/finite_numbers.hpp"

namespace trammel {

static bool is_finite_here(Mat A) {
  const MatrixRows rows(A);
  return all_finite({rows.value, static_cast<std::size_t>(rows.begin[rows.n])});
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
  const MatrixRows its(A);
  return std::ranges::all_of(rows, [&](int row) {
    const PetscInt* const begin = its.begin + row;
    return all_finite({its.value + begin[0], static_cast<std::size_t>(begin[1] - begin[0])});
  });
}

}  // namespace trammel
