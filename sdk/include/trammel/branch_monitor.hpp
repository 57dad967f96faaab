#pragma once

#include "trammel/archive.hpp"
#include "trammel/element_range.hpp"
#include "trammel/error.hpp"

namespace trammel {

/// Keeps a joint on the intended solution of its equations: those of a relative rotation have a second solution half a turn
/// away. A step that ends there is halved. This object is part of the joint's history.
class BranchMonitor {
 public:
  /// `right`: whether the joint is on the intended branch at the start.
  void begin(bool right) { right_ = right; }
  /// `right`: whether it is at the end of the step. Throws Error if the step began on the wrong branch, where halving does not help.
  Review review(bool right, const StepInfo& step) {
    if (right) return Review::keep();
    if (!right_)
      throw Error(
          "the joint starts on the wrong branch: its equations hold, but half a turn away from what they "
          "mean (axes "
          "opposed, or an angle that is off by half a turn); correct the positions or the angle at the "
          "start");
    return Review::cut(0.5 * (step.start + step.end));
  }
  /// A state on the wrong branch is never accepted.
  void commit() { right_ = true; }

  void serialize(Archive& archive) { archive(right_); }

 private:
  bool right_ = true;  ///< at the last accepted state
};

using BranchWatch [[deprecated("now BranchMonitor")]] = BranchMonitor;

/// The history of a joint: the branch of its equations.
struct JointHistory {
  static constexpr int version = 1;
  BranchMonitor branch;

  void serialize(Archive& archive) { archive(branch); }
};

}  // namespace trammel
