#pragma once

#include <petscmat.h>

#include "kernel/petsc_call.hpp"

namespace trammel {

/// The compressed rows of a matrix of type MATSEQAIJ, to be read as long as this lives.
class MatrixRows {
 public:
  explicit MatrixRows(Mat A) : matrix_(A) {
    PetscBool done = PETSC_FALSE;
    TRAMMEL_PETSC(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &begin, &column, &done));
    TRAMMEL_PETSC(MatSeqAIJGetArrayRead(A, &value));
  }
  ~MatrixRows() {
    PetscBool done = PETSC_FALSE;
    MatSeqAIJRestoreArrayRead(matrix_, &value);
    MatRestoreRowIJ(matrix_, 0, PETSC_FALSE, PETSC_FALSE, &n, &begin, &column, &done);
  }
  MatrixRows(const MatrixRows&) = delete;
  MatrixRows& operator=(const MatrixRows&) = delete;

  PetscInt n = 0;
  const PetscInt *begin = nullptr, *column = nullptr;
  const PetscScalar* value = nullptr;

 private:
  Mat matrix_;
};

}  // namespace trammel
