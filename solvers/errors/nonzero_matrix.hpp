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
  /// Assembles it; false where an element refuses. Collective.
  bool assemble(Assembler& assembler, const State& state, const TangentWeights& weights);
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

  explicit operator bool() const { return static_cast<bool>(matrix_); }
  void reset() { *this = {}; }

 private:
  void multiply(Vec x, Vec y, bool add) const;

  OwnedMat matrix_;
  bool couples_ = false;  ///< unknowns of different ranks
  // Rows of this rank in its own columns, without zeros.
  std::vector<int> begin_, column_;
  std::vector<double> value_;
};

}  // namespace trammel
