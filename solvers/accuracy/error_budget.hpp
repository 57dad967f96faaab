#pragma once

namespace trammel {

/// How the accuracy of a stage, which is the sum of the errors of its steps, is divided among the steps.
///
/// Let d be the local error per unit of time over the square of the step size. Equal rates lead to sizes h ~ d^(-1/2), equal
/// steps to rates ~ d.
/// Between them, rates ~ d^(1/2) are used: these need the fewest steps if it is not known whether the errors of different parts
/// of a motion add up or cancel (docs/steps_by_accuracy.md).
class ErrorBudget {
 public:
  /// Of a stage that begins at `time` [s] and takes `span` [s].
  void begin(double time, double span);
  /// The rate of error allowed to a step of size h [s] to `time` [s], over the mean rate. `part`: of the accuracy that the
  /// step uses; `to_come`: what errors already made will still use of it.
  double share(double part, double h, double time, double to_come) const;
  /// The step was accepted.
  void spend(double part, double h);
  /// Besides, this part of the accuracy is used.
  void charge(double part) { spent_ += part; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(begin_, span_, passed_, spent_);
  }

 private:
  double begin_ = 0, span_ = 1;  ///< [s]
  double passed_ = 0;            ///< integral of the root of d, with the stage's duration as the unit of time
  double spent_ = 0;             ///< of the accuracy, by the accepted steps
};

}  // namespace trammel
