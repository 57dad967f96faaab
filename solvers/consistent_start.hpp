#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/algebraic_start.hpp"
#include "solvers/constrained_mass.hpp"
#include "solvers/model_history.hpp"
#include "solvers/stages.hpp"

namespace trammel {

/// Makes a state satisfy the constraints and the equations of motion, by systems of ConstrainedMass. Lives as long as a
/// stage. Every function is collective, and throws Error, naming the unknowns, where the matrix is singular.
class ConsistentStart {
 public:
  ConsistentStart(ModelHistory& history, const ModelScales& scales, Timings& timings);

  /// See ConstrainedMass.
  void revise() { mass_.revise(); }
  void drop_factorization() { mass_.drop_factorization(); }
  ConstrainedMass& system() { return mass_; }

  /// Moves the configuration, by mass-weighted least displacements, until position constraints hold. Returns
  /// the largest violation found at first. Throws Error that names the worst joint where that fails.
  double assemble(State& state, const AssembleStage& options);

  /// Closes what is left open of the constraints that are solved, by the mass-weighted least displacements: gaps that are small
  /// as rounding and events leave them.
  void close_gaps(State& state);

  /// Changes velocities by the mass-weighted least amount so that B v + C_t = 0 and A v + b = 0. Returns the
  /// kinetic energy that this adds [J].
  double velocities(State& state);

  /// Of the last change of velocities: the impulse of some multipliers, of forces [N s] and of moments [N m s].
  std::array<double, 2> impulse(const std::vector<BlockId>& multipliers) const;

  /// Algebraic unknowns by their equations; accelerations and multipliers that satisfy the equations of motion and the
  /// constraints at acceleration level; and y' = f of first-order states.
  void accelerations(State& state);
  /// Called with rows that change their status for the sake of a law.
  using Switched = std::function<void(std::span<const RowSwitch>)>;
  /// `velocities` after unilateral rows became active: a plastic impact, in which rows that would pull open.
  double impact(State& state, const Begin& how, const Switched& switched);
  /// `accelerations` under the laws of rows: what would pull opens, and friction beyond its cone slips.
  void accelerations(State& state, const Begin& how, const Switched& switched) {
    accelerations(state, how, switched, false);
  }
  /// `impact`, then `accelerations` with the same factorization. Between them `use(kinetic energy added)` is called.
  template <class Use>
  void motion(State& state, const Begin& how, const Switched& switched, Use&& use) {
    use(impact(state, how, switched));
    accelerations(state, how, switched, true);
  }

  /// Start values of the index-3 form for steps of size h, without the transient that consistent ones cause
  /// in its multipliers: as in the steps that follow, `algorithmic` (by dof offset) belongs to a time `shift` h
  /// later, and B v + C_t is h^2 (kappa B v'' + B (w x w') / 12). Only the parts along B change, by the
  /// mass-weighted least amount (Arnold, Cardona and Bruls 2015, section 3).
  /// Without `kappa` velocities stay as they are.
  void start_algorithmic(State& state, std::vector<double>& algorithmic, double h, double shift,
                         std::optional<double> kappa = std::nullopt);
  /// What velocities of the index-3 form need where steps of size `from` are followed by steps of size `to`: the mass-weighted
  /// least change that multiplies B v + C_t by the square of their ratio. For compliant constraints with their
  /// multipliers, C(q, lambda), that is another quantity, minus the rate of the compliance, which stays as it is: there
  /// the change is that of the B v + C_t above. Before longer steps `set_massless_rates`.
  void change_step(State& state, double from, double to, double kappa);
  /// Where constraints are compliant: rates and accelerations of coordinates without mass, from those of all else. Nothing holds
  /// what index-3 steps have left in them: a rate that jumped in a short step is an acceleration that goes to and fro,
  /// and grows into rates of longer ones.
  void set_massless_rates(State& state);

  /// Unknowns that have neither mass nor constraint, named; empty where there are none. Of the last call.
  const std::string& massless() const { return mass_.massless(); }

 private:
  void prepare(const State& state);
  void solve_accelerations(State& state);
  /// `prepared`: the factorization belongs to the state's configuration.
  void accelerations(State& state, const Begin& how, const Switched& switched, bool prepared);
  void solve(bool forces = false);
  /// Unilateral rows whose impulse pulled in the last change of velocities. Collective; the same on every rank.
  std::vector<RowSwitch> pulling() const;
  /// Finds the mass-weighted least change of rates, or of accelerations, that satisfies the constraints.
  void close(const State& state, ConstraintLevel level);
  void residual(const State& state, ConstraintLevel level);
  /// B v' + bias by owned unknown; nothing outside the domain of an element.
  std::optional<std::vector<double>> acceleration_rows(const State& state);
  void solve_for(const std::vector<double>& rows, bool position_only);
  /// Finds B v'' and B (w x w') / 12 of steps of about h; false where they cannot be found. After `prepare`, as what follows.
  bool differentiate(const State& state, double h);
  /// kappa B v'' + B (w x w') / 12
  std::vector<double> spread(double kappa) const;
  /// Finds the active rows of position constraints that depend on multipliers; false where there are none on any rank.
  bool find_compliant();
  void solve_massless_rates(State& state);

  ModelHistory& history_;
  Assembler& assembler_;
  ModelScales scales_;
  ConstrainedMass mass_;
  AlgebraicStart algebraic_;
  std::vector<double> jerk_, turning_;  ///< by owned unknown
  std::vector<char> compliant_;         ///< by owned unknown
};

}  // namespace trammel
