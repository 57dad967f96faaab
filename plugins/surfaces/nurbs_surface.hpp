#pragma once

#include <array>
#include <vector>

#include "trammel/surface.hpp"

namespace trammel::surfaces {

/// The parameters of a case for one direction of a NURBS surface.
struct NurbsDirection {
  int degree = 3;
  bool periodic = false;
  std::vector<double>
      knots;  ///< repeated by multiplicity (periodic: points + 1 knots, once each); empty: uniform from 0 to 1
};

/// A rational tensor-product B-spline surface. Beyond an edge the polynomials of the last pieces continue it.
class NurbsSurface final : public Surface {
 public:
  static constexpr int most_degree = 25;

  /// Control points [m] in rows along v, one row for each value of u; `weights` has the same form, or is empty if all are 1.
  /// Throws Error, which says which of points, weights, knots and degree does not fit the others.
  NurbsSurface(const std::vector<std::vector<Vec3>>& points, const std::vector<std::vector<double>>& weights,
               const NurbsDirection& u, const NurbsDirection& v, bool reversed);

  /// The pieces between knots, each with the box around its Bezier control points. This box contains the piece because all
  /// weights are positive.
  std::vector<SurfacePatch> patches() const override;

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  using Point = Eigen::Vector4d;  ///< homogeneous: (w p, w)

  /// The splines of one parameter that do not vanish in a piece, at most 26, and their derivatives up to the third.
  using Splines = std::array<std::array<double, most_degree + 1>, 4>;

  struct Direction {
    int degree = 0, count = 0;
    bool periodic = false;
    std::vector<double> knots;
    std::vector<double> per_span;  ///< 1 / (knot i + p - knot i), by p and then i; 0 where they coincide

    SurfaceRange range() const;
    void take_spans();
    const double* per_spans(int p) const {
      return per_span.data() + static_cast<std::size_t>(p) * knots.size();
    }
    /// The splines at x and their derivatives up to `order`; all else of `out` is left as it is. Gives the number of the first.
    int splines(double x, int order, Splines& out) const;
  };
  static Direction direction(const NurbsDirection& what, int points, const char* name);

  /// Sums over the control points, with derivatives up to an order.
  template <int derivatives>
  void sum(double u, double v, std::array<Point, 10>& out) const;

  Direction u_, v_;
  bool rational_ = false;     ///< whether the weights differ
  std::vector<Point> poles_;  ///< by u, then v; periodic ones repeated
};

}  // namespace trammel::surfaces
