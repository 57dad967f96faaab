#include "kernel/matrix_pattern.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "kernel/layout.hpp"
#include "kernel/petsc_call.hpp"
#include "trammel/index.hpp"

namespace trammel {

void MatrixPattern::append(int row, int rows, PetscInt column, int columns) {
  blocks_.push_back({row, rows, column, columns});
  slot_count_ += static_cast<std::size_t>(rows);
}

void MatrixPattern::finish(PetscInt rows) {
  std::vector<std::size_t> first(at(rows) + 1, 0);
  for (const Block& b : blocks_)
    for (int i = 0; i < b.rows; ++i) ++first[at(b.row + i) + 1];
  for (std::size_t i = 0; i < at(rows); ++i) first[i + 1] += first[i];
  std::vector<Piece> pieces(slot_count_);  // by row
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  PetscInt slot = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    for (int i = 0; i < blocks_[b].rows; ++i)
      pieces[next[at(blocks_[b].row + i)]++] = {static_cast<PetscInt>(b), slot++};

  slots_.resize(slot_count_);
  rows_ = std::make_shared<Rows>();  // matrices that exist share the former ones
  common_.reset();
  auto& [begins, columns] = *rows_;
  begins.reserve(at(rows) + 1);
  begins.push_back(0);
  std::vector<PetscInt> in_row;
  std::span<const Piece> before;
  for (std::size_t row = 0; row < at(rows); ++row) {
    const auto its = std::span<const Piece>(pieces).subspan(first[row], first[row + 1] - first[row]);
    // Rows of the same blocks have the same columns.
    if (!std::ranges::equal(its, before, {}, &Piece::first, &Piece::first)) {
      in_row.clear();
      for (const auto& [block, its_slot] : its)
        for (int j = 0; j < blocks_[at(block)].columns; ++j) in_row.push_back(blocks_[at(block)].column + j);
      std::ranges::sort(in_row);
      in_row.erase(std::unique(in_row.begin(), in_row.end()), in_row.end());
    }
    before = its;
    for (const auto& [block, its_slot] : its) {
      const auto column = std::ranges::lower_bound(in_row, blocks_[at(block)].column);
      slots_[at(its_slot)] = begins.back() + static_cast<PetscInt>(column - in_row.begin());
    }
    columns.insert(columns.end(), in_row.begin(), in_row.end());
    begins.push_back(static_cast<PetscInt>(columns.size()));
  }
  columns.shrink_to_fit();
  blocks_ = std::vector<Block>();  // `= {}` would keep its memory
}

/// Arrays of a matrix on one rank, which PETSc uses as they are.
struct MatrixPattern::Storage {
  std::shared_ptr<Rows> rows;
  std::shared_ptr<std::vector<PetscScalar>> entries;
};

/// PETSc's own preallocation from these arrays looks for the place of each entry in turn.
Mat MatrixPattern::sequential(MPI_Comm comm, PetscInt rows, bool lasting) {
  auto its = std::make_unique<Storage>(Storage{rows_, lasting ? nullptr : common_.lock()});
  if (!its->entries) its->entries = std::make_shared<std::vector<PetscScalar>>(size(), 0.0);
  if (!lasting) common_ = its->entries;
  Mat J = nullptr;
  TRAMMEL_PETSC(MatCreateSeqAIJWithArrays(comm, rows, rows, rows_->begins.data(), rows_->columns.data(),
                                          its->entries->data(), &J));
  PetscContainer owner = nullptr;
  TRAMMEL_PETSC(PetscContainerCreate(comm, &owner));
  TRAMMEL_PETSC(PetscContainerSetUserDestroy(owner, [](void* all) -> PetscErrorCode {
    delete static_cast<Storage*>(all);
    return 0;
  }));
  TRAMMEL_PETSC(PetscContainerSetPointer(owner, its.release()));
  TRAMMEL_PETSC(PetscObjectCompose(reinterpret_cast<PetscObject>(J), "arrays of its pattern",
                                   reinterpret_cast<PetscObject>(owner)));
  TRAMMEL_PETSC(PetscContainerDestroy(&owner));
  return J;
}

Mat MatrixPattern::create(const Layout& layout, bool lasting) {
  if (layout.ranks() == 1) return sequential(layout.comm(), layout.owned_size(), lasting);
  Mat J = nullptr;
  TRAMMEL_PETSC(MatCreate(layout.comm(), &J));
  TRAMMEL_PETSC(MatSetSizes(J, layout.owned_size(), layout.owned_size(), PETSC_DECIDE, PETSC_DECIDE));
  TRAMMEL_PETSC(MatSetType(J, MATMPIAIJ));
  // The call may rearrange the arrays, so it gets copies.
  std::vector<PetscInt> rows(size()), columns = rows_->columns;
  const auto put_row = [&](PetscInt local, PetscInt global) {
    std::fill(rows.begin() + begin_of(local), rows.begin() + begin_of(local + 1), global);
  };
  for (const UnknownBlock& u : layout.unknowns())
    for (int k = 0; k < u.size; ++k) {
      put_row(u.local + k, u.global + k);
      if (u.stabilizing_local >= 0) put_row(u.stabilizing_local + k, u.stabilizing_global + k);
    }
  TRAMMEL_PETSC(MatSetPreallocationCOO(J, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()));
  return J;
}

}  // namespace trammel
