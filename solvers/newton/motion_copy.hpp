#pragma once

#include <utility>

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

/// Exchanges what `copy_motion` copies.
inline void swap_motion(State& a, State& b) {
  std::swap(a.time, b.time);
  a.value.swap(b.value);
  a.rate.swap(b.rate);
  a.acceleration.swap(b.acceleration);
  a.compensation.swap(b.compensation);
}

}  // namespace trammel
