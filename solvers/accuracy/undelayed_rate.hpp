#pragma once

namespace trammel {

/// The rate of error that the next step size follows.
///
/// Averages of errors over a part of the motion's period tell what errors add up to, but late. Sizes that follow them are as late, so
/// that errors which would cancel over a period do not: those of a crank grow with the delay. The last errors tell when steps may be
/// longer or shorter, but contain vibrations, which averages leave out. The rate is therefore the last one, times the ratio of both as
/// it was over the time in which the motion covers its range; where this ratio does not tell (vibrations prevail, impacts, a beginning),
/// it is the averaged one. (docs/steps_by_accuracy.md)
class UndelayedRate {
 public:
  /// For a trial of size h [s]. `averaged`, `last`: rates of error by averages and by the last errors; `time`: in which the motion
  /// covers its range [s].
  double of(double averaged, double last, double h, double time);
  /// Whether the rate of the trial is above all the last one: sizes may follow it at once.
  bool prompt() const { return trust_ > 0.5; }
  /// The trial was accepted.
  void accepted() { now_ = trial_; }
  void forget() { *this = {}; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(now_.begun, now_.averaged, now_.last, now_.scatter, now_.known);
  }

 private:
  /// Means over the time in which the motion covers its range, of rates over the square of the size.
  struct Means {
    bool begun = false;
    double averaged = 0, last = 0;  ///< of logarithms
    double scatter =
        0;             ///< of the squares of what the logarithms of the last rates differ by from their mean
    double known = 0;  ///< their weight, up to 1
  };

  Means now_, trial_;
  double trust_ = 0;  ///< weight of the last rate, up to 1
};

}  // namespace trammel
