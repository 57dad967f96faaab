#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reference.hpp"
#include "runs.hpp"

namespace trammel::cases {

/// log2 of the ratio of two differences; none where the second lies below `floor`, where only rounding is left.
std::optional<double> observed_order(double first, double second, double floor);

/// Largest change of the total energy (with what was lost, where asked), as a fraction of the largest kinetic and strain
/// energy.
double drift_of(const History& history, const Conservation& conserved);

/// A value at h, h/2, h/4 of a method of order 2.
struct Extrapolation {
  double value = 0;     ///< Richardson's, from h/2 and h/4
  double estimate = 0;  ///< of its error: its change from the one before, the next term being of order 3
};
Extrapolation extrapolate(const std::array<double, 3>& values);

/// Result of a check; numbers are fractions of the channel's range.
struct Verdict {
  std::string case_name, check, trust;
  double tolerance = 0;          ///< set beforehand: trust, or `within` of a quick check
  double error = 0;              ///< largest error found
  double estimate = 0, cap = 0;  ///< of the extrapolation
  std::string runs;              ///< "n = 4, 8, 16"
  std::vector<std::pair<std::string, std::optional<double>>> orders;  ///< by ladder; none: no error
  std::vector<double> drift;                                          ///< of the energy, at h, h/2, h/4
  double seconds = 0;                                                 ///< wall time of the runs
  std::vector<std::string> faults;                                    ///< why it fails
  bool passed() const { return faults.empty(); }
};

/// Runs the check by the rule, or with `quick` its one run.
Verdict judge(const Check& check, Runs& runs, bool quick, unsigned at_once);

}  // namespace trammel::cases
