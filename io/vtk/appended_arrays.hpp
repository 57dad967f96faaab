#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct libdeflate_compressor;

namespace trammel {

/// The arrays at the end of an XML file of VTK ("appended", raw): each compressed by zlib, in blocks.
class AppendedArrays {
 public:
  AppendedArrays();
  ~AppendedArrays();
  AppendedArrays(const AppendedArrays&) = delete;
  AppendedArrays& operator=(const AppendedArrays&) = delete;

  /// Begins the next file.
  void clear();
  /// Adds an array. Returns its offset. Throws Error.
  std::size_t add(std::span<const float> values) { return compress(std::as_bytes(values), *general_); }
  std::size_t add(std::span<const double> values) { return compress(std::as_bytes(values), *general_); }
  /// The same of coordinates, in which little repeats itself.
  std::size_t add_coordinates(std::span<const float> values) {
    return compress(std::as_bytes(values), *fast_);
  }
  /// The same of numbers of points and entities. They seldom change: the one that was added as the n-th of the file before is not
  /// compressed again if it is equal.
  std::size_t add(std::span<const std::int32_t> values);

  const std::string& bytes() const { return bytes_; }

 private:
  struct Release {
    void operator()(libdeflate_compressor* one) const;
  };
  using Compressor = std::unique_ptr<libdeflate_compressor, Release>;
  struct Kept {
    std::vector<std::int32_t> values;
    std::string compressed;
  };

  std::size_t compress(std::span<const std::byte> array, libdeflate_compressor& compressor);

  Compressor general_, fast_;
  std::string bytes_;
  std::vector<char> block_;  ///< compressed
  std::vector<Kept> kept_;
  std::size_t next_kept_ = 0;
};

}  // namespace trammel
