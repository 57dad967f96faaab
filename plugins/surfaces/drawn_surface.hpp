#pragma once

#include <vector>

#include "trammel/element.hpp"
#include "trammel/surface.hpp"

namespace trammel::surfaces {

/// Draws a surface as a patch of quadrilaterals, fixed in its marker. Stencil: the marker's blocks. It has no residual.
class DrawnSurface {
 public:
  /// From one vertex to the next the normal turns by about three degrees.
  explicit DrawnSurface(PlacedSurface placed);

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const;

  const std::vector<Vec3>& points() const { return points_; }
  const std::vector<int>& faces() const { return faces_; }

 private:
  PlacedSurface placed_;
  std::vector<Vec3> points_;  ///< in the marker's axes
  std::vector<int> faces_;
};

}  // namespace trammel::surfaces
