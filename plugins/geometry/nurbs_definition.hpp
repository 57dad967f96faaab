#pragma once

#include <vector>

#include "trammel/lie.hpp"

namespace trammel::geometry {

/// What a case says of a spline.
struct NurbsDefinition {
  enum class Form { open, closed, periodic };

  std::vector<Vec3> points;     ///< control points [m]
  std::vector<double> weights;  ///< empty: all 1
  int degree = 3;
  std::vector<double> knots;  ///< each as often as it counts; empty: uniform
  Form form = Form::open;
};

}  // namespace trammel::geometry
