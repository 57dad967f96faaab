#pragma once

#include <span>

#include "trammel/linear_algebra.hpp"

namespace trammel {

/// A rotation block of a State.
struct RotationAt {
  int unknown;  ///< index of its increment
  int value;    ///< offset of its numbers in State::value
};

/// R = R_base exp(theta~) for each of the `rotations`, matrix and quaternion; `theta` by RotationAt::unknown [rad], `base` and `value` as
/// State::value. Several at a time in the lanes of wide registers where no increment exceeds 0.28 rad; results do not depend on
/// which stand together.
void turn_rotations(std::span<const RotationAt> rotations, std::span<const Vec3> theta, const double* base,
                    double* value);

}  // namespace trammel
