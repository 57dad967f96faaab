#pragma once

namespace trammel {

/// Data of the steps before that a method keeps, in addition to the fields of the state.
struct StepMemory {
  double last_step = 0;         ///< [s]
  bool first = true;            ///< the next step is the first after a start
  bool prepares_start = false;  ///< ... whose start values the form prepares
  bool predicts = false;        ///< State::predictor belongs to the last step
  double step_before = 0;       ///< size of the step before the last one, if it is used for predictions [s]
  bool bends =
      false;  ///< a curve through the steps before would have predicted the last one better than a line

  template <class Archive>
  void serialize(Archive& archive) {
    archive(last_step, first, prepares_start, predicts, step_before, bends);
  }
};

}  // namespace trammel
