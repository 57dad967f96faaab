#include "io/drawing/ring_corners.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

/// Twice the largest distance of a ring's point from their mean [m].
double width(std::span<const Vec3> ring) {
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : ring) middle += p;
  middle /= static_cast<double>(ring.size());
  double squared = 0;
  for (const Vec3& p : ring) squared = std::max(squared, (p - middle).squaredNorm());
  return 2 * std::sqrt(squared);
}

}  // namespace

void RingCorners::choose(std::span<const Vec3> points, std::size_t corners, std::span<const int> caps,
                         double detail) {
  constexpr std::size_t many = 24;
  kept_.clear(), points_.clear(), caps_.clear();
  of_ring_ = given_ = corners;
  step_ = 1;
  if (corners < many || points.size() < corners || !(width(points.first(corners)) < detail)) return;
  const std::size_t step = corners % 3 == 0 ? 3 : corners % 2 == 0 ? 2 : 1;
  if (step == 1) return;
  step_ = step;
  of_ring_ = corners / step;
  for (std::size_t i = 0; i < points.size(); i += step) {
    kept_.push_back(i);
    points_.push_back(points[i]);
  }
  renumber(caps, step);
}

double RingCorners::largest(std::span<const double> values, std::size_t point) const {
  if (step_ == 1) return values[point];
  const std::size_t first = point - point % given_, corner = point % given_, reach = step_ / 2;
  double largest = values[point];
  for (std::size_t k = corner + given_ - reach; k <= corner + given_ + reach; ++k)
    if (const double value = values[first + k % given_]; std::abs(value) > std::abs(largest)) largest = value;
  return largest;
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
