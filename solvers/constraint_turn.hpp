#pragma once

#include <array>
#include <map>
#include <optional>

#include "solvers/constrained_mass.hpp"

namespace trammel {

/// The angle by which constraints' directions turn in a step, as reactions see them: of a point mass on a rod that of the rod, of
/// bodies on straight guides zero. Steps of index 3 gain energy without bound beyond a limit.
///
/// Reactions B^T lambda that turn by a small angle theta at fixed lambda get a part theta that is no reaction any more: what
/// B(q_n)^T lambda does along the directions that are free at q_{n+1}, from the system [M B^T; B 0] there. Per block of positions,
/// root mean square of that part over root mean square of the reactions, over the steps that were looked at; the largest counts.
/// Every function is collective.
class ConstraintTurn {
 public:
  /// `system` gives assembler, scales and timings.
  explicit ConstraintTurn(ConstrainedMass& system) : system_(system) {}

  /// An accepted step: one of ten is looked at, later one of fifty.
  void take(const State& base, const State& end);
  /// After the pattern changed.
  void revise() { mass_.reset(); }
  /// [rad] a step; 0 before there are enough steps to tell.
  double mean() const { return mean_; }
  /// Beyond which index 3 at that spectral radius is unstable, for a point mass [rad].
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
