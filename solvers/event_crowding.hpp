#pragma once

#include <vector>

#include "trammel/archive.hpp"

namespace trammel {

/// Sees where events crowd: one follows the other without an ordinary step between, ever sooner.
class EventCrowding {
 public:
  /// A step ended at `time` [s], at an event or not.
  void step(double time, bool event);
  bool crowded() const;
  int events() const { return static_cast<int>(times_.size()); }
  /// The time that they took so far, and the one that they tend to [s].
  double duration() const { return times_.back() - times_.front(); }
  double limit() const;

  void serialize(Archive& archive) { archive(times_); }

 private:
  static constexpr std::size_t row = 41;
  std::vector<double> times_;  ///< of events in a row
};

}  // namespace trammel
