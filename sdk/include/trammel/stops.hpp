#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/crossing.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// The values that a quantity may take; infinite where there is no end.
struct Range {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();

  /// How far a value lies beyond the end that is nearer; negative inside.
  double beyond(double value) const { return std::max(value - to, from - value); }
};

/// Force of a one-sided spring with damping (Hunt and Crossley, J. Appl. Mech. 42 (1975) 440) at the depth d and its
/// rate: k d^n (1 + c d'), where d > 0 and as long as it does not pull.
struct StopForce {
  double force = 0, by_depth = 0, by_rate = 0;
  double stored = 0;   ///< k d^(n+1) / (n+1)
  double elastic = 0;  ///< k d^n

  StopForce(double stiffness, double exponent, double damping, double depth, double rate) {
    if (!(depth > 0)) return;
    elastic = stiffness * std::pow(depth, exponent);
    stored = elastic * depth / (exponent + 1);
    const double factor = 1 + damping * rate;
    if (!(factor > 0)) return;
    force = elastic * factor;
    by_depth = exponent * elastic / depth * factor;
    by_rate = elastic * damping;
  }
};

/// Compliant stops at both ends of a quantity's range.
struct TRAMMEL_API Stops {
  Range range;
  double stiffness = 0;  ///< force per depth^exponent
  double exponent = 1;
  double damping = 0;  ///< per rate [s/q]

  /// Force, derivatives and energy of the stops at a value and its rate.
  struct Action {
    double force = 0;                   ///< on the quantity, in its direction
    double stiffness = 0, damping = 0;  ///< -d force by the value and by its rate
    double stored = 0;                  ///< energy [J]
    double dissipated = 0;              ///< power [W]
  };
  Action at(const EndOfStep& motion) const;

  /// Cuts the step where an end is met or left inside it. At an end that is passed close to the step's end the step ends as well.
  Review review(const EndOfStep& before, const EndOfStep& after, const StepInfo& step) const;
};

}  // namespace trammel
