#pragma once

#include <cstddef>

#include "trammel/block.hpp"

namespace trammel {

/// The place of a kind of block in arrays by kind.
constexpr std::size_t kind_at(BlockKind kind) { return static_cast<std::size_t>(kind); }

}  // namespace trammel
