#pragma once

#include <petscmat.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "trammel/export.hpp"

namespace trammel {

class Layout;

/// The entries of the matrix to which this rank contributes, in compressed rows: rows by Layout local number (own unknowns, then
/// ghosts), columns by global number. Made of blocks in two steps: `append` each, then `finish`. Of a block each row has a slot:
/// the place of the row's first entry among all entries; the others of the row follow it.
class TRAMMEL_API MatrixPattern {
 public:
  /// Appends a block; its rows have the next slots.
  void append(int row, int rows, PetscInt column, int columns);
  std::size_t slot_count() const { return slot_count_; }
  /// Finds the place of each slot. `rows`: Layout::local_size().
  void finish(PetscInt rows);

  const PetscInt* slots() const { return slots_.data(); }
  /// Columns of the entries.
  const std::vector<PetscInt>& columns() const { return rows_->columns; }
  std::size_t size() const { return rows_->columns.size(); }
  /// Entries of a row are those from begin_of(row) to begin_of(row + 1).
  PetscInt begin_of(PetscInt row) const { return rows_->begins[static_cast<std::size_t>(row)]; }

  /// A matrix with this pattern (MATAIJ), owned by the caller. Collective. On one rank all matrices share the arrays of the
  /// pattern, and those that are not `lasting` that of their entries.
  Mat create(const Layout& layout, bool lasting);

 private:
  struct Block {
    int row, rows;
    PetscInt column;
    int columns;
  };
  using Piece = std::pair<PetscInt, PetscInt>;  ///< a block, and the slot of one of its rows
  struct Rows {
    std::vector<PetscInt> begins, columns;
  };
  struct Storage;
  Mat sequential(MPI_Comm comm, PetscInt rows, bool lasting);

  std::vector<Block> blocks_;  ///< until they are finished
  std::size_t slot_count_ = 0;
  std::vector<PetscInt> slots_;
  std::shared_ptr<Rows> rows_ = std::make_shared<Rows>();
  std::weak_ptr<std::vector<PetscScalar>> common_;  ///< entries of matrices that do not last
};

}  // namespace trammel
