#pragma once

#include <span>
#include <vector>

namespace trammel {

/// An order of elimination, and what it costs if the structure is symmetric and pivots stay on the diagonal.
struct BorderedOrder {
  std::vector<int> unknowns;  ///< in the order of elimination; empty where the library fails
  double entries = 0;         ///< of L, with its diagonal
  double operations = 0;      ///< of a factorization
};

/// Orders the unknowns of a matrix (by compressed columns) by AMD as a part of a larger one, in which a border is eliminated after them (CAMD).
/// `border`: by unknown of the border the unknowns of the matrix that it is coupled to. The cost is that of the matrix alone.
BorderedOrder bordered_order(int n, const int* starts, const int* columns,
                             std::span<const std::vector<int>> border);

}  // namespace trammel
