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

/// The status of every row of the whole model, the same on every rank. Only rows that are not active are stored.
class RowStatuses {
 public:
  RowStatuses() = default;
  RowStatuses(const RowStatuses& other) { *this = other; }
  RowStatuses& operator=(const RowStatuses& other) {
    rows_ = other.rows_;
    masks_ = BlockMap<std::uint16_t>();
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
  /// True if every row of the block is active.
  bool all_active(BlockId multiplier) const { return masks_[multiplier] == 0; }
  /// True if every row of a block of this size is inactive.
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
  /// The rows that are not active, sorted.
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

/// The statuses of the rows of a model, and the data that their evaluation needs.
struct RowStates {
  RowStatuses statuses;
  HeldCoordinates held;
  std::map<BlockId, SlipDirection>
      slip_directions;  ///< by multiplier of a slipping group: its direction of slip at the start of the step

  void serialize(Archive& archive) { archive(statuses, held, slip_directions); }
};

}  // namespace trammel
