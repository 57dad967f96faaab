#pragma once

#include <array>

#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// Slip, or force, of a group of friction rows: numbers beyond its rows are zero.
using FrictionVector = Vec3;

/// Where the slip of a group pointed at the last accepted state. Forces within a step are those of a slip on this side: where
/// it comes to rest and turns round, the force does not jump, and the step is cut there.
struct TRAMMEL_API SlipDirection {
  FrictionVector direction = FrictionVector::Zero();  ///< of D s, a unit vector; D: sliding coefficients
  double near =
      0;  ///< what |D s| along the direction must exceed for the force to be that of the slip itself

  /// From the slip at an accepted state, and where that is not above `rest`, from the multipliers: lambda = D^2 s/|D s| N.
  SlipDirection(const std::array<double, 3>& sliding, int rows, const FrictionVector& slip,
                const FrictionVector& multipliers, double rest);
  SlipDirection() = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(direction, near);
  }
};

using SlipCourse [[deprecated("now SlipDirection")]] = SlipDirection;

/// Force of sliding of one to three rows, lambda = D^2 s/|D s| N, with its derivatives.
///
/// With u = D s and e the direction of slip, the part a = u . e counts as it is above `near`, and below as
/// near / (2 - a/near): positive, with a continuous derivative. So one row has lambda = D e N on either side of s = 0, and
/// more rows have a force and finite derivatives also at s = 0.
struct TRAMMEL_API FrictionForce {
  FrictionVector force;
  Mat3 by_slip;
  FrictionVector by_normal;

  FrictionForce(const std::array<double, 3>& sliding, int rows, const FrictionVector& slip, double normal,
                const SlipDirection& course);
};

/// |D^-1 lambda| - N: positive where the multipliers are more than friction holds.
TRAMMEL_API double cone_excess(const std::array<double, 3>& at_rest, int rows,
                               const FrictionVector& multipliers, double normal);

}  // namespace trammel
