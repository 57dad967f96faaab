#pragma once

#include <cstddef>
#include <vector>

#include "kernel/layout.hpp"
#include "solvers/errors/local_error.hpp"
#include "solvers/ranks/rank_bytes.hpp"

namespace trammel {

/// Amplitudes of the vibrations that dominate local errors.
///
/// A vibration of the frequency W and the amplitude A has v'' ~ W^3 A and v''' ~ W^4 A, so that A = |v''|^4 / |v'''|^3. Where there
/// are several, this is about the amplitude of the fastest one that the steps resolve (docs/steps_by_accuracy.md).
class VibrationAmplitude {
 public:
  /// From the averages `before` of the last steps, and the errors of a step of size h [s].
  void find(const VibrationAmplitude& before, const LocalError& error, double h);
  /// In the order of LocalError. Infinite where v''' is not known, as in the first steps.
  const std::vector<double>& amplitudes() const { return amplitudes_; }

  /// The amplitudes of v' and v'', W^2 A and W^3 A.
  double change_of_rate(std::size_t i) const { return snap_[i] > 0 ? jerk_[i] * jerk_[i] / snap_[i] : 0.0; }
  double change_of_jerk(std::size_t i) const { return jerk_[i]; }

  /// Writes (collective) or reads.
  void serialize(Archive& archive, const Layout& layout) {
    archive(steps_);
    for (std::vector<double>* each : {&jerk_, &snap_}) serialize_by_block(archive, layout, *each);
  }

 private:
  int steps_ = 0;
  std::vector<double> jerk_, snap_;  ///< averages of |v''| and |v'''|
  std::vector<double> amplitudes_;
};

}  // namespace trammel
