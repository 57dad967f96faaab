#include "solvers/newton/finite_entries.hpp"

#include <algorithm>

#include "solvers/linear/matrix_rows.hpp"
#include "solvers/newton/finite_numbers.hpp"

namespace trammel {

namespace {

/// Whether a test holds for the parts of the matrix that this rank has: its rows in its own columns, and in those of others.
template <class Test>
bool holds_for_parts(Mat A, const Test& test) {
  PetscBool sequential = PETSC_FALSE;
  TRAMMEL_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(A), MATSEQAIJ, &sequential));
  if (sequential == PETSC_TRUE) return test(MatrixRows(A));
  Mat own = nullptr, others = nullptr;
  TRAMMEL_PETSC(MatMPIAIJGetSeqAIJ(A, &own, &others, nullptr));
  return test(MatrixRows(own)) && test(MatrixRows(others));
}

}  // namespace

bool has_finite_entries(Mat A) {
  return holds_for_parts(A, [](const MatrixRows& its) {
    return all_finite({its.value, static_cast<std::size_t>(its.begin[its.n])});
  });
}

bool has_finite_rows(Mat A, std::span<const int> rows) {
  return holds_for_parts(A, [rows](const MatrixRows& its) {
    return std::ranges::all_of(rows, [&](int row) {
      const PetscInt* const begin = its.begin + row;
      return all_finite({its.value + begin[0], static_cast<std::size_t>(begin[1] - begin[0])});
    });
  });
}

}  // namespace trammel
