#pragma once

#include <cstddef>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// A matrix of the assembler, such as that of masses, for many products. Where it couples no unknowns of different ranks, entries that are
/// zero, as all of multipliers are, take no part in them.
class NonzeroMatrix {
 public:
  /// Assembles it; false where an element refuses. `all`: a matrix of the assembler or nothing, for the next call. Collective.
  bool assemble(Assembler& assembler, const State& state, const TangentWeights& weights, OwnedMat& all);
  /// Calls use(row of this rank, number) for the numbers of the diagonal that are not zero.
  template <class Use>
  void each_of_diagonal(Use&& use) const {
    for (std::size_t row = 0; row + 1 < begin_.size(); ++row)
      for (int k = begin_[row]; k < begin_[row + 1]; ++k)
        if (column_[at(k)] == static_cast<int>(row)) use(row, value_[at(k)]);
  }
  /// y = A x. Collective.
  void multiply(Vec x, Vec y) const { multiply(x, y, false); }
  /// y = y + A x. Collective.
  void add_product(Vec x, Vec y) const { multiply(x, y, true); }

  explicit operator bool() const { return !begin_.empty(); }
  void reset() { *this = {}; }

 private:
  void take_own(Mat own);
  void multiply(Vec x, Vec y, bool add) const;

  OwnedMat coupled_;  ///< all of it, where it couples unknowns of different ranks
  // Rows of this rank in its own columns, without zeros.
  std::vector<int> begin_, column_;
  std::vector<double> value_;
};

}  // namespace trammel
