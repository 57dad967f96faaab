#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

namespace trammel {

/// A vector of plain values that asks for memory of its own only where it holds more than `N`.
template <class T, std::size_t N>
class InlineVector {
 public:
  using value_type = T;

  InlineVector() = default;
  explicit InlineVector(std::size_t size) { resize(size); }
  InlineVector(std::initializer_list<T> values) { assign(std::span<const T>(values.begin(), values.size())); }
  InlineVector(const InlineVector& other) { assign(other.all()); }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) assign(other.all());
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~InlineVector() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return many_ ? many_.get() : few_.data(); }
  const T* data() const { return many_ ? many_.get() : few_.data(); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  const T& back() const { return data()[size_ - 1]; }

  /// New values are T().
  void resize(std::size_t size) {
    if (const std::size_t room = many_ ? room_ : N; size > room) {
      const std::size_t more = std::max(size, 2 * room);
      auto values = std::make_unique<T[]>(more);
      std::copy(begin(), end(), values.get());
      many_ = std::move(values);
      room_ = static_cast<std::uint32_t>(more);
    } else if (size > size_) {
      std::fill(data() + size_, data() + size, T());
    }
    size_ = static_cast<std::uint32_t>(size);
  }
  void clear() { resize(0); }
  void push_back(const T& value) {
    const T copy = value;
    resize(size() + 1);
    data()[size_ - 1] = copy;
  }
  /// The values, and T() up to `size` of them where that is more.
  void assign(std::span<const T> values, std::size_t size = 0) {
    clear();
    resize(std::max(size, values.size()));
    std::copy(values.begin(), values.end(), data());
  }

 private:
  std::span<const T> all() const { return {data(), size_}; }
  void take(InlineVector& other) noexcept {
    few_ = other.few_;
    many_ = std::move(other.many_);
    room_ = std::exchange(other.room_, 0U);
    size_ = std::exchange(other.size_, 0U);
  }

  std::array<T, N> few_{};
  std::unique_ptr<T[]> many_;  ///< all values, once there were more than N
  std::uint32_t room_ = 0;     ///< of many_
  std::uint32_t size_ = 0;
};

}  // namespace trammel
