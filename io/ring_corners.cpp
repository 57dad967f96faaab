#include "io/ring_corners.hpp"

#include <algorithm>

namespace trammel {

namespace {

/// Twice the largest distance of a ring's point from their mean [m].
double width(std::span<const Vec3> ring) {
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : ring) middle += p / static_cast<double>(ring.size());
  double radius = 0;
  for (const Vec3& p : ring) radius = std::max(radius, (p - middle).norm());
  return 2 * radius;
}

}  // namespace

void RingCorners::choose(std::span<const Vec3> points, std::size_t corners, std::span<const int> caps,
                         double detail) {
  constexpr std::size_t many = 24, step = 2;
  kept_.clear(), points_.clear(), caps_.clear();
  of_ring_ = corners;
  if (corners < many || corners % step != 0 || points.size() < corners ||
      !(width(points.first(corners)) < detail))
    return;
  of_ring_ = corners / step;
  for (std::size_t i = 0; i < points.size(); i += step) {
    kept_.push_back(i);
    points_.push_back(points[i]);
  }
  renumber(caps, step);
}

/// Faces keep their corners that are drawn; one with fewer than three is omitted.
void RingCorners::renumber(std::span<const int> caps, std::size_t step) {
  for (std::size_t i = 0; i < caps.size();) {
    const auto end = std::min(caps.size(), i + 1 + static_cast<std::size_t>(std::max(caps[i], 0)));
    const std::size_t start = caps_.size();
    caps_.push_back(0);
    for (std::size_t k = i + 1; k < end; ++k)
      if (const auto point = static_cast<std::size_t>(caps[k]); point % step == 0)
        caps_.push_back(static_cast<int>(point / step));
    caps_[start] = static_cast<int>(caps_.size() - start - 1);
    if (caps_[start] < 3) caps_.resize(start);
    i = end;
  }
}

}  // namespace trammel
