#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/alpha_coefficients.hpp"
#include "solvers/consistent_start.hpp"
#include "solvers/step_equations.hpp"

namespace trammel {

/// What is left of the constraints at the end of a step, over all ranks.
struct Violations {
  double position = 0;   ///< [m or rad]
  double rate = 0;       ///< of the rates that the form makes equations [m/s or rad/s]
  double redundant = 0;  ///< of the redundant equations
};

/// How constraints enter the steps of a dynamic stage: which equations stand in their rows, which unknowns come with them,
/// and what a start, a change of step and the end of a step need. Every function is collective.
class ConstraintForm {
 public:
  /// `start`, which serves the same layout, must outlive it.
  static std::unique_ptr<ConstraintForm> make(const DynamicStage& stage, Assembler& assembler,
                                              ConsistentStart& start);
  virtual ~ConstraintForm() = default;

  /// The equations in the rows of position constraints.
  virtual ConstraintLevel level() const { return ConstraintLevel::position; }
  /// Whether the layout numbers stabilizing unknowns, see UnknownBlock.
  virtual bool stabilizing() const { return false; }
  /// Whether a restart makes all velocities satisfy the constraints, not only those that an impulse changes.
  virtual bool holds_velocities() const { return true; }

  /// Prepares the start of a motion for steps of size h: what the first step needs besides a consistent state.
  virtual void start_algorithmic(State& /*base*/, std::vector<double>& /*algorithmic*/, double /*h*/,
                                 const AlphaCoefficients&) {}
  /// After a first step that converged: better algorithmic accelerations of its base, with which it is to be repeated. False
  /// where they are good.
  virtual bool improve_start(const State& /*base*/, const State& /*end*/,
                             std::vector<double>& /*algorithmic*/, const AlphaCoefficients&) {
    return false;
  }
  /// What a base needs where steps of size `from` are followed by steps of size `to`.
  virtual void change_step(State& /*base*/, double /*from*/, double /*to*/, const AlphaCoefficients&) {}
  /// The same where `to` is so much longer that nothing of the steps before is kept.
  virtual void begin_anew(State& /*base*/) {}
  /// Before the equations of a step from `base` are solved.
  virtual void begin(const State& /*base*/) {}

  /// What the end of a step of size h will probably add to accelerations, rates of states and multipliers, by local unknown; empty
  /// where it adds nothing or nothing is known. Lives until the next call.
  virtual const std::vector<double>& expected_change(double /*h*/, const AlphaCoefficients&) {
    static const std::vector<double> none;
    return none;
  }

  /// Forgets matrices and corrections that are kept over steps.
  virtual void drop_tangent() {}
  /// Takes the converged solution of a step; false where the constraints cannot be satisfied at its end, see `why`.
  virtual bool close(const State& /*solution*/, double /*h*/, const AlphaCoefficients&) { return true; }
  /// The end of the step with that solution.
  virtual const State& end(const State& solution) const { return solution; }
  /// Brings the algorithmic accelerations of that solution to the end of the step.
  virtual void correct(std::vector<double>& /*algorithmic*/) const {}
  /// The step is accepted.
  virtual void accept() {}
  virtual std::string why() const { return {}; }
  /// Why the accepted steps are not to be trusted; empty where nothing is known against them.
  virtual std::string warning() const { return {}; }
  virtual Violations violations(const StepEquations& equations) const;
  /// How much more errors of the solutions of many steps change accelerations than that of one does.
  virtual double error_growth(const AlphaCoefficients&) const { return 1; }
  /// Largest rate of the constraints where a stage ends, if steps leave it open [m/s or rad/s].
  virtual double rate_at_end(const State& /*state*/) { return 0; }
};

}  // namespace trammel
