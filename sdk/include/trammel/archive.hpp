#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "trammel/error.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// Writes things into bytes, or reads them from there in the same order, by one description for both:
///
///     void serialize(Archive& archive) { archive(active, held, place); }
///
/// Numbers, enums, strings, vectors, arrays, optionals, pairs, maps, Eigen's matrices, and classes with such a function.
/// Bytes are those of this machine.
class Archive {
 public:
  /// Writes.
  Archive() = default;
  /// Reads; `bytes` must outlive the archive.
  explicit Archive(std::span<const std::byte> bytes) : from_(bytes), reads_(true) {}

  bool reads() const { return reads_; }
  /// The bytes written so far.
  const std::vector<std::byte>& bytes() const { return to_; }
  /// Bytes that were not read yet.
  std::size_t left() const { return from_.size() - at_; }

  /// Throws Error where there is less to be read than is asked for.
  template <class... T>
  void operator()(T&... things) {
    (one(things), ...);
  }

 private:
  void raw(void* bytes, std::size_t count) {
    if (count == 0) return;
    if (!reads_) {
      const auto* begin = static_cast<const std::byte*>(bytes);
      to_.insert(to_.end(), begin, begin + count);
      return;
    }
    if (count > left()) throw Error("what was saved ends too early");
    std::memcpy(bytes, from_.data() + at_, count);
    at_ += count;
  }
  /// The number of elements of a thing that holds `now` of them, each of at least `least` bytes.
  std::size_t count_of(std::size_t now, std::size_t least) {
    std::uint64_t n = now;
    one(n);
    if (reads_ && least > 0 && n > left() / least) throw Error("what was saved ends too early");
    return static_cast<std::size_t>(n);
  }

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void one(T& number) { raw(&number, sizeof number); }
  template <class T>
  requires requires(T& t, Archive& a) { t.serialize(a); }
  void one(T& thing) { thing.serialize(*this); }
  void one(std::string& text) {
    text.resize(count_of(text.size(), 1));
    raw(text.data(), text.size());
  }
  template <class T, class A>
  void one(std::vector<T, A>& all) {
    all.resize(count_of(all.size(), std::is_arithmetic_v<T> ? sizeof(T) : 0));
    if constexpr (std::is_arithmetic_v<T>)
      raw(all.data(), all.size() * sizeof(T));
    else
      for (T& item : all) one(item);
  }
  template <class T, std::size_t n>
  void one(std::array<T, n>& all) {
    for (T& item : all) one(item);
  }
  template <class T>
  void one(std::optional<T>& thing) {
    bool there = thing.has_value();
    one(there);
    if (!there)
      thing.reset();
    else if (!thing)
      thing.emplace();
    if (there) one(*thing);
  }
  template <class A, class B>
  void one(std::pair<A, B>& both) {
    one(both.first);
    one(both.second);
  }
  template <class K, class V, class C>
  void one(std::map<K, V, C>& all) {
    const std::size_t n = count_of(all.size(), 0);
    if (!reads_) {
      for (auto& [key, value] : all) {
        K copy = key;
        one(copy);
        one(value);
      }
      return;
    }
    all.clear();
    for (std::size_t i = 0; i < n; ++i) {
      std::pair<K, V> item;
      one(item);
      all.insert(std::move(item));
    }
  }
  template <class D>
  void one(Eigen::PlainObjectBase<D>& matrix) {
    Eigen::Index rows = matrix.rows(), columns = matrix.cols();
    if constexpr (D::SizeAtCompileTime == Eigen::Dynamic) {
      one(rows);
      one(columns);
      matrix.resize(rows, columns);
    }
    raw(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(typename D::Scalar));
  }
  void one(Quaternion& q) { one(q.coeffs()); }

  std::vector<std::byte> to_;
  std::span<const std::byte> from_;
  std::size_t at_ = 0;
  bool reads_ = false;
};

}  // namespace trammel
