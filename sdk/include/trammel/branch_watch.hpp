#pragma once

#include "trammel/archive.hpp"
#include "trammel/element.hpp"
#include "trammel/error.hpp"

namespace trammel {

/// Keeps a joint on the branch of its equations on which it is meant to stand: those of a relative rotation have a
/// second solution half a turn away. A step that ends there is cut in half. Part of its joint's history.
class BranchWatch {
 public:
  /// Takes whether the joint stands on the right branch where it begins to be integrated.
  void begin(bool right) { right_ = right; }
  /// Throws Error where the step began on the wrong branch: cutting does not help then.
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

/// What a joint remembers: on which branch of its equations it stands.
struct JointHistory {
  static constexpr int version = 1;
  BranchWatch branch;

  void serialize(Archive& archive) { archive(branch); }
};

}  // namespace trammel
