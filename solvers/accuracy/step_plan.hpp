#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace trammel {

/// The nominal steps of a stage: equal parts of the time from an instant to the end of the stage.
struct StepGrid {
  double from = 0;          ///< [s]: start of the stage, or the instant at which a restart changed its end
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

/// The targets of a nominal step: its end, the halves after failures, the events inside it.
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

  /// Times that differ by less than this fraction of a step count as equal.
  static constexpr double same_time = 1e-9;
  /// Part of the clock's reading that a step must be at least: a thousand of its last digits.
  static constexpr double clock_digits = 1e3 * std::numeric_limits<double>::epsilon();

  /// Plans the next nominal step: of the size that worked last, or twice that.
  void begin(double end, double h, int max_cuts);
  /// Plans a step that no nominal one contains: of size h to `end`.
  void begin_single(double end, double h, int max_cuts);
  /// Discards the remaining targets.
  void drop() { targets_.clear(); }
  double nominal() const { return nominal_; }
  bool done() const { return targets_.empty(); }
  const Target& next() const { return targets_.back(); }
  /// The next target was reached.
  void reached();
  /// Halves the step to the next target; false where it would be too short.
  bool halve();
  /// Shortens the step, which begins at `now`, to an event at `time` [s].
  void cut(double time, double now);
  /// Begins the step again at `now`, after an event at its start. Predicted events inside the step are discarded.
  void begin_again(double now);
  /// Whether too many events shortened this nominal step, or the step after the last accepted state; and their
  /// number.
  bool too_many_events() const;
  int events() const;
  int events_in_a_row() const { return events_in_a_row_; }

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
