#pragma once

#include "common_normal.hpp"

namespace trammel::surface_contact {

/// For surfaces in contact whose gap has no curvature in one direction: whether they touch along a line. If they do not, the
/// curvature vanishes at the contact point alone, and the gap grows with the fourth power of the distance (a ball that fits the
/// vertex of a parabola). Because the line may be curved, the least gap near this direction is examined, at a distance of 1/50
/// of the least radius of curvature.
bool gap_stays_closed(const SurfacePair& pair, const SurfaceParameters& one, const SurfaceParameters& two);

}  // namespace trammel::surface_contact
