#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace trammel {

/// Some of the entries of an array of numbers, a bit for each entry.
class EntrySet {
 public:
  EntrySet() = default;
  /// None of so many entries.
  explicit EntrySet(std::size_t entries) : entries_(entries), bits_((entries + word - 1) / word, 0) {}

  std::size_t entries() const { return entries_; }
  bool contains(std::size_t entry) const { return (bits_[entry / word] >> (entry % word) & 1) != 0; }
  void insert(std::size_t entry) { bits_[entry / word] |= std::uint64_t{1} << (entry % word); }

  /// Calls use(entry) for the entries of the set, in ascending order.
  template <class Use>
  void each(Use&& use) const {
    for (std::size_t w = 0; w < bits_.size(); ++w) each_bit(bits_[w], w * word, use);
  }
  /// The same; and others(entry) for entries that are not in the set, and not zero in `value`.
  template <class Use, class Others>
  void each(const double* value, Use&& use, Others&& others) const {
    for (std::size_t w = 0; w < bits_.size(); ++w) {
      const std::size_t first = w * word, size = std::min(word, entries_ - first);
      const auto if_filled = [&](std::size_t entry) {
        if (value[entry] != 0) others(entry);
      };
      each_bit(~bits_[w] & (~std::uint64_t{0} >> (word - size)), first, if_filled);
      each_bit(bits_[w], first, use);
    }
  }

 private:
  static constexpr std::size_t word = 64;

  template <class Use>
  static void each_bit(std::uint64_t left, std::size_t first, Use&& use) {
    for (; left != 0; left &= left - 1) use(first + static_cast<std::size_t>(std::countr_zero(left)));
  }

  std::size_t entries_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace trammel
