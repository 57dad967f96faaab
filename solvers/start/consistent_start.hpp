#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/constraints/constrained_mass.hpp"
#include "solvers/newton/stages.hpp"
#include "solvers/reviews/model_history.hpp"
#include "solvers/start/algebraic_start.hpp"

namespace trammel {

/// Makes a state satisfy the constraints and the equations of motion, with the matrix of ConstrainedMass. Lives as
/// long as a stage. Every function is collective, and throws Error, with the names of the unknowns, if the matrix
/// is singular.
class ConsistentStart {
 public:
  ConsistentStart(ModelHistory& history, const ModelScales& scales, Timings& timings);

  /// See ConstrainedMass.
  void revise() { mass_.revise(); }
  void drop_factorization() { mass_.drop_factorization(); }
  ConstrainedMass& system() { return mass_; }

  /// Moves the configuration by mass-weighted smallest displacements until the position constraints are satisfied.
  /// Returns the largest violation before the first displacement [m or rad]. Throws Error, with the worst joint, if
  /// no such configuration is found.
  double assemble(State& state, const AssembleStage& options);

  /// Removes small violations of the position constraints, as rounding and events leave them, by mass-weighted
  /// smallest displacements.
  void close_gaps(State& state);

  /// Changes velocities by the mass-weighted smallest amount so that B v + C_t = 0 and A v + b = 0. Returns the
  /// kinetic energy that this adds [J].
  double velocities(State& state);

  /// The impulses of the given multipliers in the last change of velocities: magnitudes of forces [N s] and of
  /// moments [N m s].
  std::array<double, 2> impulse(const std::vector<BlockId>& multipliers) const;

  /// Computes the algebraic unknowns from their equations; accelerations and multipliers from the equations of
  /// motion and the constraints at acceleration level; and y' = f of first-order states.
  void accelerations(State& state);
  /// Called with rows whose status a law changes.
  using Switched = std::function<void(std::span<const RowSwitch>)>;
  /// As `velocities`, after unilateral rows have become active: a plastic impact. Rows that would have to pull
  /// become inactive.
  double impact(State& state, const Begin& how, const Switched& switched);
  /// As `accelerations`, with the laws of rows: unilateral rows that would have to pull become inactive, and
  /// friction beyond its cone slips.
  void accelerations(State& state, const Begin& how, const Switched& switched) {
    accelerations(state, how, switched, false);
  }
  /// `impact`, then `accelerations` with the same factorization. In between calls `use` with the kinetic energy
  /// that the impact added [J].
  template <class Use>
  void motion(State& state, const Begin& how, const Switched& switched, Use&& use) {
    use(impact(state, how, switched));
    accelerations(state, how, switched, true);
  }

  /// Start values of the index-3 form for steps of size h [s] that cause no transient in the multipliers, as
  /// consistent values would. As in the later steps, `algorithmic` (by dof offset) approximates v' at a time
  /// `shift` h later, and B v + C_t = h^2 (kappa B v'' + B (w x w') / 12) instead of zero. Only the components
  /// along the constraints change, by the mass-weighted smallest amount (Arnold, Cardona and Bruls 2015, section
  /// 3). Without `kappa` the velocities do not change.
  void start_algorithmic(State& state, std::vector<double>& algorithmic, double h, double shift,
                         std::optional<double> kappa = std::nullopt);
  /// After a first step from these start values, which ended at `end`: adds to `algorithmic` what v' changes in
  /// time along the free directions, as the step found it, and to those of first-order states what y' changes.
  /// `shift` and `state_shift` are the times of both after the start, in steps. An explicit derivative of the
  /// equations of motion would excite stiff vibrations. Returns false if the change is negligible, or if
  /// `start_algorithmic` was not called since the last call. `state` is as before afterwards.
  bool follow_motion(State& state, const State& end, double shift, double state_shift,
                     std::vector<double>& algorithmic);
  /// Adapts the velocities of the index-3 form when the step size changes from `from` to `to` [s]: the
  /// mass-weighted smallest change that multiplies B v + C_t by the square of the ratio. For compliant constraints
  /// C(q, lambda) = 0, B v + C_t also contains minus the rate of their deflection, which must not be multiplied;
  /// there the change is that of h^2 (kappa B v'' + ...) above. If `to` is longer, also calls `set_massless_rates`.
  void change_step(State& state, double from, double to, double kappa);
  /// For models with compliant constraints: computes the rates and accelerations of massless coordinates from those
  /// of all other unknowns. Nothing damps the errors of index-3 steps in these coordinates: a rate that jumps in a
  /// short step of size h leaves an alternating acceleration of size jump/h, which causes large rates when the
  /// steps become longer.
  void set_massless_rates(State& state);

  /// The names of unknowns with neither mass nor constraint in the last call; empty if there are none.
  const std::string& massless() const { return mass_.massless(); }

 private:
  void prepare(const State& state);
  void solve_accelerations(State& state);
  /// `prepared`: the present factorization belongs to the configuration of `state`.
  void accelerations(State& state, const Begin& how, const Switched& switched, bool prepared);
  void solve(bool forces = false);
  /// Unilateral rows with a pulling impulse in the last change of velocities. Collective; the same on every rank.
  std::vector<RowSwitch> pulling() const;
  /// Solves for the mass-weighted smallest change of rates, or of accelerations (by `level`), that satisfies the
  /// constraints.
  void close(const State& state, ConstraintLevel level);
  void residual(const State& state, ConstraintLevel level);
  /// B v' + bias by owned unknown; nothing if an element rejects the state.
  std::optional<std::vector<double>> acceleration_rows(const State& state);
  void solve_for(const std::vector<double>& rows, bool position_only);
  /// By owned unknown: B v'' and B (w x w') / 12.
  struct Derivatives {
    std::vector<double> jerk, turning;
    /// kappa B v'' + B (w x w') / 12
    std::vector<double> spread(double kappa) const;
  };
  /// By a difference over a tenth of h; nothing if they cannot be computed.
  /// Precondition of this and the following functions: `prepare` was called.
  std::optional<Derivatives> differentiate(const State& state, double h);
  /// Finds the active compliant rows of position constraints; false if no rank has any.
  bool find_compliant();
  void solve_massless_rates(State& state);

  ModelHistory& history_;
  Assembler& assembler_;
  ModelScales scales_;
  ConstrainedMass mass_;
  AlgebraicStart algebraic_;
  std::vector<char> compliant_;  ///< by owned unknown
  int start_ = 0;                ///< the matrix of the last `start_algorithmic`; 0 once it was followed
};

}  // namespace trammel
