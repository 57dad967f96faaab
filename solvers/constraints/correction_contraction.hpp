#pragma once

#include <array>

#include "solvers/newton/ageing_contraction.hpp"

namespace trammel {

/// What solves with a kept matrix leave of the error of a correction of velocities.
///
/// The matrix was made some steps ago and leaves a part of each error. What it leaves of velocities shows in multipliers with the next
/// solve, and there it can be a hundred times as large (beside the forces of a long chain). The change by the second solve, over that by
/// the first, therefore tells what the first one has left, but not what further ones will leave: it may be 1 where each of them
/// leaves a hundredth. So the first solve of a correction and the further ones are observed apart.
class CorrectionContraction {
 public:
  /// By one solve, as parts of the sizes of the whole system.
  struct Change {
    double all = 0;  ///< the largest: of velocities, accelerations and multipliers
    double velocities = 0, accelerations = 0;
    bool is_noise = false;            ///< no larger than rounding errors
    bool is_noise_of_forces = false;  ///< no larger than what rounding errors of forces cause
    bool velocities_are_noise = false;
  };

  /// A new matrix. `approximate`: it leaves a part of an error even when it is new; `in_part`: of it stale rows alone are new.
  void renew(bool approximate, bool in_part);
  /// A correction begins with the matrix of the one before.
  void keep();
  /// A solve with this matrix has changed velocities and multipliers.
  void solved(const Change& change);
  /// The step of the last correction was accepted.
  void step();
  /// What was seen no longer counts.
  void forget();

  bool is_new() const { return new_; }
  /// Whether the solves so far, or those of the steps before, tell what this matrix leaves.
  bool is_known() const { return solves_ > 1 || (!new_ && first_.is_known()); }
  /// How large the error is now, at most, as a part of the last change; 1: unknown.
  double left() const;
  /// The same after `further` solves, probably; each leaves `least` or more.
  double left_after(int further, double least) const;
  /// What a further solve probably leaves.
  double later() const;
  /// Whether the last change was rounding error, which another solve would not reduce.
  bool stalls() const;
  /// Whether rounding errors hide what the matrix leaves.
  bool is_hidden() const;

 private:
  /// Of approximate matrices, when they are new.
  struct OfNew {
    double left = 1;  ///< what the first solve left; 1: unknown
    int unseen = 0;   ///< such matrices since that was observed
  };

  double of_new() const;
  OfNew& seen_of_new() { return of_new_[in_part_ ? 1 : 0]; }
  double likely() const;
  double seen() const;
  double seen_of_velocities() const;
  void observe();
  std::array<AgeingContraction*, 4> observed() { return {&first_, &later_, &further_, &by_accelerations_}; }

  bool new_ = false, approximate_ = false;
  int solves_ = 0;  ///< in this correction, with this matrix
  Change last_, before_;
  /// What the first solve leaves; what each further one leaves, at most and as seen last, by the better of all and of velocities; and the
  /// largest error that the first one leaves, over the change of accelerations.
  AgeingContraction first_{margin}, later_{margin}, further_{margin}, by_accelerations_{margin};
  bool in_part_ = false;
  std::array<OfNew, 2> of_new_;  ///< of whole ones, and of those that are new in part

  static constexpr double margin = 3;
};

}  // namespace trammel
