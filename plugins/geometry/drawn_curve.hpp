#pragma once

#include <memory>
#include <vector>

#include "trammel/curve.hpp"
#include "trammel/element.hpp"

namespace trammel::geometry {

/// Draws a curve as a line, fixed in its marker. Stencil: the marker's blocks. It has no residual.
class DrawnCurve {
 public:
  /// The line's pieces turn by at most two degrees each: their sag is below 2e-4 of the radius of curvature.
  explicit DrawnCurve(PlacedCurve placed);

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const;
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const;

  const std::vector<Vec3>& points() const { return points_; }

 private:
  PlacedCurve placed_;
  std::vector<Vec3> points_;  ///< in the marker's axes
};

}  // namespace trammel::geometry
