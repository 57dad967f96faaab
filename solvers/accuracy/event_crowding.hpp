#pragma once

#include <vector>

#include "trammel/archive.hpp"

namespace trammel {

/// Detects events that follow each other ever sooner, so that no end of them would come: in a row, without an ordinary step in
/// between, or in a stage as a whole.
class EventCrowding {
 public:
  /// A step ended at `time` [s], at an event or not.
  void step(double time, bool event);
  bool crowded() const { return in_a_row() || in_all(); }
  /// The last events: their number, the time that they took, and the time at which they would end [s].
  int events() const;
  double duration() const;
  double limit() const;

  void serialize(Archive& archive) { archive(times_, count_, doubled_); }

 private:
  /// The times of the newer and of the older half of the last events [s].
  double newer() const;
  double older() const;
  bool in_a_row() const;
  bool in_all() const;

  static constexpr std::size_t row = 41;
  /// Doublings of the number of events which take ever less time, and the number after which they are counted.
  static constexpr std::size_t doublings = 4;
  static constexpr long fewest = 8;
  std::vector<double> times_;    ///< of events in a row
  long count_ = 0;               ///< events in all
  std::vector<double> doubled_;  ///< times of the events number `fewest`, 2 `fewest`, 4 `fewest` ...
};

}  // namespace trammel
