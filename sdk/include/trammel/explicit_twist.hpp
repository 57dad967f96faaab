#pragma once

#include <Eigen/Core>

#include "trammel/export.hpp"
#include "trammel/marker.hpp"

namespace trammel {

/// The part of a marker's twist (see MarkerMotion) that its explicit functions of time cause: twist - J v. Exactly
/// zero for a marker that depends only on its blocks. `motion` is what `evaluate` gave at x with
/// MotionLevel::velocity at least; the marker's blocks stand from
/// index `first` on.
TRAMMEL_API Vec6 explicit_twist(const Marker& marker, const LocalState& x, int first,
                                const MarkerMotion& motion);

/// twist - J v for any number of numbers, where what is left by rounding counts as zero: `size` is that of the terms that were
/// summed.
TRAMMEL_API Eigen::VectorXd without_rounding(const Eigen::VectorXd& difference, double size);

}  // namespace trammel
