#pragma once

#include "common_normal.hpp"

namespace trammel::surface_contact {

/// Of surfaces in contact whose gap has no curvature in one direction: whether they touch along a line there. Otherwise the
/// curvature vanishes at this point alone, as where a ball fits the vertex of a parabola: the gap grows with the fourth power of
/// the distance. The line may be curved: the least gap beside the direction is taken, at 1/50 of the least radius of curvature.
bool gap_stays_closed(const SurfacePair& pair, const SurfaceParameters& one, const SurfaceParameters& two);

}  // namespace trammel::surface_contact
