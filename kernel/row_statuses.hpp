#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernel/block_table.hpp"
#include "trammel/archive.hpp"
#include "trammel/block.hpp"
#include "trammel/friction_force.hpp"
#include "trammel/row_status.hpp"

namespace trammel {

/// The rows that are not active, of the whole model: the same on every rank.
class RowStatuses {
 public:
  RowStatuses() = default;
  RowStatuses(const RowStatuses& other) { *this = other; }
  RowStatuses& operator=(const RowStatuses& other) {
    rows_ = other.rows_;
    masks_.clear();
    for (const auto& [row, status] : rows_) mark(row, status);
    return *this;
  }
  RowStatuses(RowStatuses&&) = default;
  RowStatuses& operator=(RowStatuses&&) = default;
  ~RowStatuses() = default;

  RowStatus of(BlockId multiplier, int component) const {
    return static_cast<RowStatus>((masks_[multiplier] >> (2 * component)) & 3U);
  }
  bool inactive(BlockId multiplier, int component) const {
    return of(multiplier, component) == RowStatus::inactive;
  }
  /// True where every row of the block is active.
  bool all_active(BlockId multiplier) const { return masks_[multiplier] == 0; }
  /// True where no row of a block of that size is anything but inactive.
  bool all_inactive(BlockId multiplier, int size) const {
    return masks_[multiplier] == static_cast<std::uint16_t>(0x5555U & ((1U << (2 * size)) - 1U));
  }
  void set(const ConstraintRow& row, RowStatus status) {
    if (status == RowStatus::active)
      rows_.erase(row);
    else
      rows_[row] = status;
    mark(row, status);
  }
  /// In order; none of them is active.
  const std::map<ConstraintRow, RowStatus>& rows() const { return rows_; }

  void serialize(Archive& archive) {
    archive(rows_);
    if (archive.reads()) *this = RowStatuses(*this);
  }
  friend bool operator==(const RowStatuses& a, const RowStatuses& b) { return a.rows_ == b.rows_; }

 private:
  void mark(const ConstraintRow& row, RowStatus status) {
    std::uint16_t& mask = masks_.put(row.block);
    const auto cleared = mask & ~(3U << (2 * row.component));
    mask = static_cast<std::uint16_t>(cleared | (static_cast<unsigned>(status) << (2 * row.component)));
  }

  std::map<ConstraintRow, RowStatus> rows_;
  BlockMap<std::uint16_t> masks_{0};  ///< two bits a row
};

/// Coordinates that only inactive rows determine, with the values that they keep.
using HeldCoordinates = std::map<BlockId, std::vector<double>>;

/// How the rows of a model stand: what their evaluation reads.
struct RowStates {
  RowStatuses statuses;
  HeldCoordinates held;
  std::map<BlockId, SlipDirection>
      slip_directions;  ///< how groups that slip began the step, by their multiplier

  void serialize(Archive& archive) { archive(statuses, held, slip_directions); }
};

}  // namespace trammel
