#pragma once

#include <string>
#include <vector>

#include "solvers/convergence.hpp"
#include "solvers/petsc_owned.hpp"
#include "solvers/timings.hpp"
#include "trammel/assembler.hpp"

namespace trammel {

/// Moves the configuration of one kinematic block by `part` of the increment x.
void move_block(const UnknownBlock& u, const double* x, double part, State& state);

/// Systems with the matrix [M B^T; B 0], in which velocity constraints stand with their A, at one state: what consistent
/// starts and projections onto the constraints are made of.
///
/// Rows and columns of blocks without any mass or constraint keep their rates. The layout must have no companions. Every
/// function is collective.
class ConstrainedMass {
 public:
  ConstrainedMass(Assembler& assembler, const ModelScales& scales, Timings& timings);

  /// Assembles and factorizes the matrix at `state`; false where that fails, see `why`.
  bool prepare(const State& state);
  /// Solves for the right side `r()`, whose rows that were left out or have no mass count as zero; `r()` is lost. False
  /// where that fails, see `why`.
  bool solve();
  /// The solution, by local unknown; multipliers in units of `scales().mass`.
  const std::vector<double>& solution() const { return local_; }
  Vec r() const { return r_.get(); }
  std::string why() const;

  /// `use(unknown block, its numbers)` for all blocks that this rank owns.
  template <class Use>
  void each_owned(Use&& use) const {
    PetscScalar* values = nullptr;
    TRAMMEL_PETSC(VecGetArray(r_.get(), &values));
    for (const UnknownBlock& u : assembler_.layout().unknowns())
      if (u.owned) use(u, values + u.local);
    TRAMMEL_PETSC(VecRestoreArray(r_.get(), &values));
  }

  /// Sets the rows of `r()` that were left out to zero; returns the largest of them on this rank.
  double silence_left_out();
  /// Moves the configuration of kinematic blocks by `part` of the solution.
  void move(State& state, double part) const;
  /// Adds the solution to the rates of kinematic blocks.
  void push(State& state) const;
  /// Adds the solution to the rates, or to the accelerations, of coordinates without mass that constraints determine.
  void push_bare(std::vector<double> State::*to, State& state) const;
  /// Adds the solution to accelerations and multipliers, and to the rates of first-order states.
  void accelerate(State& state) const;

  /// Unknowns that have neither mass nor constraint, named, of all ranks; empty where there are none. Of the last `prepare`.
  const std::string& massless() const { return massless_; }
  Assembler& assembler() const { return assembler_; }
  const ModelScales& scales() const { return scales_; }

 private:
  void find_massless();
  TangentWeights weights() const;

  Assembler& assembler_;
  ModelScales scales_;
  Timings& timings_;
  bool has_velocity_constraints_ = false;
  bool outside_ = false;  ///< the state is outside the domain of an element
  bool altered_ = false;  ///< the pattern of J has entries of its own
  double time_ = 0;
  const State* prepared_at_ = nullptr;  ///< lives while the matrix is used
  OwnedMat J_;
  OwnedKSP ksp_;
  OwnedVec r_, x_;
  std::vector<char> free_;  ///< owned rows without mass and constraint
  std::vector<char> bare_;  ///< coordinates without mass that constraints determine
  std::string massless_;
  std::vector<double> local_;
};

}  // namespace trammel
