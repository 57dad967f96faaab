#pragma once

#include <functional>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// The part of a start that is being computed.
enum class StartPhase { none, positions, velocities };

/// Implemented by an ElementRange whose rows are active only while a start is computed: initial values of coordinates while
/// positions are assembled, initial rates while velocities are made consistent.
class TRAMMEL_API StartConditions {
 public:
  virtual ~StartConditions();

  /// Multipliers of the elements on this rank that belong to the phase.
  virtual std::vector<BlockId> rows(StartPhase phase) const = 0;
  /// Stores the present values of the coordinates in `state`. `offset_of` gives the offsets of a block; null if this rank does not
  /// know the block. Returns the number of moves of moderate size from there to the prescribed values. `length`: of the model [m].
  virtual double begin(const State& state, const std::function<const BlockOffset*(BlockId)>& offset_of,
                       double length) = 0;
  /// Sets the target to the fraction `part` of the way from the stored to the prescribed values.
  virtual void aim(double part) = 0;
};

}  // namespace trammel
