#include "kernel/matrix_pattern.hpp"

#include <algorithm>

#include "kernel/layout.hpp"
#include "kernel/petsc_call.hpp"
#include "trammel/error.hpp"

namespace trammel {

void MatrixPattern::clear() { *this = {}; }

void MatrixPattern::append(int row, int rows, PetscInt column, int columns) {
  blocks_.push_back({row, rows, column, columns});
  slot_count_ += static_cast<std::size_t>(rows);
}

void MatrixPattern::finish(PetscInt rows) {
  // What each row is made of: a block, by its number, and its slot.
  struct Piece {
    std::size_t block, slot;
  };
  const auto at = [](PetscInt row) { return static_cast<std::size_t>(row); };
  std::vector<std::size_t> first(at(rows) + 1, 0);
  for (const Block& b : blocks_)
    for (int i = 0; i < b.rows; ++i) ++first[at(b.row + i) + 1];
  for (std::size_t i = 0; i < at(rows); ++i) first[i + 1] += first[i];
  std::vector<Piece> pieces(slot_count_);
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  std::size_t slot = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    for (int i = 0; i < blocks_[b].rows; ++i) pieces[next[at(blocks_[b].row + i)]++] = {b, slot++};

  slots_.resize(slot_count_);
  begins_.assign(1, 0);
  begins_.reserve(at(rows) + 1);
  columns_.clear();
  std::vector<PetscInt> in_row;
  for (std::size_t row = 0; row < at(rows); ++row) {
    const auto its = std::span(pieces).subspan(first[row], first[row + 1] - first[row]);
    in_row.clear();
    for (const Piece& piece : its)
      for (int j = 0; j < blocks_[piece.block].columns; ++j)
        in_row.push_back(blocks_[piece.block].column + j);
    std::ranges::sort(in_row);
    in_row.erase(std::ranges::unique(in_row).begin(), in_row.end());
    for (const Piece& piece : its) {
      const auto found = std::ranges::lower_bound(in_row, blocks_[piece.block].column);
      slots_[piece.slot] = begins_.back() + static_cast<PetscInt>(found - in_row.begin());
    }
    columns_.insert(columns_.end(), in_row.begin(), in_row.end());
    begins_.push_back(static_cast<PetscInt>(columns_.size()));
  }
  columns_.shrink_to_fit();
  blocks_ = {};
}

Mat MatrixPattern::create(const Layout& layout) const {
  Mat J = nullptr;
  TRAMMEL_PETSC(MatCreate(layout.comm(), &J));
  const PetscInt n = layout.owned_size(), N = layout.global_size();
  TRAMMEL_PETSC(MatSetSizes(J, n, n, N, N));
  if (layout.ranks() == 1) {
    TRAMMEL_PETSC(MatSetType(J, MATSEQAIJ));
    TRAMMEL_PETSC(MatSeqAIJSetPreallocationCSR(J, begins_.data(), columns_.data(), nullptr));
    return J;
  }
  TRAMMEL_PETSC(MatSetType(J, MATMPIAIJ));
  // The call may rearrange the arrays, so it gets copies.
  std::vector<PetscInt> rows(columns_.size()), columns = columns_;
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

MatrixEntries::MatrixEntries(Mat matrix, const MatrixPattern& pattern, bool alone,
                             std::vector<PetscScalar>& beside)
    : matrix_(matrix), alone_(alone) {
  if (!alone) {
    beside.assign(pattern.size(), 0.0);
    numbers_ = beside.data();
    return;
  }
  MatInfo info;
  TRAMMEL_PETSC(MatGetInfo(matrix, MAT_LOCAL, &info));
  if (info.nz_used != static_cast<PetscLogDouble>(pattern.size()))
    throw Error("a tangent was asked for in a matrix of another pattern");
  TRAMMEL_PETSC(MatSeqAIJGetArrayWrite(matrix, &numbers_));
  std::fill_n(numbers_, pattern.size(), 0.0);
}

MatrixEntries::~MatrixEntries() {
  if (alone_ && numbers_ != nullptr) MatSeqAIJRestoreArrayWrite(matrix_, &numbers_);
}

void MatrixEntries::assemble() {
  if (!alone_) TRAMMEL_PETSC(MatSetValuesCOO(matrix_, numbers_, INSERT_VALUES));
}

}  // namespace trammel
