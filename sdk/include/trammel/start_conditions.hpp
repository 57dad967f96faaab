#pragma once

#include <functional>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// What of a start is being made.
enum class StartPhase { none, positions, velocities };

/// A range (an ElementRange that is this too) whose rows are active while a start is made and at no other time: initial
/// values of coordinates while positions are assembled, initial rates while velocities are made consistent.
class TRAMMEL_API StartConditions {
 public:
  virtual ~StartConditions();

  /// Multipliers of the instances built here that belong to the phase.
  virtual std::vector<BlockId> rows(StartPhase phase) const = 0;
  /// Remembers where the values stand at `state`, in which `place_of` says where a block lies; null where this rank does not
  /// know it. Gives the number of moves of moderate size that lead from there to what they are to be; `length`: of the model
  /// [m].
  virtual double begin(const State& state, const std::function<const BlockPlace*(BlockId)>& place_of,
                       double length) = 0;
  /// Asks for `part` of the way from there on.
  virtual void aim(double part) = 0;
};

}  // namespace trammel
