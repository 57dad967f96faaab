#pragma once

#include <vector>

#include "trammel/archive.hpp"

namespace trammel {

/// Detects events that follow each other ever sooner, without an ordinary step in between.
class EventCrowding {
 public:
  /// A step ended at `time` [s], at an event or not.
  void step(double time, bool event);
  bool crowded() const;
  int events() const { return static_cast<int>(times_.size()); }
  /// The duration of these events so far, and the duration to which it tends [s].
  double duration() const { return times_.back() - times_.front(); }
  double limit() const;

  void serialize(Archive& archive) { archive(times_); }

 private:
  static constexpr std::size_t row = 41;
  std::vector<double> times_;  ///< of events in a row
};

}  // namespace trammel
