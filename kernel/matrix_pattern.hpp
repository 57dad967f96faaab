#pragma once

#include <petscmat.h>

#include <cstddef>
#include <memory>
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

  /// A matrix with this pattern (MATAIJ) and entries of zero, owned by the caller. Collective. On one rank all matrices share
  /// the arrays of the pattern.
  Mat create(const Layout& layout) const;

 private:
  struct Block {
    int row, rows;
    PetscInt column;
    int columns;
  };
  struct Rows {
    std::vector<PetscInt> begins, columns;
  };
  struct Storage;
  Mat sequential(MPI_Comm comm, PetscInt rows) const;

  std::vector<Block> blocks_;  ///< until they are finished
  std::size_t slot_count_ = 0;
  std::vector<PetscInt> slots_;
  std::shared_ptr<Rows> rows_ = std::make_shared<Rows>();
};

}  // namespace trammel
