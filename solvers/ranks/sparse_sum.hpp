#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "solvers/ranks/carried_totals.hpp"

namespace trammel {

/// Sums over all ranks, on every rank, of numbers to most of which few ranks contribute.
///
/// As in a reduction by recursive doubling, two ranks exchange what they have, then two pairs, two fours and so on; but they send only the
/// numbers that some rank of their group contributes to. The order of additions depends on the number of ranks alone, and all ranks get the
/// same bits.
class SparseSum {
 public:
  /// Takes, by rank, the numbers from 0 to `count` - 1 that it contributes to, ascending. All ranks give the same.
  void set_structure(MPI_Comm comm, int count, const std::vector<std::vector<int>>& seen);
  /// Whether a rank sends fewer numbers than in a reduction of all of them. The same on all ranks.
  bool pays() const { return pays_; }

  /// Replaces the parts of this rank by the sums. `numbers` may be several arrays of `count` numbers, one after the other; they are zero
  /// where this rank contributes nothing. Collective.
  void sum(MPI_Comm comm, std::span<double> numbers, const CarriedTotals& carried = {});

 private:
  /// Messages to and from one other rank, with these numbers.
  struct Exchange {
    int rank = -1;
    std::vector<int> sent, received;
  };

  std::size_t count_ = 0;
  bool pays_ = false;
  std::vector<int> own_;
  std::vector<Exchange> rounds_;
  /// Ranks beyond a power of two lend their numbers before the rounds to one that takes part, and get the sums from it.
  Exchange lent_, borrowed_;
  std::vector<double> out_, in_;  // workspaces
};

}  // namespace trammel
