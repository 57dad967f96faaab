#pragma once

#include "trammel/state.hpp"

namespace trammel {

/// Copies time, values, rates, accelerations and compensations of a state, but not the data of the time
/// integration.
inline void copy_motion(const State& from, State& to) {
  to.time = from.time;
  to.value = from.value;
  to.rate = from.rate;
  to.acceleration = from.acceleration;
  to.compensation = from.compensation;
}

}  // namespace trammel
