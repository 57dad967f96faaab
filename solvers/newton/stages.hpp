#pragma once

#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace trammel {

/// How Newton's method is run; see docs/newtons_method.md for the test of convergence.
struct NewtonOptions {
  /// Relative tolerance of every field: forces, moments, generalized forces, states, constraints.
  double tolerance = 1e-8;
  /// Limit for one attempt at a step, including all repetitions: with the kept tangent and a new one, with full
  /// steps and with a line search.
  int max_iterations = 50;
  /// Keep the factorized tangent over iterations and steps while it converges.
  bool keep_tangent = true;
  /// What a new factorized tangent costs, counted in iterations with a kept one: a kept tangent is renewed
  /// where that is cheaper. Without it: 3, and in dynamics more where a factorization takes many operations.
  std::optional<int> keep_iterations = std::nullopt;
  /// After a failure with full steps: try the step again with parts of increments before it is cut.
  bool backtracking = true;
};

/// What is done about redundant constraints.
enum class Redundancy {
  remove,  ///< redundant equations are removed and checked after each step
  stop     ///< they are an error
};

/// Moves the bodies by mass-weighted smallest displacements until the position constraints are satisfied.
struct AssembleStage {
  double tolerance = 1e-12;  ///< of a constraint, relative to the model's length
  int max_iterations = 50;
};

/// Static equilibrium by load steps, each a Newton solve with velocities and accelerations zero. Functions of
/// time see the clock, which runs from `from` to `until`.
struct StaticStage {
  std::optional<double> from;  ///< sets the clock [s]; else it goes on
  double until = 1;            ///< [s]
  int steps = 1;
  int max_cuts = 12;  ///< times a load step may be halved
  Redundancy redundancy = Redundancy::remove;
  NewtonOptions newton{.max_iterations = 200};
};

/// Motion with steps of one size or by accuracy; a step that fails is halved.
struct DynamicStage {
  enum class Method {
    generalized_alpha,  ///< on the Lie group, second order
    radau,  ///< two-stage Radau IIA, third order; in the stabilized form, whatever `form` and `radius` say
  };
  enum class Form {
    index3,  ///< position constraints alone
    projected,  ///< index 3, then velocities, accelerations and multipliers corrected so that velocity constraints hold
    index2,  ///< stabilized: position and velocity constraints (Gear, Gupta, Leimkuhler)
    index1,  ///< constraints at acceleration level, then a projection
  };
  enum class Start {
    consistent,  ///< least change of velocities; accelerations and multipliers from the equations of motion
    as_given,    ///< velocities, accelerations and multipliers as they stand
  };

  std::optional<double> from;  ///< sets the clock [s]; else it goes on
  double until = 1;            ///< [s]
  double step = 1e-3;          ///< [s]; shortened so that a whole number of steps ends at `until`
  /// Above 0: steps follow from it, in place of `step`. The part of each channel's range that its position may err by over
  /// the stage.
  double accuracy = 0;
  /// Above 0: the error that was asked for, where `accuracy` is smaller because a run by it erred by more.
  double reach = 0;
  /// Not empty: steps end at these times [s], in place of the others; the last one is `until`.
  std::vector<double> ends;
  /// A second run that tells what positions err by: with steps three times as long, or half as long.
  enum class SecondRun { none, coarser, finer };
  SecondRun second_run = SecondRun::none;
  /// The accuracy is also that of multipliers, over their ranges; of coordinates without mass; and of the phase of vibrations.
  bool accuracy_of_reactions = false, accuracy_of_massless = false, accuracy_of_vibrations = false;
  Method method = Method::generalized_alpha;
  double radius = 0.9;  ///< spectral radius at infinite frequency, 0 to 1
  Form form = Form::projected;
  /// Of index 1: positions and velocities are projected onto the constraints after each step; else they drift.
  bool projection = true;
  Start start = Start::consistent;
  int max_cuts = 8;  ///< times a step may be halved
  Redundancy redundancy = Redundancy::remove;
  /// What is done where energy comes from nowhere.
  enum class EnergyPolicy { stop, warn, ignore };
  EnergyPolicy energy = EnergyPolicy::stop;
  NewtonOptions newton;
};

/// One stage of a case; each starts from the end of the one before.
struct Stage {
  std::string name;  ///< for messages; empty: its kind
  std::variant<AssembleStage, StaticStage, DynamicStage> what;
};

/// "assemble", "static" or "dynamic".
inline const char* kind_name(const Stage& stage) {
  static constexpr const char* names[] = {"assemble", "static", "dynamic"};
  return names[stage.what.index()];
}

}  // namespace trammel
