#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel {

/// A camera that sees a whole box, by default.
struct RecorderCamera {
  std::array<double, 3> focus{0, 0, 0};
  std::array<double, 3> position{0, 0, 1};
  std::array<double, 3> up{0, 1, 0};
  double half_size =
      1;  ///< radius of the ball around the box [m]: half the height of what a parallel view shows
};

/// Looks at the box from low to high [m]: at a flat one, such as a plane mechanism, nearly along its thin side, at
/// others from the front, the right and above. The angle of the view is 30 degrees.
inline RecorderCamera camera_of_box(const std::array<double, 3>& low, const std::array<double, 3>& high) {
  RecorderCamera camera;
  std::array<double, 3> size{};
  double square = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    size[k] = std::max(high[k] - low[k], 0.0);
    camera.focus[k] = 0.5 * (low[k] + high[k]);
    square += size[k] * size[k];
  }
  camera.half_size = square > 0 ? 0.5 * std::sqrt(square) : 1;
  const auto thin = static_cast<std::size_t>(std::min_element(size.begin(), size.end()) - size.begin());
  const bool flat = size[thin] < 0.3 * std::max({size[0], size[1], size[2]});

  std::array<double, 3> from{0.55, -0.75, 0.4};
  camera.up = {0, 0, 1};
  if (flat && thin == 0) from = {0.93, -0.25, 0.25};
  if (flat && thin == 1) from = {0.2, -0.95, 0.25};
  if (flat && thin == 2) from = {-0.15, -0.28, 0.95}, camera.up = {0, 1, 0};
  const double length = std::hypot(from[0], from[1], from[2]);
  const double distance = 1.05 * camera.half_size / std::sin(0.2617993877991494);  // 15 degrees
  for (std::size_t k = 0; k < 3; ++k) camera.position[k] = camera.focus[k] + distance * from[k] / length;
  return camera;
}

}  // namespace trammel
