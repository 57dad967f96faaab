#pragma once

#include <concepts>
#include <cstddef>

namespace trammel {

/// A signed number as an index into a container of the standard library. It must not be negative.
template <std::integral Number>
constexpr std::size_t at(Number i) {
  return static_cast<std::size_t>(i);
}

}  // namespace trammel
