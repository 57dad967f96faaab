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
  /// Averages over eight steps, or over so many periods where these are longer.
  explicit VibrationAmplitude(int periods = 0) : periods_(periods) {}

  /// From the averages `before` of the last steps, and the errors of a step of size h [s].
  void find(const VibrationAmplitude& before, const LocalError& error, double h);
  /// In the order of LocalError. Infinite where v''' is not known, as in the first steps.
  void find_amplitudes(std::vector<double>& out) const;

  /// The amplitudes of v' and v'', W^2 A and W^3 A.
  double change_of_rate(std::size_t i) const { return snap_[i] > 0 ? jerk_[i] * jerk_[i] / snap_[i] : 0.0; }
  double change_of_jerk(std::size_t i) const { return jerk_[i]; }
  /// The amplitude of v''', W^4 A.
  double snap(std::size_t i) const { return snap_[i]; }
  /// W [1/s]; 0 where v''' is not known.
  double frequency(std::size_t i) const { return jerk_[i] > 0 ? snap_[i] / jerk_[i] : 0.0; }

  /// Writes (collective) or reads.
  void serialize(Archive& archive, const Layout& layout) {
    archive(steps_);
    for (std::vector<double>* each : {&jerk_, &snap_}) serialize_by_block(archive, layout, *each);
  }

 private:
  int periods_;
  int steps_ = 0;
  std::vector<double> jerk_, snap_;  ///< averages of |v''| and |v'''|
};

}  // namespace trammel
