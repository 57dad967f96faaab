#pragma once

#include <cstddef>
#include <span>

namespace trammel {

/// Numbers of each rank that travel with other numbers, in place of a reduction, and become those of all ranks.
struct CarriedTotals {
  /// Merges numbers of another rank into those of this one. Which of two ranks merges makes no difference in bits.
  using Merge = void (*)(const double* from, double* to, std::size_t size);

  static void add(const double* from, double* to, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) to[k] += from[k];
  }

  std::span<double> numbers{};  ///< as many on each rank
  Merge merge = add;
};

}  // namespace trammel
