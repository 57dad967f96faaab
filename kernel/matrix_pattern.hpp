#pragma once

#include <petscmat.h>
#include <petscsf.h>

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "trammel/export.hpp"

namespace trammel {

class Layout;

/// The entries of the matrix to which this rank contributes. Made of blocks in two steps: `append` each, then `finish`. Of a block each
/// row has a slot: the place of the row's first entry among all entries; the others of the row follow it.
///
/// The entries of one matrix lie one after the other: those of ghosts' rows, block by block, which `send` adds to their owners';
/// those of own rows in own columns; those of own rows in the columns of other ranks. PETSc uses the last two as they are.
class TRAMMEL_API MatrixPattern {
 public:
  /// Appends a block; its rows, by Layout local number, have the next slots. `column`: global number of its first column.
  void append(int row, int rows, PetscInt column, int columns);
  std::size_t slot_count() const { return slot_count_; }
  /// Finds the place of each slot of a square matrix on one rank.
  void finish(PetscInt rows) { find_places(0, rows); }
  /// The same on the ranks of a layout. Collective.
  void finish(const Layout& layout);

  const PetscInt* slots() const { return slots_.data(); }
  std::size_t size() const { return size_; }
  /// Columns of the entries of an own row in own columns, counted from the first of them.
  std::span<const PetscInt> own_columns(PetscInt row) const { return rows_->own.of(row); }
  /// Sets the entries of an own row to zero.
  void clear(PetscInt row, PetscScalar* entries) const;

  /// A matrix with this pattern (MATAIJ), owned by the caller. Collective. All matrices share the arrays of the pattern, and on one
  /// rank those that are not `lasting` that of their entries.
  Mat create(const Layout& layout, bool lasting);
  /// The entries of a matrix of this pattern, to be written.
  static PetscScalar* entries(Mat J);
  /// Adds what was written to ghosts' rows to the entries of their owners. Collective.
  void send(PetscScalar* entries);

 private:
  struct Block {
    int row, rows;
    PetscInt column;
    int columns;
  };
  using Piece = std::pair<PetscInt, PetscInt>;  ///< a block, and the slot of one of its rows
  /// Compressed rows.
  struct Part {
    std::vector<PetscInt> begins{0}, columns;
    PetscInt size() const { return static_cast<PetscInt>(columns.size()); }
    std::span<const PetscInt> of(PetscInt row) const;
    /// The place of a row's entry.
    PetscInt place(PetscInt row, PetscInt column) const;
  };
  struct Rows {
    Part own, others;  ///< columns of `own` count from the first own one
  };
  struct Storage;
  void exchange_blocks(const Layout& layout, PetscInt begin);
  /// `begin`: global number of the first of the `owned` rows.
  void find_places(PetscInt begin, PetscInt owned);

  std::vector<Block>
      blocks_;  ///< until they are finished; behind those that were appended those of other ranks
  std::size_t slot_count_ = 0, size_ = 0;
  std::vector<PetscInt>
      slots_;  ///< behind those of the blocks that were appended those of other ranks' blocks
  std::shared_ptr<Rows> rows_;
  std::weak_ptr<std::vector<PetscScalar>> common_;  ///< entries of matrices that do not last
  // On several ranks:
  PetscInt ghosts_ = 0;                                    ///< entries of ghosts' rows
  std::shared_ptr<std::remove_pointer_t<PetscSF>> sends_;  ///< brings them to their owners
  std::vector<PetscScalar> received_;
  std::vector<PetscInt> places_;  ///< of the received
};

}  // namespace trammel
