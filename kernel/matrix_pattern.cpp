#include "kernel/matrix_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "kernel/layout.hpp"
#include "kernel/petsc_call.hpp"
#include "kernel/rank_exchange.hpp"
#include "trammel/error.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// Places are numbers of type PetscInt, which would overflow without a word.
static void refuse_overflow(std::size_t count) {
  if (count <= at(PETSC_MAX_INT)) return;
  throw Error(fmt::format(
      "a rank's part of the matrix has more than {} entries, which a PETSc with indices of {} bits cannot "
      "count: use more ranks{}",
      PETSC_MAX_INT, 8 * sizeof(PetscInt),
      sizeof(PetscInt) < 8 ? ", or a PETSc with indices of 64 bits" : ""));
}

void MatrixPattern::append(int row, int rows, PetscInt column, int columns) {
  blocks_.push_back({row, rows, column, columns});
  slot_count_ += at(rows);
}

std::span<const PetscInt> MatrixPattern::Part::of(PetscInt row) const {
  const PetscInt* const begin = begins.data() + row;
  return {columns.data() + begin[0], columns.data() + begin[1]};
}

PetscInt MatrixPattern::Part::place(PetscInt row, PetscInt column) const {
  return begins[at(row)] + static_cast<PetscInt>(std::ranges::lower_bound(of(row), column) - of(row).begin());
}

void MatrixPattern::finish(const Layout& layout) {
  const PetscInt begin = layout.owned_size() > 0 ? layout.unknowns().front().global : 0;
  if (layout.ranks() > 1) exchange_blocks(layout, begin);
  find_places(begin, layout.owned_size());
}

/// Gives the blocks of ghosts' rows their slots, and tells their owners of them.
void MatrixPattern::exchange_blocks(const Layout& layout, PetscInt begin) {
  const PetscInt owned = layout.owned_size();
  std::vector<std::pair<std::size_t, PetscInt>> rows(
      at(layout.local_size() - owned));  // owner, global number
  for (const UnknownBlock& u : layout.unknowns())
    for (int k = 0; !u.owned && k < u.size; ++k) {
      const auto owner = at(layout.owner(u.block));
      rows[at(u.local - owned + k)] = {owner, u.global + k};
      if (u.stabilizing_local >= 0)
        rows[at(u.stabilizing_local - owned + k)] = {owner, u.stabilizing_global + k};
    }
  ByRank blocks(at(layout.ranks()));
  slots_.resize(slot_count_);
  std::size_t slot = 0;
  for (const Block& b : blocks_) {
    if (b.row >= owned) {
      const auto& [owner, number] = rows[at(b.row - owned)];
      blocks[owner].insert(blocks[owner].end(), {number, b.rows, b.column, b.columns, ghosts_});
      for (int i = 0; i < b.rows; ++i, ghosts_ += b.columns) slots_[slot + at(i)] = ghosts_;
    }
    slot += at(b.rows);
  }
  std::vector<PetscSFNode> from;
  blocks = exchange_by_rank(blocks, layout.comm());
  for (std::size_t rank = 0; rank < blocks.size(); ++rank)
    for (auto b = blocks[rank].begin(); b != blocks[rank].end(); b += 5) {
      blocks_.push_back({static_cast<int>(b[0] - begin), static_cast<int>(b[1]), static_cast<PetscInt>(b[2]),
                         static_cast<int>(b[3])});
      for (std::int64_t k = 0; k < b[1] * b[3]; ++k)
        from.push_back({static_cast<PetscInt>(rank), static_cast<PetscInt>(b[4] + k)});
    }
  received_.resize(from.size());
  PetscSF sf = nullptr;
  TRAMMEL_PETSC(PetscSFCreate(layout.comm(), &sf));
  sends_ = {sf, [](PetscSF its) { PetscSFDestroy(&its); }};
  TRAMMEL_PETSC(PetscSFSetGraph(sf, ghosts_, static_cast<PetscInt>(from.size()), nullptr, PETSC_COPY_VALUES,
                                from.data(), PETSC_COPY_VALUES));
}

void MatrixPattern::find_places(PetscInt begin, PetscInt owned) {
  refuse_overflow(slot_count_);
  std::vector<std::size_t> first(at(owned) + 1, 0);
  const auto each_row = [&](auto&& visit) {
    PetscInt slot = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (int i = 0; i < blocks_[b].rows; ++i, ++slot)
        if (blocks_[b].row < owned) visit(at(blocks_[b].row + i), Piece(static_cast<PetscInt>(b), slot));
    slots_.resize(at(slot));
  };
  each_row([&](std::size_t row, const Piece&) { ++first[row + 1]; });
  for (std::size_t i = 0; i < at(owned); ++i) first[i + 1] += first[i];
  std::vector<Piece> pieces(first.back());  // by row
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  each_row([&](std::size_t row, const Piece& piece) { pieces[next[row]++] = piece; });

  rows_ = std::make_shared<Rows>();  // matrices that exist share the former ones
  common_.reset();
  auto& [own, others] = *rows_;
  std::vector<PetscInt> in_row;
  std::span<const Piece> before;
  for (std::size_t row = 0; row < at(owned); ++row) {
    const auto its = std::span<const Piece>(pieces).subspan(first[row], first[row + 1] - first[row]);
    // Rows of the same blocks have the same columns.
    if (!std::ranges::equal(its, before, {}, &Piece::first, &Piece::first)) {
      in_row.clear();
      for (const auto& [block, slot] : its)
        for (int j = 0; j < blocks_[at(block)].columns; ++j) in_row.push_back(blocks_[at(block)].column + j);
      std::ranges::sort(in_row);
      in_row.erase(std::unique(in_row.begin(), in_row.end()), in_row.end());
    }
    before = its;
    for (const PetscInt column : in_row)
      if (column >= begin && column < begin + owned)
        own.columns.push_back(column - begin);
      else
        others.columns.push_back(column);
    refuse_overflow(at(ghosts_) + own.columns.size() + others.columns.size());
    for (Part* part : {&own, &others}) part->begins.push_back(part->size());
  }
  for (Part* part : {&own, &others}) part->columns.shrink_to_fit();
  size_ = at(ghosts_ + own.size() + others.size());
  each_row([&, &own = own, &others = others](std::size_t row, const Piece& piece) {
    const auto i = static_cast<PetscInt>(row);
    const PetscInt column = blocks_[at(piece.first)].column;
    const bool is_own = column >= begin && column < begin + owned;
    slots_[at(piece.second)] =
        ghosts_ + (is_own ? own.place(i, column - begin) : own.size() + others.place(i, column));
  });
  std::size_t slot = 0;
  for (const Block& b : blocks_)
    for (int i = 0; i < b.rows; ++i, ++slot)
      for (int j = 0; slot >= slot_count_ && j < b.columns; ++j) places_.push_back(slots_[slot] + j);
  blocks_ = std::vector<Block>();  // `= {}` would keep its memory
}

