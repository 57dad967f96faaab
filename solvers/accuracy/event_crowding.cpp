#include "solvers/accuracy/event_crowding.hpp"

namespace trammel {

namespace {
// Part of the time of as many events before that the newer ones take, in a row and from one doubling of their number to the next.
constexpr double in_a_row_sooner = 0.5;
constexpr double in_all_sooner = 0.7;
}  // namespace

void EventCrowding::step(double time, bool event) {
  if (!event) {
    times_.clear();
    return;
  }
  if (times_.size() == row) times_.erase(times_.begin());
  times_.push_back(time);
  if (++count_ == fewest << doubled_.size()) doubled_.push_back(time);
}

bool EventCrowding::in_a_row() const {
  if (times_.size() < row) return false;
  const double older = times_[row / 2] - times_.front(), newer = times_.back() - times_[row / 2];
  return newer < in_a_row_sooner * older;
}

// A number of events that grows without bound in a finite time: each doubling takes a smaller part of the time that is left.
bool EventCrowding::in_all() const {
  const std::size_t n = doubled_.size();
  if (n < doublings + 2) return false;
  for (std::size_t i = n - doublings; i < n; ++i)
    if (doubled_[i] - doubled_[i - 1] > in_all_sooner * (doubled_[i - 1] - doubled_[i - 2])) return false;
  return true;
}

int EventCrowding::events() const {
  return in_a_row() ? static_cast<int>(times_.size()) : static_cast<int>(count_ - count_ / 4);
}

double EventCrowding::newer() const {
  return in_a_row() ? times_.back() - times_[row / 2] : doubled_.back() - doubled_[doubled_.size() - 2];
}

double EventCrowding::older() const {
  return in_a_row() ? times_[row / 2] - times_.front()
                    : doubled_[doubled_.size() - 2] - doubled_[doubled_.size() - 3];
}

double EventCrowding::duration() const { return newer() + older(); }

double EventCrowding::limit() const {
  // Times in a geometric series.
  const double last = in_a_row() ? times_.back() : doubled_.back();
  return older() > newer() ? last + newer() * newer() / (older() - newer()) : last;
}

}  // namespace trammel
