#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/errors/alpha_coefficients.hpp"
#include "solvers/newton/step_equations.hpp"
#include "solvers/ranks/rank_totals.hpp"
#include "solvers/start/consistent_start.hpp"

namespace trammel {

class Newton;

/// Largest violations of the constraints at the end of a step.
struct Violations {
  double position = 0;   ///< [m or rad]
  double rate = 0;       ///< of the rates that the form makes equations [m/s or rad/s]
  double redundant = 0;  ///< of the redundant equations
};

/// How constraints enter the steps of a dynamic stage: the equations in their rows, additional unknowns, and the
/// computations at a start, at a change of step and at the end of a step. Every function is collective.
class ConstraintForm {
 public:
  /// `start`, which serves the same layout, must outlive it.
  static std::unique_ptr<ConstraintForm> make(const DynamicStage& stage, Assembler& assembler,
                                              ConsistentStart& start);
  virtual ~ConstraintForm() = default;

  /// The solver of the steps, which must outlive the form.
  virtual void solved_by(Newton& /*newton*/) {}
  /// The equations in the rows of position constraints.
  virtual ConstraintLevel level() const { return ConstraintLevel::position; }
  /// Whether the layout numbers stabilizing unknowns, see UnknownBlock.
  virtual bool stabilizing() const { return false; }
  /// Whether a restart makes all velocities satisfy the constraints, not only those that an impulse changes.
  virtual bool holds_velocities() const { return true; }

  /// Prepares the first step, of size h [s]: changes what it needs in addition to a consistent state.
  virtual void start_algorithmic(State& /*base*/, std::vector<double>& /*algorithmic*/, double /*h*/,
                                 const AlphaCoefficients&) {}
  /// After a converged first step: improves the algorithmic accelerations at its start. Returns true if the step
  /// must be repeated with them, false if they are accurate. `base` is as before afterwards.
  virtual bool improve_start(State& /*base*/, const State& /*end*/, std::vector<double>& /*algorithmic*/,
                             const AlphaCoefficients&) {
    return false;
  }
  /// Adapts the start of a step to a change of the step size from `from` to `to` [s].
  virtual void change_step(State& /*base*/, double /*from*/, double /*to*/, const AlphaCoefficients&) {}
  /// The same if `to` is so much longer that the data of the steps before are discarded.
  virtual void begin_anew(State& /*base*/) {}
  /// Before the equations of a step from `base` are solved.
  virtual void begin(const State& /*base*/, double /*h*/, const AlphaCoefficients&) {}

  /// A prediction of what the correction at the end of a step adds to accelerations, rates of states and multipliers.
  struct ExpectedChange {
    /// By local unknown, until the next call; null if nothing is added or known. To be multiplied by one of these:
    const double* numbers = nullptr;
    double of_rates = 0, of_multipliers = 0;
  };
  /// At the end of a step of size h.
  virtual ExpectedChange expected_change(double /*h*/, const AlphaCoefficients&) { return {}; }

  /// Discards matrices and corrections that are kept over steps.
  virtual void drop_tangent() {}
  /// Adds the numbers of the converged solution to `totals` that `close` needs of all ranks. Collective.
  virtual void measure(const State& /*solution*/, RankTotals& /*totals*/) {}
  /// Makes the end of the step from its converged solution, in place; false if the constraints cannot be satisfied there,
  /// see `why`. `measured`: the ranks have agreed on the totals of `measure` for this solution.
  virtual bool close(State& /*solution*/, double /*h*/, const AlphaCoefficients&, bool /*measured*/) {
    return true;
  }
  /// Corrects the algorithmic accelerations of the solution in the same way.
  virtual void correct(std::vector<double>& /*algorithmic*/) const {}
  /// The step is accepted. What it tells of the next one is known when the ranks have agreed on `totals`.
  virtual void accept(RankTotals& /*totals*/) {}
  /// Whether the next `close` will remove what a solution leaves of the balance of forces, so that only displacements must be found.
  virtual bool completes_balance() const { return false; }
  /// Largest violation of the position constraints that `close` has found, over all ranks [m]; 0: it looks at none.
  virtual double gap() const { return 0; }
  virtual std::string why() const { return {}; }
  /// A warning about the accepted steps; empty if there is none.
  virtual std::string warning() const { return {}; }
  /// On this rank.
  virtual Violations violations(const StepEquations& equations) const;
  /// The error of accelerations from errors of the solutions of many steps, divided by that from the error of one
  /// step.
  virtual double error_growth(const AlphaCoefficients&) const { return 1; }
  /// The error of multipliers that a step causes besides that of the motion, over h^2 lambda''.
  virtual double reaction_error(const AlphaCoefficients& c) const { return c.reaction_error_by_velocities(); }
  /// Largest |B v + C_t| at the end of a stage, for forms that do not impose it [m/s or rad/s].
  virtual double rate_at_end(const State& /*state*/) { return 0; }

 protected:
  /// `improve_start` for forms whose first step finds accurate accelerations in all directions: a_0 = v'_0 +
  /// (alpha_m - alpha_f) (v'_1 - v'_0), and the same for the rates of states.
  static bool follow_accelerations(Assembler& assembler, const State& base, const State& end,
                                   std::vector<double>& algorithmic, const AlphaCoefficients& c);
};

}  // namespace trammel
