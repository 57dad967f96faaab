#pragma once

#include "trammel/export.hpp"
#include "trammel/layout.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// What of a start is being made.
enum class StartPhase { none, positions, velocities };

/// A range (an ElementRange that is this too) whose equations hold while a start is made and no longer: initial values
/// of coordinates hold while positions are assembled, initial rates while velocities are made consistent. At all other
/// times the rows of their multipliers are lambda = 0.
class TRAMMEL_API StartConditions {
 public:
  virtual ~StartConditions();

  /// Whether an instance here belongs to the phase.
  virtual bool any(StartPhase phase) const = 0;
  /// Lets the equations of a phase hold.
  virtual void hold(StartPhase phase) = 0;
  /// Remembers where the values stand at `state`. Gives the number of moves of moderate size that lead from there to
  /// what they are to be; `length`: of the model [m].
  virtual double begin(const Layout& layout, const State& state, double length) = 0;
  /// Asks for `part` of the way from there on.
  virtual void aim(double part) = 0;
};

}  // namespace trammel
