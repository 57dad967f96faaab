#pragma once

namespace trammel {

/// The requested accuracy of a stage, and what was reached.
struct AccuracyReport {
  double asked = 0;      ///< as a fraction of the ranges of positions
  double estimated = 0;  ///< sum of the local errors, as a fraction of the ranges
  long steps = 0, rejected = 0;
  double shortest = 0, longest = 0;  ///< steps between events [s]

  template <class Archive>
  void serialize(Archive& archive) {
    archive(asked, estimated, steps, rejected, shortest, longest);
  }
};

}  // namespace trammel
