#pragma once

#include <vector>

#include "trammel/lie.hpp"

namespace trammel::geometry {

/// What is drawn of faces: points [m], and triangles as VTK lists them (3, then three numbers of points), which turn to the left
/// seen from the side of the normal.
struct FaceMesh {
  std::vector<Vec3> points;
  std::vector<int> triangles;
};

}  // namespace trammel::geometry
