#pragma once

#include "trammel/curve.hpp"
#include "trammel/element.hpp"
#include "trammel/marker.hpp"
#include "trammel/surface.hpp"

namespace trammel::surface_contact {

/// Position, velocity and acceleration of a point that moves along a shape, in the axes of the shape [m, m/s, m/s^2].
struct PathMotion {
  Vec3 point, velocity, tangential_acceleration, centripetal_acceleration;

  Vec3 acceleration() const { return tangential_acceleration + centripetal_acceleration; }
};
PathMotion path_motion(const Surface& surface, const SurfaceParameters& at, const Eigen::Vector2d& rates,
                       const Eigen::Vector2d& second_rates);
PathMotion path_motion(const Curve& curve, double eta, double rate, double second_rate);

/// Writes the outputs `contact_point`, `contact_velocity` and `contact_acceleration`, in the world, of a point that moves along
/// a shape. The shape is fixed to marker A, whose blocks are the first of the stencil.
void report_contact_motion(const LocalState& x, const Marker& A, const PathMotion& path, OutputSink& sink);

}  // namespace trammel::surface_contact
