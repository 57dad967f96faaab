#pragma once

namespace trammel {

/// Notices once in a stage that steps have become so short that its end is far away.
class StepPace {
 public:
  /// Of a stage that begins at `time` [s].
  void begin(double time) {
    *this = {};
    since_ = time;
  }
  /// A step to `time` [s] was accepted. Returns whether the stage, which lasts until `until` [s], would now need `much` times as many
  /// steps as it took so far.
  bool creeps(double time, double until);
  /// Then: when the last steps began [s], their number, and how many are still to come at their pace.
  double began() const { return began_; }
  double to_come() const { return to_come_; }
  static constexpr long looked_at = 5000;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(steps_, since_, began_, to_come_, told_);
  }

 private:
  static constexpr double much = 100;
  long steps_ = 0;
  double since_ = 0, began_ = 0, to_come_ = 0;
  bool told_ = false;
};

}  // namespace trammel