void MatrixPattern::clear(PetscInt row, PetscScalar* entries) const {
  const auto& [own, others] = *rows_;
  PetscScalar* const its = entries + ghosts_;
  std::fill(its + own.begins[at(row)], its + own.begins[at(row) + 1], 0.0);
  PetscScalar* const in_others = its + own.size();
  std::fill(in_others + others.begins[at(row)], in_others + others.begins[at(row) + 1], 0.0);
}

/// Arrays of a matrix, which PETSc uses as they are: its own preallocation looks for the place of each entry in turn.
struct MatrixPattern::Storage {
  std::shared_ptr<Rows> rows;
  std::shared_ptr<std::vector<PetscScalar>> entries;
  std::vector<PetscInt> others;  ///< columns of other ranks, which PETSc numbers in its way
  std::vector<Mat> parts;
};

static constexpr const char* storage_name = "arrays of its pattern";

Mat MatrixPattern::create(const Layout& layout, bool lasting) {
  const MPI_Comm comm = layout.comm();
  const PetscInt n = layout.owned_size();
  const bool alone = layout.ranks() == 1;
  auto its = std::make_unique<Storage>();
  its->rows = rows_;
  if (alone && !lasting) its->entries = common_.lock();
  if (!its->entries) its->entries = std::make_shared<std::vector<PetscScalar>>(size_, 0.0);
  if (!lasting) common_ = its->entries;
  Part &own = rows_->own, &others = rows_->others;
  PetscScalar* const entries = its->entries->data() + ghosts_;
  Mat J = nullptr;
  if (alone) {
    TRAMMEL_PETSC(MatCreateSeqAIJWithArrays(comm, n, n, own.begins.data(), own.columns.data(), entries, &J));
    its->parts = {J};
  } else {
    its->others = others.columns;
    TRAMMEL_PETSC(MatCreateMPIAIJWithSplitArrays(
        comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, own.begins.data(), own.columns.data(), entries,
        others.begins.data(), its->others.data(), entries + own.size(), &J));
    its->parts.resize(2);
    TRAMMEL_PETSC(MatMPIAIJGetSeqAIJ(J, &its->parts[0], &its->parts[1], nullptr));
    TRAMMEL_PETSC(MatSetOption(J, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));  // assembly sends nothing
  }
  PetscContainer owner = nullptr;
  TRAMMEL_PETSC(PetscContainerCreate(comm, &owner));
  TRAMMEL_PETSC(PetscContainerSetUserDestroy(owner, [](void* all) -> PetscErrorCode {
    delete static_cast<Storage*>(all);
    return 0;
  }));
  TRAMMEL_PETSC(PetscContainerSetPointer(owner, its.release()));
  TRAMMEL_PETSC(PetscObjectCompose(reinterpret_cast<PetscObject>(J), storage_name,
                                   reinterpret_cast<PetscObject>(owner)));
  TRAMMEL_PETSC(PetscContainerDestroy(&owner));
  return J;
}

PetscScalar* MatrixPattern::entries(Mat J) {
  PetscObject owner = nullptr;
  TRAMMEL_PETSC(PetscObjectQuery(reinterpret_cast<PetscObject>(J), storage_name, &owner));
  Storage* its = nullptr;
  TRAMMEL_PETSC(
      PetscContainerGetPointer(reinterpret_cast<PetscContainer>(owner), reinterpret_cast<void**>(&its)));
  for (Mat part : its->parts) {  // PETSc forgets what it has found in former entries
    PetscScalar* entries = nullptr;
    TRAMMEL_PETSC(MatSeqAIJGetArrayWrite(part, &entries));
    TRAMMEL_PETSC(MatSeqAIJRestoreArrayWrite(part, &entries));
  }
  if (its->parts[0] != J) {
    TRAMMEL_PETSC(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    TRAMMEL_PETSC(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  }
  return its->entries->data();
}

void MatrixPattern::send(PetscScalar* entries) {
  if (!sends_) return;
  TRAMMEL_PETSC(PetscSFBcastBegin(sends_.get(), MPIU_SCALAR, entries, received_.data(), MPI_REPLACE));
  TRAMMEL_PETSC(PetscSFBcastEnd(sends_.get(), MPIU_SCALAR, entries, received_.data(), MPI_REPLACE));
  for (std::size_t k = 0; k < places_.size(); ++k) entries[places_[k]] += received_[k];
}

}  // namespace trammel
