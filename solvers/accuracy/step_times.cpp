#include "solvers/accuracy/step_times.hpp"

#include <cstddef>

namespace trammel {

std::vector<double> StepTimes::merged(int count) const {
  std::vector<double> out;
  int taken = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (++taken < count && at_event_[i] == 0 && i + 1 < ends_.size()) continue;
    taken = 0;
    out.push_back(ends_[i]);
  }
  return out;
}

std::vector<double> StepTimes::halved() const {
  std::vector<double> out;
  double begin = begin_;
  for (const double end : ends_) {
    out.insert(out.end(), {0.5 * (begin + end), end});
    begin = end;
  }
  return out;
}

}  // namespace trammel
