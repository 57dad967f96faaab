#pragma once

#include <array>

namespace trammel {

/// Sizes of steps that keep a rate of error below 1: on a grid of ratio sqrt(2), changed where that pays.
///
/// The rate of a step's error goes with the square of its size. The grid goes with the root of the accuracy, so that another
/// accuracy scales all decisions alike.
class StepSizes {
 public:
  /// `span`: of the stage [s]; `first`: the step to begin with [s].
  void begin(double span, double accuracy, double first);
  /// Begins again where nothing of the steps before goes on, with steps of `size` at most.
  void begin_again(double size);
  /// The next step where `remaining` is left of the stage [s]. The last two are equal parts.
  double next(double remaining) const;
  /// Whether a step of size h may err at this rate; it is to be tried again with another size where not.
  bool accepts(double h, double rate);
  /// The step was accepted.
  void accepted(double h, double rate);
  /// The step ended at an event: those that follow grow from a part of the size so far.
  void cut_short(double h);
  /// A longer step could not be solved.
  void failed(double h);
  double size() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(unit_, level_, grows_, waits_, recent_);
  }

 private:
  int level_of(double size) const;

  double unit_ = 1;                 ///< size of level 0 [s]
  int level_ = 0;                   ///< of the next step; two are a factor of 2
  bool grows_ = true;               ///< after a start: by up to a factor of 2 a step
  int waits_ = 0;                   ///< steps before the next may be longer
  std::array<double, 3> recent_{};  ///< the last rates, as of the present level
};

}  // namespace trammel
