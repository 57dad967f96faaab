#pragma once

#include <span>
#include <vector>

#include "solvers/linear/repeated_lu.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// A part of a matrix: what RepeatedLu factorizes after `omit`.
struct PartOfRows {
  RepeatedLu::Rows whole;
  std::span<const PetscInt> number;  ///< by unknown of the whole: its number in the part, or -1
  std::span<const PetscInt> kept;    ///< by number: the unknown

  int size() const { return static_cast<int>(kept.size()); }
  /// use(column, value) for the entries of a row, by number.
  template <class Use>
  void each_entry(int i, Use&& use) const {
    const PetscInt row = kept[at(i)];
    for (PetscInt p = whole.begin[row]; p < whole.begin[row + 1]; ++p)
      if (const PetscInt j = number[at(whole.column[p])]; j >= 0) use(static_cast<int>(j), whole.value[p]);
  }
};

/// What couples an interior to its border.
struct Coupling {
  std::vector<bool> coupled;   ///< by unknown of the interior
  std::vector<double> beside;  ///< by row of the interior: the largest number that the border has in it
};

/// Unknowns without which the interior of a rank is expected to be regular, ascending.
struct WeakUnknowns {
  std::vector<int> weak;      ///< of one that is singular, to working precision
  std::vector<int> suspects;  ///< of one that is nearly singular, if there are no weak ones
};

/// Finds them in A, by one inverse iteration. `lu` has the factors of A unless its factorization `failed`.
WeakUnknowns find_weak(const PartOfRows& A, const Coupling& border, RepeatedLu& lu, bool failed);

}  // namespace trammel
