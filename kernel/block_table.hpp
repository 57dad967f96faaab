#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "trammel/block.hpp"

namespace trammel {

/// Values by BlockId, kept in pages: who knows a share of a model's blocks pays for that share. What was never put has
/// the value `absent`.
template <class T>
class BlockMap {
 public:
  explicit BlockMap(T absent = T()) : absent_(std::move(absent)) {}

  const T& operator[](BlockId id) const {
    const std::size_t page = static_cast<std::size_t>(id) / page_size;
    if (page >= pages_.size() || pages_[page] == nullptr) return absent_;
    return (*pages_[page])[static_cast<std::size_t>(id) % page_size];
  }
  /// The value to write.
  T& put(BlockId id) {
    const std::size_t page = static_cast<std::size_t>(id) / page_size;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) {
      pages_[page] = std::make_unique<Page>();
      pages_[page]->fill(absent_);
    }
    return (*pages_[page])[static_cast<std::size_t>(id) % page_size];
  }
  void clear() { pages_.clear(); }

 private:
  static constexpr std::size_t page_size = 64;
  using Page = std::array<T, page_size>;

  T absent_;
  std::vector<std::unique_ptr<Page>> pages_;
};

/// The blocks of a model that this rank knows, by BlockId; visited in the order in which they were added.
template <class T>
class BlockTable {
 public:
  T& add(BlockId id) {
    ids_.push_back(id);
    return values_.put(id);
  }
  /// Of a block that was added.
  template <class Id>
  const T& operator[](Id id) const {
    return values_[static_cast<BlockId>(id)];
  }
  template <class Id>
  T& operator[](Id id) {
    return values_.put(static_cast<BlockId>(id));
  }
  const std::vector<BlockId>& ids() const { return ids_; }
  std::size_t size() const { return ids_.size(); }
  const T& back() const { return values_[ids_.back()]; }

  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = T;
    Iterator() = default;
    Iterator(const BlockTable* table, std::size_t at) : table_(table), at_(at) {}
    const T& operator*() const { return table_->values_[table_->ids_[at_]]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(table_, at_++); }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const BlockTable* table_ = nullptr;
    std::size_t at_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, ids_.size()}; }

 private:
  BlockMap<T> values_;
  std::vector<BlockId> ids_;
};

}  // namespace trammel
