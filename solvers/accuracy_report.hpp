#pragma once

namespace trammel {

/// What became of an accuracy that was asked for.
struct AccuracyReport {
  double asked = 0;      ///< part of the ranges of positions
  double estimated = 0;  ///< sum of the errors that steps added
  long steps = 0, rejected = 0;
  double shortest = 0, longest = 0;  ///< steps between events [s]

  template <class Archive>
  void serialize(Archive& archive) {
    archive(asked, estimated, steps, rejected, shortest, longest);
  }
};

}  // namespace trammel
