#pragma once

#include "trammel/state.hpp"

namespace trammel {

/// Copies the motion of a state, all but what a method remembers in it.
inline void copy_motion(const State& from, State& to) {
  to.time = from.time;
  to.value = from.value;
  to.rate = from.rate;
  to.acceleration = from.acceleration;
  to.compensation = from.compensation;
}

}  // namespace trammel
