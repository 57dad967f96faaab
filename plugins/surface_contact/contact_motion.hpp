#pragma once

#include <string_view>

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

/// Writes how the point moves along the shape that is fixed to `marker`: `path_velocity_`, `path_acceleration_` and the tangential and
/// centripetal parts of this, each with `which` ("1", "2") behind it, in the axes of the shape; and again with `_world` behind that.
/// The blocks of `marker` begin at index `first` of the stencil.
void report_path(const LocalState& x, const Marker& marker, int first, const PathMotion& path,
                 std::string_view which, OutputSink& sink);

}  // namespace trammel::surface_contact
