#include "solvers/event_crowding.hpp"

namespace trammel {

void EventCrowding::step(double time, bool event) {
  if (!event) {
    times_.clear();
    return;
  }
  if (times_.size() == row) times_.erase(times_.begin());
  times_.push_back(time);
}

bool EventCrowding::crowded() const {
  if (times_.size() < row) return false;
  const double first = times_[row / 2] - times_.front(), second = times_.back() - times_[row / 2];
  return second < 0.5 * first;
}

double EventCrowding::limit() const {
  // Intervals in a geometric series.
  const double first = times_[row / 2] - times_.front(), second = times_.back() - times_[row / 2];
  return first > second ? times_.back() + second * second / (first - second) : times_.back();
}

}  // namespace trammel
