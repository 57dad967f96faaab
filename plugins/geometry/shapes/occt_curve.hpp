#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Geom_BSplineCurve.hxx>

#include "../nurbs_definition.hpp"
#include "trammel/curve.hpp"

namespace trammel::geometry {

/// A NURBS curve; its parameter is that of the spline. Open CASCADE makes it; it is evaluated here, by de Boor's
/// algorithm on the control points of each derivative, since Open CASCADE 7.6 goes through powers of the parameter and
/// loses digits at high degrees (1e-6 of the size at degree 25, where this keeps 1e-13).
class NurbsCurve final : public Curve {
 public:
  /// `closed`: the ends are meant to meet. Throws Error as Curve::set_domain does.
  NurbsCurve(const Handle(Geom_BSplineCurve) & spline, bool closed);

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override;

 private:
  using Point = Eigen::Vector4d;  ///< homogeneous: (w p, w)
  static constexpr int most_degree = 25;

  int degree_ = 0;
  std::vector<double> knots_;  ///< each as often as it counts
  std::vector<Point> poles_;
};

/// Throws Error that says which of weights, knots, points and degree does not fit.
std::unique_ptr<Curve> make_nurbs(const NurbsDefinition& what);

/// The cubic spline through points, twice differentiable, its parameter the length of chords; with end tangents where
/// given. Throws Error where points coincide or are too few.
std::unique_ptr<Curve> make_interpolated(const std::vector<Vec3>& points, bool closed,
                                         const Vec3* first_tangent, const Vec3* last_tangent);

// Exact rational forms of degree 1 and 2.
std::unique_ptr<Curve> make_line(const Vec3& from, const Vec3& to);
/// The arc of the circle through three points. Throws Error where they lie on a line.
std::unique_ptr<Curve> make_arc(const Vec3& from, const Vec3& via, const Vec3& to);
/// centre + cos u major + sin u minor, which must be perpendicular. It begins at u = 0.
std::unique_ptr<Curve> make_ellipse(const Vec3& centre, const Vec3& major, const Vec3& minor);

/// Runs `make`; what Open CASCADE throws comes out as an Error that begins with `what`.
template <class Make>
auto guarded(const std::string& what, const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const Standard_Failure& failure) {
    throw Error(what + ": Open CASCADE says: " + failure.DynamicType()->Name() + " " +
                failure.GetMessageString());
  }
}

}  // namespace trammel::geometry
