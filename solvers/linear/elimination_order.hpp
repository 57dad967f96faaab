#pragma once

#include <span>
#include <vector>

namespace trammel {

/// An order of elimination, and what it costs if the structure is symmetric and pivots stay on the diagonal.
struct EliminationOrder {
  std::vector<int> unknowns;  ///< in the order of elimination; empty where the library fails
  double entries = 0;         ///< of L, with its diagonal
  double operations = 0;      ///< of a factorization
};

/// Orders the unknowns of a matrix (by compressed columns) by AMD as a part of a larger one, in which a border is eliminated after them (CAMD).
/// `border`: by unknown of the border the unknowns of the matrix that it is coupled to. The cost is that of the matrix alone. The unknowns
/// `last` are eliminated after the others. Without both a long thin part is eliminated from both ends (`thin_cut`), and two independent groups of branches in turns (`branches_in_turns`).
EliminationOrder elimination_order(int n, const int* starts, const int* columns,
                                   std::span<const std::vector<int>> border, std::span<const int> last = {});

}  // namespace trammel
