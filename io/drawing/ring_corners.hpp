#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trammel/linear_algebra.hpp"

namespace trammel {

/// The corners that are drawn of a skin through rings: every third one (or second, if three does not divide their number) of rings
/// of 24 or more, if they are narrower than `detail` [m], which is what a picture of the whole scene shows as a few pixels (0:
/// unknown).
class RingCorners {
 public:
  /// Of rings with `corners` points each, one after the other, and faces as those of Canvas::surface.
  void choose(std::span<const Vec3> points, std::size_t corners, std::span<const int> caps, double detail);

  bool all() const { return kept_.empty(); }
  std::size_t of_ring() const { return of_ring_; }                ///< corners of a ring that are drawn
  const std::vector<std::size_t>& kept() const { return kept_; }  ///< points that are drawn; empty if all are
  const std::vector<Vec3>& points() const { return points_; }     ///< their places; empty if all are drawn
  /// Of numbers by point: the one of largest magnitude at a point that is drawn and at those near it on its ring that are not.
  double largest(std::span<const double> values, std::size_t point) const;
  const std::vector<int>& caps() const { return caps_; }  ///< faces, by the numbers that points have here

 private:
  void renumber(std::span<const int> caps, std::size_t step);

  std::size_t of_ring_ = 0, given_ = 0, step_ = 1;
  std::vector<std::size_t> kept_;
  std::vector<Vec3> points_;
  std::vector<int> caps_;
};

}  // namespace trammel
