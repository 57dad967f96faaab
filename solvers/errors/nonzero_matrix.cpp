#include "solvers/errors/nonzero_matrix.hpp"

#include <algorithm>
#include <utility>

#include "solvers/linear/matrix_rows.hpp"

namespace trammel {

bool NonzeroMatrix::assemble(Assembler& assembler, const State& state, const TangentWeights& weights,
                             OwnedMat& all) {
  if (!all) all = OwnedMat(assembler.create_matrix());
  if (!assembler.tangent(state, weights, all.get())) return false;
  Mat own = all.get();
  int couples = 0;
  if (assembler.layout().ranks() > 1) {
    Mat others = nullptr;
    TRAMMEL_PETSC(MatMPIAIJGetSeqAIJ(all.get(), &own, &others, nullptr));
    const MatrixRows rows(others);
    couples =
        std::any_of(rows.value, rows.value + rows.begin[rows.n], [](double a) { return a != 0; }) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &couples, 1, MPI_INT, MPI_MAX, assembler.layout().comm());
  }
  take_own(own);
  if (couples != 0)
    std::swap(coupled_, all);
  else
    coupled_.reset();
  return true;
}

void NonzeroMatrix::take_own(Mat own) {
  const MatrixRows rows(own);
  const PetscInt places = rows.begin[rows.n];
  const auto count = std::count_if(rows.value, rows.value + places, [](double a) { return a != 0; });
  begin_.assign(1, 0);
  column_.clear();
  value_.clear();
  begin_.reserve(at(rows.n) + 1);
  column_.reserve(at(count));
  value_.reserve(at(count));
  for (PetscInt row = 0; row < rows.n; ++row) {
    for (PetscInt k = rows.begin[row]; k < rows.begin[row + 1]; ++k) {
      if (rows.value[k] == 0) continue;
      column_.push_back(static_cast<int>(rows.column[k]));
      value_.push_back(rows.value[k]);
    }
    begin_.push_back(static_cast<int>(column_.size()));
  }
}

void NonzeroMatrix::multiply(Vec x, Vec y, bool add) const {
  if (coupled_) {
    if (add)
      TRAMMEL_PETSC(MatMultAdd(coupled_.get(), x, y, y));
    else
      TRAMMEL_PETSC(MatMult(coupled_.get(), x, y));
    return;
  }
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(x, &from));
  TRAMMEL_PETSC(VecGetArray(y, &to));
  for (std::size_t row = 0; row + 1 < begin_.size(); ++row) {
    double sum = add ? to[row] : 0;
    for (int k = begin_[row]; k < begin_[row + 1]; ++k) sum += value_[at(k)] * from[column_[at(k)]];
    to[row] = sum;
  }
  TRAMMEL_PETSC(VecRestoreArray(y, &to));
  TRAMMEL_PETSC(VecRestoreArrayRead(x, &from));
}

}  // namespace trammel
