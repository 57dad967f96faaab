#pragma once

#include <functional>
#include <vector>

#include "trammel/curve.hpp"

namespace trammel::cams {

/// A closed B-spline of degree 5: knots of one period, each as often as it counts, and as many control points.
class ClosedSpline {
 public:
  static constexpr int degree = 5;

  /// The spline with the knots `knots` [first, last) that takes values at the averages of 5 successive knots (Greville): at the
  /// knots themselves where they are uniform. Throws Error where there are fewer knots than degree + 1.
  ClosedSpline(std::vector<double> knots, double period, const std::function<Vec3(double)>& values);

  const std::vector<double>& knots() const { return knots_; }
  double period() const { return period_; }
  /// At a knot the values of the piece behind it. `derivatives` up to 4.
  void evaluate(double eta, int derivatives, CurvePoint& out) const;

 private:
  double knot(int i) const;
  int span(double eta) const;

  std::vector<double> knots_;
  double period_ = 0;
  std::vector<Vec3> control_;
};

/// How the knots of a spline through an outline lie.
struct KnotChoice {
  int count = 0;  ///< of knots, and of control points
  int at_breaks =
      0;  ///< 0: uniform, wherever the breaks are; 1 to 4: as many at each break, the others evenly between
};
/// Knots over one period of a closed curve. Throws Error where they are too few.
std::vector<double> knots_along(const Curve& outline, const KnotChoice& choice);

/// A spline of degree 5 through points of a closed curve.
class SplineOutline final : public Curve {
 public:
  /// Throws Error as `knots_along` and ClosedSpline do.
  SplineOutline(const Curve& through, const KnotChoice& choice);

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override;

 private:
  ClosedSpline spline_;
};

}  // namespace trammel::cams
