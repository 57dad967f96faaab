#pragma once

namespace trammel {

/// What a method remembers of the steps before, besides the fields of the state.
struct StepMemory {
  double last_step = 0;         ///< [s]
  bool first = true;            ///< the next step is the first after a start
  bool prepares_start = false;  ///< ... whose start values the form prepares
  bool predicts = false;        ///< State::predictor belongs to the last step
  double step_before = 0;       ///< of the step before the last one, where that serves for predictions [s]
  bool bends =
      false;  ///< a curve through the steps before would have predicted the last one better than a line

  template <class Archive>
  void serialize(Archive& archive) {
    archive(last_step, first, prepares_start, predicts, step_before, bends);
  }
};

}  // namespace trammel
