#pragma once

#include <array>

namespace trammel {

/// Chooses step sizes that keep the rate of error below 1, from a grid of ratio sqrt(2). Sizes change only if this
/// pays.
///
/// The rate of error is proportional to the square of the size. The grid is proportional to the square root of the
/// accuracy, so that another accuracy scales all decisions.
class StepSizes {
 public:
  /// `span`: of the stage [s]; `longest`: of all steps [s]; `first`: the step to begin with [s].
  void begin(double span, double accuracy, double longest, double first);
  /// Begins again after a restart, with steps of at most `size` [s].
  void begin_again(double size);
  /// The size of the next step, with the time `remaining` to the end of the stage [s]. The last two steps are
  /// equal.
  double next(double remaining) const;
  /// Whether a step of size h with this rate of error is accepted. If not, it must be repeated with the size
  /// `next`.
  bool accepts(double h, double rate);
  /// `prompt`: the rate tells without delay, and the size follows at once.
  void accepted(double h, double rate, bool prompt = false);
  /// The step ended at an event: the following sizes grow again from a fraction of the present size.
  void cut_short(double h);
  /// A longer step could not be solved.
  void failed(double h);
  double size() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(longest_, unit_, level_, grows_, began_, waits_, recent_);
  }

 private:
  int level_of(double size) const;

  double longest_ = 1;              ///< [s]
  double unit_ = 1;                 ///< size of level 0 [s]
  int level_ = 0;                   ///< of the next step; two are a factor of 2
  bool grows_ = true;               ///< after a start: by up to a factor of 2 a step
  bool began_ = false;              ///< a step was accepted since
  int waits_ = 0;                   ///< steps before the next may be longer
  std::array<double, 3> recent_{};  ///< the last rates, as of the present level
};

}  // namespace trammel
