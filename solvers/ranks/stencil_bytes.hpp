#pragma once

#include <cstddef>
#include <vector>

#include "trammel/archive.hpp"
#include "trammel/block.hpp"

namespace trammel {

/// What ElementRange::serialize wrote of an instance, taken apart: its stencil, and the bytes of its history behind it.
struct StencilBytes {
  std::vector<BlockId> blocks;
  int dofs = 0;
  std::vector<std::byte> history;  ///< with its version; empty: the instance has none

  /// Throws Error where bytes are missing.
  explicit StencilBytes(const std::vector<std::byte>& bytes) {
    Archive archive(bytes);
    archive(blocks, dofs);
    history.assign(bytes.end() - static_cast<std::ptrdiff_t>(archive.left()), bytes.end());
  }
  std::vector<std::byte> joined() {
    Archive archive;
    archive(blocks, dofs);
    std::vector<std::byte> bytes = archive.bytes();
    bytes.insert(bytes.end(), history.begin(), history.end());
    return bytes;
  }
};

}  // namespace trammel
