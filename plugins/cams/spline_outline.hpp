#pragma once

#include <memory>
#include <vector>

#include "trammel/curve.hpp"

namespace trammel::cams {

/// A closed B-spline of degree 5 with uniform simple knots through `count` points of a closed curve, at equal steps of its
/// parameter; it has as many control points.
class SplineOutline final : public Curve {
 public:
  static constexpr int degree = 5;

  /// Throws Error where there are fewer control points than degree + 1.
  SplineOutline(const Curve& through, int count);

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override;

 private:
  double first_, step_;
  std::vector<Vec3> control_;
};

}  // namespace trammel::cams
