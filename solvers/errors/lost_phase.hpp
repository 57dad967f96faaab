#pragma once

#include <cstddef>
#include <vector>

#include "kernel/layout.hpp"
#include "solvers/errors/local_error.hpp"
#include "solvers/errors/vibration_amplitude.hpp"
#include "solvers/ranks/rank_bytes.hpp"

namespace trammel {

/// How far free vibrations are displaced because the steps change their frequency.
///
/// Errors of a vibration cancel within its period, and averages of errors leave them out. What they do to the phase adds up. With
/// displacements that lack h^3 kappa v'' and velocities that have h^3 kappa_v v''' too much in each step, a vibration of the frequency W
/// is late by (kappa_v - kappa)/2 h^2 W^2 of the time. This displaces it by (kappa_v - kappa)/2 h^2 W^3 A per unit of time, and by twice
/// its amplitude A at most. (docs/steps_by_accuracy.md)
class LostPhase {
 public:
  /// Finds what vibrates, from the errors of a step of size h [s] and their averages over some steps.
  void look(const VibrationAmplitude& now, const LocalError& error, double h);
  /// Amplitudes, by the order of LocalError.
  const std::vector<double>& amplitudes() const { return trial_amplitudes_; }
  /// [1/s]; 0 where it is not known.
  double frequency(std::size_t i) const { return trial_.frequency(i); }
  /// The displacement per unit of time that this step adds in these numbers; zero in others.
  const std::vector<double>& find_rate(const LocalError& error, double h, const std::vector<char>& numbers);
  /// This step was accepted.
  void accepted(double h);
  /// The largest displacements so far.
  const std::vector<double>& largest() const { return largest_; }

  /// Writes (collective) or reads.
  void serialize(Archive& archive, const Layout& layout) {
    for (std::vector<double>* each : {&amplitudes_, &displaced_, &largest_})
      serialize_by_block(archive, layout, *each);
    vibrations_.serialize(archive, layout);
  }

 private:
  /// The factor by which errors have become smaller when vibrations were taken out of them.
  double taken(const LocalError& error, std::size_t i) const;

  // The frequency is the ratio of two averages that scatter with the phase over less than two periods.
  VibrationAmplitude vibrations_{2}, trial_{2};  ///< of the last accepted step, of the trial
  std::vector<double> jerk_;                     ///< the amplitude of v'' in the trial
  std::vector<double> amplitudes_, trial_amplitudes_;
  std::vector<double> rate_, displaced_, largest_;
};

}  // namespace trammel
