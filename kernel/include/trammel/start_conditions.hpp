#pragma once

#include <span>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/layout.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// What of a start is being made.
enum class StartPhase { none, positions, velocities };

/// A range (an ElementRange that is this too) whose rows are active while a start is made and at no other time: initial
/// values of coordinates while positions are assembled, initial rates while velocities are made consistent.
class TRAMMEL_API StartConditions {
 public:
  virtual ~StartConditions();

  /// Multipliers of the instances here that belong to the phase.
  virtual std::vector<BlockId> rows(StartPhase phase) const = 0;
  /// Remembers where the values stand at `state`. Gives the number of moves of moderate size that lead from there to
  /// what they are to be; `length`: of the model [m].
  virtual double begin(const Layout& layout, const State& state, double length) = 0;
  /// Asks for `part` of the way from there on.
  virtual void aim(double part) = 0;
};

/// Rows of the whole model that belong to one of the phases, in order and the same on every rank. Collective.
TRAMMEL_API std::vector<ConstraintRow> rows_of_start(const Model& model, std::span<const StartPhase> phases,
                                                     MPI_Comm comm);

}  // namespace trammel
