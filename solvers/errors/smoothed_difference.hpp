#pragma once

#include <span>
#include <vector>

namespace trammel {

/// Weights of the values at `times`, the newest first, in an estimate of their first or second derivative (`order`).
///
/// The divided difference of averages: each value is first replaced by (value + weight * the value before)/(1 + weight), twice
/// where there are enough values, which removes oscillations with the factor -weight from step to step. A value that follows a newer
/// one after less than a tenth of the gap before is not used: its weight is 0. All weights are 0 if fewer than order + 1 values remain.
std::vector<double> smoothed_difference(std::span<const double> times, int order, double weight);

/// Weights of values in the difference of the newest from what those before it would have let expect.
struct Surprise {
  /// From the line through the last two before it. All are 0 if fewer than two remain.
  std::vector<double> of_line;
  /// From the parabola through the last three; as of the line if only two remain.
  std::vector<double> of_curve;
};
/// Of values at `times`, the newest first. Five values are averaged once before, as above; a jump of the newest counts in full
/// nonetheless.
Surprise surprise(std::span<const double> times, double weight);

}  // namespace trammel
