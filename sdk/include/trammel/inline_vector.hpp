#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace trammel {

/// A vector of plain values that asks for memory of its own only where it holds more than `N`.
template <class T, std::size_t N>
class InlineVector {
 public:
  using value_type = T;

  InlineVector() = default;
  explicit InlineVector(std::size_t size) { resize(size); }
  InlineVector(std::initializer_list<T> values) { assign(std::span<const T>(values.begin(), values.size())); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return many_.empty() ? few_.data() : many_.data(); }
  const T* data() const { return many_.empty() ? few_.data() : many_.data(); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  const T& back() const { return data()[size_ - 1]; }

  /// New values are T().
  void resize(std::size_t size) {
    if (many_.empty()) {
      if (size <= N) {
        if (size > size_) std::fill(few_.begin() + size_, few_.begin() + size, T());
        size_ = size;
        return;
      }
      many_.assign(few_.begin(), few_.begin() + size_);
    }
    many_.resize(std::max(size, N + 1));
    if (size < size_) std::fill(many_.begin() + static_cast<std::ptrdiff_t>(size), many_.end(), T());
    size_ = size;
  }
  void clear() { resize(0); }
  void push_back(const T& value) {
    const T copy = value;
    resize(size_ + 1);
    data()[size_ - 1] = copy;
  }
  /// The values, and T() up to `size` of them where that is more.
  void assign(std::span<const T> values, std::size_t size = 0) {
    clear();
    resize(std::max(size, values.size()));
    std::copy(values.begin(), values.end(), data());
  }

 private:
  std::array<T, N> few_{};
  std::vector<T> many_;  ///< all values, and more, once there were more than N
  std::size_t size_ = 0;
};

}  // namespace trammel
