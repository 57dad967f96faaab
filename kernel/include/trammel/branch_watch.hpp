#pragma once

#include "trammel/element.hpp"
#include "trammel/error.hpp"

namespace trammel {

/// Keeps a joint on the branch of its equations on which it is meant to stand: those of a relative rotation have a
/// second solution half a turn away. A step that ends there is cut in half.
class BranchWatch {
 public:
  /// Throws Error where cutting does not help: then the step began on the wrong branch.
  Review review(bool right, const StepInfo& step) {
    if (right) return Review::keep();
    if (++cuts_ > most_cuts)
      throw Error(
          "the joint starts on the wrong branch: its equations hold, but half a turn away from what they "
          "mean (axes "
          "opposed, or an angle that is off by half a turn); correct the positions or the angle at the "
          "start");
    return Review::cut(0.5 * (step.start + step.end));
  }
  void commit() { cuts_ = 0; }

 private:
  static constexpr int most_cuts = 12;  // a step that crosses needs one or two
  int cuts_ = 0;
};

}  // namespace trammel
