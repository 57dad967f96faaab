#pragma once

#include <string>
#include <vector>

#include "solvers/constraints/constrained_mass.hpp"
#include "solvers/constraints/correction_contraction.hpp"
#include "solvers/newton/newton.hpp"
#include "solvers/newton/unknown_runs.hpp"

namespace trammel {

/// The factorized matrix [M + D / ratio, B^T; B, 0] by which velocities are corrected, kept over steps while it contracts
/// errors. The tangent of Newton's method serves, as one matrix for both, where stiffnesses hardly count in it beside inertia;
/// elsewhere it is one of its own. Every function is collective, except those that return what is known.
class VelocityMatrix {
 public:
  /// `own` must outlive it.
  explicit VelocityMatrix(ConstrainedMass& own) : own_(own) {}

  /// The tangent of this solver, which must outlive it, may serve. It is that of the step whose velocities are corrected.
  void share(Newton& newton) { newton_ = &newton; }
  /// Whether the last correction was by that tangent.
  bool is_shared() const { return shared_; }

  /// Finds, where that is not known yet, the unknowns without mass, by a matrix that takes the memory of Newton's tangent: before that is made, so that
  /// its entries stay, in a run as in one that goes on from a checkpoint.
  void look_for_massless(const State& state, double ratio);
  /// Before a correction: takes the matrix at hand, or makes one. False if this fails, see `why`.
  bool begin(const State& state, double ratio);
  /// Makes a new matrix at `state` in place of a slow one; false if this fails.
  bool renew(const State& state, double ratio);
  /// Solves with the right-hand side `ConstrainedMass::r()` of a balance of forces, in which redundant rows are zero. The result is
  /// that of this rank: false if one of its numbers is not finite.
  bool solve_here();
  /// After a solution that failed on some rank: makes a matrix of its own, where it was not one. False if this fails.
  bool replace(const State& state, double ratio);
  /// By local unknown; multipliers in units of `scales().mass`.
  const std::vector<double>& solution() const { return shared_ ? solution_ : own_.solution(); }

  /// A solve has changed velocities and multipliers so much.
  void solved(const CorrectionContraction::Change& change) { contraction_.solved(change); }
  /// What is known of the error now.
  const CorrectionContraction& contraction() const { return contraction_; }
  /// After a solve: looks for rows of a shared tangent that are stale in the right-hand side, which earlier solves have left. Smaller changes of
  /// velocities and accelerations do not matter.
  void look_for_stale_rows(double velocity, double acceleration, double ratio);
  /// Whether a new matrix is worth its price. `bent`: what a solve leaves because forces are not linear; `left`: the last change,
  /// over the error that may be left.
  bool is_slow(double bent, double left) const;
  /// A correction took so many solves.
  void used(int solves);
  /// The step of the last correction was accepted.
  void accept() { contraction_.step(); }
  /// Discards the matrix and what was learned of it.
  void drop();

  const std::string& why() const { return why_; }

 private:
  bool may_share(const State& state, double ratio);
  bool make_own(const State& state, double ratio);
  void begin_life(bool shared);

  ConstrainedMass& own_;
  Newton* newton_ = nullptr;
  enum class Sharing { unknown, no, yes } sharing_ = Sharing::unknown;
  bool shared_ = false;    ///< the matrix is Newton's tangent
  bool is_tried_ = false;  ///< it was not known what a solve with it leaves when the correction began
  int renewals_ = 0;       ///< of a matrix that was new, in the present correction
  int number_ = 0;         ///< ConstrainedMass::preparation or Newton::tangent_number of the matrix; 0: none
  double ratio_ = 0;       ///< for which it was made
  int steps_ = 0, solves_ = 0;  ///< corrections with it, and their solves
  CorrectionContraction contraction_;
  std::vector<UnknownRun> runs_;  ///< once it was known whether to share
  std::vector<double> solution_;
  OwnedVec y_;  ///< on one rank it has the numbers of `solution_`
  std::string why_;
};

}  // namespace trammel
