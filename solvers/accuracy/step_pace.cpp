#include "solvers/accuracy/step_pace.hpp"

namespace trammel {

bool StepPace::creeps(double time, double until) {
  if (++steps_ % looked_at != 0) return false;
  began_ = since_;
  since_ = time;
  to_come_ = (until - time) / (time - began_) * looked_at;
  if (told_ || !(to_come_ > much * static_cast<double>(steps_))) return false;
  told_ = true;
  return true;
}

}  // namespace trammel
