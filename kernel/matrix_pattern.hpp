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

/// The pattern of the rows to which this rank contributes, and the place of each contribution among the entries of the matrix. `append`
/// each block, then `finish`. Each row of a block has a slot: the place of its first entry; its other entries follow.
///
/// The entries of a matrix lie in one array: first those of ghosts' rows, block by block, which `send` adds to the entries of their
/// owners; then own rows in own columns; then own rows in the columns of other ranks. PETSc uses the last two parts in place.
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
  std::size_t ghosts() const { return static_cast<std::size_t>(ghosts_); }  ///< entries of ghosts' rows
  /// Columns of the entries of an own row in own columns, counted from the first of them.
  std::span<const PetscInt> own_columns(PetscInt row) const { return rows_->own.of(row); }
  /// Sets the entries of an own row to zero.
  void clear(PetscInt row, PetscScalar* entries) const;

  /// A matrix with this pattern (MATAIJ), owned by the caller. Collective. On one rank all matrices that are not `lasting` share one
  /// array of entries: writing to one changes all.
  Mat create(const Layout& layout, bool lasting);
  /// The entries of a matrix that `create` made, to be written. Collective.
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

  std::vector<Block> blocks_;  ///< first those appended, then those of other ranks; none once finished
  std::size_t slot_count_ = 0, size_ = 0;
  std::vector<PetscInt> slots_;  ///< of these blocks, in their order
  std::shared_ptr<Rows> rows_;
  std::weak_ptr<std::vector<PetscScalar>> common_;  ///< entries of matrices that do not last
  // On several ranks:
  PetscInt ghosts_ = 0;                                    ///< entries of ghosts' rows
  std::shared_ptr<std::remove_pointer_t<PetscSF>> sends_;  ///< brings them to their owners
  std::vector<PetscScalar> received_;
  std::vector<PetscInt> places_;  ///< of the received
};

}  // namespace trammel
