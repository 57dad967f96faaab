#pragma once

#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/linear/timings.hpp"
#include "solvers/newton/convergence.hpp"
#include "solvers/newton/named_blocks.hpp"

namespace trammel {

/// Changes the configuration of one kinematic block by `part` times the increment x.
void move_block(const UnknownBlock& u, const double* x, double part, State& state);

/// Additions to a system with the mass matrix.
struct SystemTerms {
  double damping = 0;           ///< factor of D in the sum M + damping D [s]
  bool keep_compliant = false;  ///< multipliers of compliant constraints, C(q, lambda), keep their values
  bool factorize = true;        ///< false: only to find what has no mass
};

/// Linear systems with the matrix [M B^T; B 0] at one state, with A in the rows of velocity constraints. Consistent
/// starts and projections onto the constraints solve such systems.
///
/// Blocks without mass and constraint keep their rates, algebraic unknowns keep their values. The system does not
/// contain the stabilizing unknowns of a stabilized layout. Matrix, ordering and symbolic factorization are kept
/// until `revise`. Every function is collective.
class ConstrainedMass {
 public:
  ConstrainedMass(Assembler& assembler, const ModelScales& scales, Timings& timings);

  /// Call after a change of the pattern: everything is created again when it is needed next.
  void revise();
  /// Discards the factorization and its order of pivots.
  void drop_factorization() { ksp_.reset(); }

  /// Assembles and factorizes the matrix at `state`; false if this fails, see `why`.
  bool prepare(const State& state, const SystemTerms& terms = {});
  /// The number of matrices prepared so far. A caller that relies on a matrix can notice that it was replaced.
  int preparation() const { return preparation_; }
  /// Solves with the right-hand side `r()`, which is overwritten. Redundant rows and rows without mass count as
  /// zero; so do slipping rows, unless `forces` says that the system is a balance of forces. False if this fails,
  /// see `why`.
  bool solve(bool forces = false);
  /// As `solve`, but the result is that of this rank: false if one of its numbers is not finite. All ranks must
  /// then agree, see `give_up`.
  bool solve_here(bool forces = false);
  /// Discards a solver that failed. To be called on all ranks or on none.
  void give_up() { ksp_.reset(); }
  /// The solution, by local unknown; multipliers in units of `scales().mass`.
  const std::vector<double>& solution() const { return local_; }
  Vec r() const { return r_.get(); }
  std::string why();

  /// `use(unknown block, its numbers)` for all blocks that this rank owns.
  template <class Use>
  void each_owned(Use&& use) const {
    PetscScalar* values = nullptr;
    TRAMMEL_PETSC(VecGetArray(r_.get(), &values));
    for (const UnknownBlock& u : assembler_.layout().unknowns())
      if (u.owned) use(u, values + u.local);
    TRAMMEL_PETSC(VecRestoreArray(r_.get(), &values));
  }

  /// Sets the redundant rows of `r()` to zero; returns the largest of them on this rank.
  double zero_redundant();
  /// Moves the configuration of kinematic blocks by `part` of the solution.
  void move(State& state, double part) const;
  /// Adds the solution to the rates of kinematic blocks.
  void change_velocities(State& state) const;
  /// Adds the solution to the rates, or to the accelerations, of coordinates without mass that constraints determine.
  void change_massless_constrained(std::vector<double> State::*to, State& state) const;
  /// Adds the solution to accelerations and multipliers, and to the rates of first-order states.
  /// `part` times.
  void accelerate(State& state, double part = 1) const;

  /// The names of the unknowns of all ranks with neither mass nor constraint at the last `prepare`; empty if there
  /// are none.
  const std::string& massless() const { return massless_; }
  /// Whether there was a `prepare` since the layout changed, which `massless` and `is_massless` tell of.
  bool knows_massless() const { return knows_massless_; }
  /// Whether component k of a block that this rank owns has no mass.
  bool is_massless(const UnknownBlock& u, int k) const {
    const auto i = static_cast<std::size_t>(u.local + k);
    return massless_unconstrained_[i] != 0 || massless_constrained_[i] != 0;
  }
  Assembler& assembler() const { return assembler_; }
  const ModelScales& scales() const { return scales_; }
  Timings& timings() const { return timings_; }

 private:
  /// Finds rows of the system without mass and constraint; returns the blocks of this rank that have some.
  std::vector<NamedBlock> find_massless(Mat system);
  /// Copies the system, with inertia in those rows.
  void fill_massless(Mat system);
  /// Between the layout's numbering and that of the system.
  void gather(Vec from, Vec to) const;
  void scatter(Vec from, Vec to) const;
  /// Diagonal of M.
  bool find_inertia(const State& state);
  /// Replaces the rows of compliant constraints by "the multiplier keeps its value". Coordinates without mass that no other
  /// constraints determine keep their rates, whatever damps them.
  void keep_compliant();
  TangentWeights weights() const;

  Assembler& assembler_;
  ModelScales scales_;
  Timings& timings_;
  bool has_velocity_constraints_ = false;
  bool has_compliant_ = false;  ///< compliant constraints
  bool outside_ = false;        ///< the state is outside the domain of an element
  bool keeps_compliant_ =
      false;  ///< SystemTerms::keep_compliant of the matrix, where there are such constraints
  bool knows_massless_ = false;
  bool knows_inertia_ = false;  ///< on all ranks alike: one may own no unknowns
  double time_ = 0;
  double damping_ = 0;
  int preparation_ = 0;
  const State* prepared_at_ = nullptr;  ///< lives while the matrix is used
  OwnedMat J_;                          ///< in the layout's numbering
  OwnedMat part_;                       ///< without stabilizing unknowns, where the layout has such
  OwnedMat filled_;                     ///< that with entries for the rows of `free_`, where there are such
  OwnedKSP ksp_;
  OwnedVec r_;             ///< in the layout's numbering
  OwnedVec b_, x_;         ///< in that of the system; b_ where it is another one
  bool in_place_ = false;  ///< x_ has the numbers of `local_`
  OwnedIS mains_;          ///< this rank's unknowns in the system, by global number
  std::vector<int>
      main_of_;  ///< by owned number in the system: the local unknown; empty where they are the same
  std::vector<char> massless_unconstrained_;  ///< owned rows without mass and constraint
  std::vector<char> massless_constrained_;    ///< coordinates without mass that constraints determine
  std::vector<int> zeroed_;                   ///< owned rows, by local unknown, whose right-hand side is zero
  std::vector<double> inertia_;               ///< by local unknown, where compliant constraints asked for it
  std::string massless_;
  std::vector<double> local_;
};

}  // namespace trammel
