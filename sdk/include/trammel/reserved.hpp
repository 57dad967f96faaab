#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trammel {

/// Room for fields to come in a struct that lies in arrays, in other objects, or that one side makes and the other fills: the
/// struct keeps its size while a field takes some of the words. They are zero; a field made of them means at zero what it meant
/// before there was the field. (See "What may grow" in sdk/README.md.)
template <std::size_t words>
struct Reserved {
  std::array<std::uint64_t, words> words_to_come{};
  friend bool operator==(const Reserved&, const Reserved&) = default;
};

}  // namespace trammel
