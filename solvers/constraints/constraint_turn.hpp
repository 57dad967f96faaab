#pragma once

#include <array>
#include <map>
#include <optional>

#include "solvers/constraints/constrained_mass.hpp"

namespace trammel {

/// Measures the angle by which the directions of the constraints turn in a step. For a point mass on a rod it is
/// the angle of the rod, for bodies on straight guides zero. Beyond a limit, steps of index 3 gain energy without
/// bound.
///
/// If the reactions B^T lambda turn by a small angle theta at fixed lambda, a fraction theta of them is no longer a
/// reaction: the part of B(q_n)^T lambda along the free directions at q_{n+1}, which the system [M B^T; B 0]
/// yields. The angle of a block of positions is the root mean square of this part over that of the reactions, over
/// the inspected steps; the largest angle counts. Every function is collective.
class ConstraintTurn {
 public:
  /// `system` gives assembler, scales and timings.
  explicit ConstraintTurn(ConstrainedMass& system) : system_(system) {}

  /// Call after an accepted step. Every tenth step is inspected, later every fiftieth.
  void take(const State& base, const State& end);
  /// After the pattern changed.
  void revise() { mass_.reset(); }
  /// The mean angle of a step [rad]; 0 before enough steps were inspected.
  double mean() const { return mean_; }
  /// The angle beyond which index 3 is unstable for a point mass, at this spectral radius [rad].
  static double limit(double radius);

 private:
  bool look(const State& base, const State& end);
  bool reactions(const State& at, std::vector<double>& forces) const;

  ConstrainedMass& system_;
  std::optional<ConstrainedMass> mass_;
  std::map<BlockId, std::array<double, 2>> sums_;  ///< squares of turned and of all reactions, owned blocks
  int steps_ = 0, looks_ = 0;
  double mean_ = 0;
};

}  // namespace trammel
