#pragma once

#include "face_mesh.hpp"
#include "trammel/element.hpp"
#include "trammel/marker.hpp"

namespace trammel::geometry {

/// Draws the triangles of trimmed faces, fixed in their marker. Stencil: the marker's blocks. It has no residual.
class DrawnFaces {
 public:
  DrawnFaces(FaceMesh mesh, Marker marker);

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const;

 private:
  FaceMesh mesh_;
  Marker marker_;
};

}  // namespace trammel::geometry
