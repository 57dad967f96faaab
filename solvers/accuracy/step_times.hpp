#pragma once

#include <vector>

namespace trammel {

/// The steps that a run took in a stage.
class StepTimes {
 public:
  /// `begin`: of the first step [s].
  explicit StepTimes(double begin = 0) : begin_(begin) {}

  /// A step ended at `time` [s]; `event`: at one.
  void add(double time, bool event) {
    ends_.push_back(time);
    at_event_.push_back(event ? 1 : 0);
  }

  /// Ends [s] of steps that are `count` of these, one after the other, together. None of them passes an event.
  std::vector<double> merged(int count) const;
  /// Ends [s] of the halves of these.
  std::vector<double> halved() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(begin_, ends_, at_event_);
  }

 private:
  double begin_;
  std::vector<double> ends_;
  std::vector<char> at_event_;
};

}  // namespace trammel
