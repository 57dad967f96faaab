#pragma once

#include <petscmat.h>

#include <cstddef>
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
  const std::vector<PetscInt>& columns() const { return columns_; }
  std::size_t size() const { return columns_.size(); }
  /// Entries of a row are those from begin_of(row) to begin_of(row + 1).
  PetscInt begin_of(PetscInt row) const { return begins_[static_cast<std::size_t>(row)]; }

  /// A matrix with this pattern (MATAIJ) and entries of zero, owned by the caller. Collective.
  Mat create(const Layout& layout) const;

 private:
  struct Block {
    int row, rows;
    PetscInt column;
    int columns;
  };
  std::vector<Block> blocks_;  ///< until they are finished
  std::size_t slot_count_ = 0;
  std::vector<PetscInt> slots_, begins_, columns_;
};

}  // namespace trammel
