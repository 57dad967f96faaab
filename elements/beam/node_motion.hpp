#pragma once

#include "helicoid.hpp"

namespace trammel::beam {

/// The motion of the node whose position block has the index `first` and whose rotation block the next one. `x`: a LocalState, or
/// LocalStateLanes with `S` = Lanes.
template <class S = double, class State>
NodeMotionOf<S> node_motion(const State& x, int first) {
  return {x.rotation(first + 1), x.position(first),         x.velocity(first),    x.velocity(first + 1),
          x.acceleration(first), x.acceleration(first + 1), x.compensation(first)};
}

}  // namespace trammel::beam
