#include "io/vtk/appended_arrays.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "trammel/error.hpp"

namespace trammel {

namespace {

// Higher levels take longer and save little. Level 1 does not look for matches of three bytes, of which coordinates have
// many that are worth nothing.
constexpr int general_level = 2, fast_level = 1;
constexpr std::size_t block_size = std::size_t{256} * 1024;

}  // namespace

void AppendedArrays::Release::operator()(libdeflate_compressor* one) const {
  libdeflate_free_compressor(one);
}

AppendedArrays::AppendedArrays()
    : general_(libdeflate_alloc_compressor(general_level)), fast_(libdeflate_alloc_compressor(fast_level)) {
  if (!general_ || !fast_) throw std::bad_alloc();
}

AppendedArrays::~AppendedArrays() = default;

void AppendedArrays::clear() {
  bytes_.clear();
  next_kept_ = 0;
}

std::size_t AppendedArrays::compress(std::span<const std::byte> array, libdeflate_compressor& compressor) {
  const std::size_t offset = bytes_.size();
  // VTK's header: number of blocks, their size, that of the last one where it is smaller, and the compressed size of each.
  const std::size_t blocks = (array.size() + block_size - 1) / block_size;
  const std::size_t begin = offset + (3 + blocks) * sizeof(std::uint64_t);
  const auto set = [&](std::size_t at, std::uint64_t value) {
    std::memcpy(bytes_.data() + offset + at * sizeof value, &value, sizeof value);
  };
  bytes_.resize(begin);
  set(0, blocks);
  set(1, block_size);
  set(2, array.size() % block_size);
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto block = array.subspan(i * block_size, std::min(block_size, array.size() - i * block_size));
    block_.resize(std::max(block_.size(), libdeflate_zlib_compress_bound(&compressor, block.size())));
    const std::size_t size =
        libdeflate_zlib_compress(&compressor, block.data(), block.size(), block_.data(), block_.size());
    if (size == 0) throw Error("a drawing cannot be compressed");
    bytes_.append(block_.data(), size);
    set(3 + i, size);
  }
  return offset;
}

std::size_t AppendedArrays::add(std::span<const std::int32_t> values) {
  if (next_kept_ == kept_.size()) kept_.emplace_back();
  Kept& kept = kept_[next_kept_++];
  const std::size_t offset = bytes_.size();
  if (!kept.compressed.empty() && std::ranges::equal(kept.values, values)) {
    bytes_ += kept.compressed;
    return offset;
  }
  compress(std::as_bytes(values), *general_);
  kept.values.assign(values.begin(), values.end());
  kept.compressed.assign(bytes_, offset);
  return offset;
}

}  // namespace trammel
