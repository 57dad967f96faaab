#pragma once

#include <vector>

#include "trammel/element.hpp"
#include "trammel/surface.hpp"

namespace trammel::surfaces {

/// Draws a surface, fixed to its marker, as a mesh of quadrilaterals. Stencil: the marker's blocks. It has no residual.
class DrawnSurface {
 public:
  /// The mesh is so fine that the normal turns by about three degrees from one vertex to the next.
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
