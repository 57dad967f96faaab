#pragma once

#include <petscmat.h>

#include "kernel/petsc_call.hpp"
#include "solvers/linear/repeated_lu.hpp"

namespace trammel {

/// The parts of a distributed matrix that this rank has.
class LocalParts {
 public:
  explicit LocalParts(Mat A) {
    TRAMMEL_PETSC(MatMPIAIJGetSeqAIJ(A, &part_[0], &part_[1], &columns));
    for (int s = 0; s < 2; ++s) {
      PetscBool done = PETSC_FALSE;
      TRAMMEL_PETSC(MatGetRowIJ(part_[s], 0, PETSC_FALSE, PETSC_FALSE, &n, &begin[s], &column[s], &done));
      TRAMMEL_PETSC(MatSeqAIJGetArrayRead(part_[s], &value[s]));
    }
  }
  ~LocalParts() {
    for (int s = 0; s < 2; ++s) {
      PetscBool done = PETSC_FALSE;
      MatSeqAIJRestoreArrayRead(part_[s], &value[s]);
      MatRestoreRowIJ(part_[s], 0, PETSC_FALSE, PETSC_FALSE, &n, &begin[s], &column[s], &done);
    }
  }
  LocalParts(const LocalParts&) = delete;
  LocalParts& operator=(const LocalParts&) = delete;

  RepeatedLu::Rows own() const { return {n, begin[0], column[0], value[0]}; }

  // Indexed by 0: columns of this rank, 1: of others, numbered by `columns`.
  PetscInt n = 0;
  const PetscInt *begin[2] = {}, *column[2] = {};
  const PetscScalar* value[2] = {};
  const PetscInt* columns = nullptr;

 private:
  Mat part_[2] = {};
};

}  // namespace trammel
