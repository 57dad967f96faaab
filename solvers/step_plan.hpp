#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace trammel {

/// Where the nominal steps of a stage lie: equal parts of the time from an instant to the stage's end.
struct StepGrid {
  double from = 0;          ///< [s]: where the stage begins, or where a restart gave it another end
  std::int64_t before = 0;  ///< nominal steps until then
  std::int64_t steps = 1;   ///< in all

  /// The end [s] of nominal step `number`, counted from 1, of a stage that ends at `until`.
  double end_of(std::int64_t number, double until) const {
    if (number == steps) return until;
    return from + (until - from) * static_cast<double>(number - before) / static_cast<double>(steps - before);
  }
  double size(double until) const { return (until - from) / static_cast<double>(steps - before); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(from, before, steps);
  }
};

/// The times that a nominal step reaches one after the other: its end, the halves after failures, the events in it.
class StepPlan {
 public:
  /// A time to be reached, by one step of size h from the time before.
  struct Target {
    double time = 0;
    double h = 0;
    bool event = false;  ///< a review asked for it

    template <class Archive>
    void serialize(Archive& archive) {
      archive(time, h, event);
    }
  };

  /// Times closer than this part of a step are the same.
  static constexpr double same_time = 1e-9;
  /// Part of the clock's reading that a step must be at least: a thousand of its last digits.
  static constexpr double clock_digits = 1e3 * std::numeric_limits<double>::epsilon();

  /// Plans the next nominal step: of the size that worked last, or twice that.
  void begin(double end, double h, int max_cuts);
  /// Plans a step that no nominal one contains: of size h to `end`.
  void begin_single(double end, double h, int max_cuts);
  /// What is left of the present plan is not gone.
  void drop() { targets_.clear(); }
  double nominal() const { return nominal_; }
  bool done() const { return targets_.empty(); }
  const Target& next() const { return targets_.back(); }
  /// The next target was reached.
  void reached();
  /// Halves the step to the next target; false where it would be too short.
  bool halve();
  /// Cuts it at an event that lies at `time`; the step begins at `now`.
  void cut(double time, double now);
  /// Begins the step anew at `now`, after an event at its begin: what was foreseen inside it is forgotten.
  void begin_again(double now);
  /// Whether too many events cut this nominal step, or lie before the next accepted state; and how many.
  bool too_many_events() const;
  int events() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(targets_, nominal_, smallest_, last_, events_, events_in_a_row_);
  }

 private:
  std::vector<Target> targets_;  ///< the next one last
  double nominal_ = 0;           ///< size of the nominal step [s]
  double smallest_ = 0;          ///< of a half [s]
  double last_ = 0;              ///< size of the last step that was tried [s]
  int events_ = 0;               ///< in this nominal step
  int events_in_a_row_ = 0;      ///< since the last accepted state
};

}  // namespace trammel
