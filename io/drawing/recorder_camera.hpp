#pragma once

#include "trammel/linear_algebra.hpp"

namespace trammel {

/// A camera, in the axes of the world.
struct RecorderCamera {
  Vec3 focus{0, 0, 0};     ///< the point that it looks at [m]
  Vec3 position{0, 0, 1};  ///< [m]
  Vec3 up{0, 1, 0};        ///< unit vector that points up in the picture
  double half_size = 1;    ///< half the height of what a parallel view shows [m]
};

/// The data from which a camera is chosen.
struct CameraSubject {
  Vec3 low{0, 0, 0}, high{0, 0, 0};  ///< the box around all that is drawn [m]
  Vec3 gravity{0, 0, 0};             ///< any length; zero where nothing has weight
  Mat3 motion = Mat3::Zero();        ///< sum of d d^T over displacements d from the start [m^2]
};

/// Height of the picture that a camera is chosen for, as an angle [degrees], and its width by its height.
inline constexpr double view_angle = 30, view_aspect = 1.6;

/// A camera that shows the whole box, its motion and its gravity.
///
/// Gravity points down in the picture. The camera looks along the direction with the least motion and extent; with
/// gravity, along the horizontal direction of this kind. It is turned by 12 degrees to the right and raised by 14,
/// so that solids look solid; with more depth of motion and box it is turned and raised further, up to 35 degrees
/// each.
RecorderCamera camera_for(const CameraSubject& subject);

}  // namespace trammel
