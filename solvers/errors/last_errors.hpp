#pragma once

#include <vector>

#include "kernel/layout.hpp"
#include "solvers/errors/local_error.hpp"
#include "solvers/ranks/rank_bytes.hpp"

namespace trammel {

/// Reduces averages of errors of velocities by what has been seen to cancel. `magnitude`: the averages of their magnitudes.
void reduce_cancelled(LocalError& mean, const std::vector<double>& magnitude);

/// Averages of local errors per unit of time over some two steps: each error has half the weight of the one after it.
class LastErrors {
 public:
  /// The weight of the last error.
  static constexpr double of_last = 0.5;

  /// Takes in the errors of a trial of size h [s]. The averages are for steps of that size.
  void look(const LocalError& error, double h);
  /// Gives the averages without what has been seen to cancel of velocities.
  void count(LocalError& out) const;
  /// The trial was accepted.
  void accepted(double h);
  void forget() { *this = {}; }

  /// Writes (collective) or reads.
  void serialize(Archive& archive, const Layout& layout) {
    archive(step_);
    for (std::vector<double>* each : {&mean_.displacement, &mean_.velocity, &magnitude_})
      serialize_by_block(archive, layout, *each);
  }

 private:
  LocalError mean_, trial_;
  std::vector<double> magnitude_, trial_magnitude_;  ///< of errors of velocities
  double step_ = 0;                                  ///< the last size [s]; 0: there is none
};

}  // namespace trammel
