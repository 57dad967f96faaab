#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "trammel/block.hpp"

namespace trammel {

/// Block number `local` of an entity.
constexpr BlockId block_id(int entity, int local) { return (static_cast<BlockId>(entity) << 32) | local; }
/// The entity that made a block. The block need not be known to this rank.
constexpr int entity_of(BlockId id) { return static_cast<int>(id >> 32); }

/// A map from BlockId to values, in the order in which they were put. A rank that knows a part of the blocks of a
/// model needs memory for this part only. A block that was never put has the value `absent`.
template <class T, class Values = std::vector<T>>
class BlockMap {
 public:
  explicit BlockMap(T absent = T()) : absent_(std::move(absent)) {}

  template <class Id>
  const T& operator[](Id id) const {
    const std::int32_t at = find(static_cast<BlockId>(id));
    return at < 0 ? absent_ : values_[static_cast<std::size_t>(at)];
  }
  /// The value to write.
  T& put(BlockId id) {
    const std::int32_t at = find(id);
    if (at >= 0) return values_[static_cast<std::size_t>(at)];
    ids_.push_back(id);
    values_.push_back(absent_);
    if (2 * ids_.size() > slots_.size())
      grow();
    else
      slots_[slot_of(id)] = static_cast<std::int32_t>(ids_.size() - 1);
    return values_.back();
  }
  const std::vector<BlockId>& ids() const { return ids_; }
  std::size_t size() const { return ids_.size(); }
  const T& back() const { return values_.back(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  /// Where the block stands in the order in which they were put; -1 if it was never put.
  std::int32_t find(BlockId id) const { return slots_.empty() ? -1 : slots_[slot_of(id)]; }

 private:
  /// The slot of a block, or the free slot where it belongs.
  std::size_t slot_of(BlockId id) const {
    const std::uint64_t mixed =
        static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15U;  // the golden ratio times 2^64
    std::size_t slot = mixed >> shift_;
    while (slots_[slot] >= 0 && ids_[static_cast<std::size_t>(slots_[slot])] != id)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void grow() {
    shift_ = slots_.empty() ? 64 - 4 : shift_ - 1;
    slots_.assign(std::size_t{1} << (64 - shift_), -1);
    for (std::size_t k = 0; k < ids_.size(); ++k) slots_[slot_of(ids_[k])] = static_cast<std::int32_t>(k);
  }

  T absent_;
  std::vector<BlockId> ids_;
  Values values_;
  std::vector<std::int32_t> slots_;  ///< indices into `ids_`, -1 if free; at least half of them are free
  int shift_ = 64;
};

/// The blocks of a model that this rank knows. References to values remain valid when others are put.
template <class T>
using BlockTable = BlockMap<T, std::deque<T>>;

/// Values of blocks that a table has, in its order, `absent` until they are put. The table must outlive them.
template <class T>
class BlockValues {
 public:
  explicit BlockValues(const BlockTable<Block>& blocks, T absent = T())
      : blocks_(&blocks), absent_(std::move(absent)) {}

  const T& operator[](BlockId id) const {
    const auto i = static_cast<std::size_t>(blocks_->find(id));  // of -1 the largest number
    return i < values_.size() ? values_[i] : absent_;
  }
  /// The value to write.
  T& put(BlockId id) {
    if (values_.size() < blocks_->size()) values_.resize(blocks_->size(), absent_);
    return values_.at(static_cast<std::size_t>(blocks_->find(id)));
  }
  void clear() { values_.clear(); }

 private:
  const BlockTable<Block>* blocks_;
  T absent_;
  std::vector<T> values_;
};

}  // namespace trammel
