#pragma once

#include <span>
#include <vector>

namespace trammel {

/// The elimination tree of a matrix with symmetric structure whose pivots stay on the diagonal, by place in the order of elimination
/// (Liu, SIAM J. Matrix Anal. Appl. 11 (1990) 134). Branches that do not contain each other can be eliminated in any order.
struct EliminationTree {
  std::vector<int>
      parent;  ///< the first unknown that is changed when this one is eliminated; -1 where there is none
  std::vector<int> below;  ///< entries of L below the diagonal

  /// Of a matrix by compressed columns, whose structure is that of A + A^T.
  EliminationTree(int n, const int* starts, const int* columns, std::span<const int> order);

  int size() const { return static_cast<int>(parent.size()); }
};

}  // namespace trammel
