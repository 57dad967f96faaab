#pragma once

#include <petscmat.h>

#include <optional>

#include "kernel/petsc_call.hpp"
#include "solvers/linear/matrix_rows.hpp"
#include "solvers/linear/repeated_lu.hpp"

namespace trammel {

/// The parts of a distributed matrix that this rank has.
class LocalParts {
 public:
  explicit LocalParts(Mat A) {
    Mat part[2] = {};
    TRAMMEL_PETSC(MatMPIAIJGetSeqAIJ(A, &part[0], &part[1], &columns));
    for (int s = 0; s < 2; ++s) {
      const MatrixRows& its = rows_[s].emplace(part[s]);
      n = its.n;
      begin[s] = its.begin;
      column[s] = its.column;
      value[s] = its.value;
    }
  }

  RepeatedLu::Rows own() const { return {n, begin[0], column[0], value[0]}; }
  /// Whether the number of row i in its own column is not zero.
  bool has_diagonal(PetscInt i) const {
    for (PetscInt p = begin[0][i]; p < begin[0][i + 1]; ++p)
      if (column[0][p] == i) return value[0][p] != 0;
    return false;
  }

  // Indexed by 0: columns of this rank, 1: of others, numbered by `columns`.
  PetscInt n = 0;
  const PetscInt *begin[2] = {}, *column[2] = {};
  const PetscScalar* value[2] = {};
  const PetscInt* columns = nullptr;

 private:
  std::optional<MatrixRows> rows_[2];
};

}  // namespace trammel
