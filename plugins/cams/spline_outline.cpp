#include "spline_outline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/LU>

#include "trammel/error.hpp"

namespace trammel::cams {

namespace {

/// Values of the uniform B-splines of a degree on a span, at the part t of it: those of the control points span ... span + degree.
std::array<double, SplineOutline::degree + 1> basis(int degree, double t) {
  std::array<double, SplineOutline::degree + 1> N{};
  N[0] = 1;
  for (int p = 1; p <= degree; ++p)
    for (int i = p; i >= 0; --i) {
      const auto k = static_cast<std::size_t>(i);
      const double left = i > 0 ? (t + p - i) / p * N[k - 1] : 0;
      const double right = i < p ? (1 - t + i) / p * N[k] : 0;
      N[k] = left + right;
    }
  return N;
}

}  // namespace

SplineOutline::SplineOutline(const Curve& through, int count)
    : first_(through.first()), step_((through.last() - through.first()) / count) {
  if (count <= degree)
    throw Error(fmt::format("{} control points are too few: a spline of degree {} needs {} at least", count,
                            degree, degree + 1));
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(count, count);
  Eigen::MatrixXd points(count, 3);
  const auto at_knot = basis(degree, 0);
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k <= degree; ++k) A(i, (i + k) % count) += at_knot[static_cast<std::size_t>(k)];
    points.row(i) = through.point(first_ + step_ * i).transpose();
  }
  const Eigen::MatrixXd solved = A.partialPivLu().solve(points);
  for (int i = 0; i < count; ++i) control_.emplace_back(solved.row(i).transpose());
  std::vector<double> breaks;
  for (int i = 0; i < count; ++i) breaks.push_back(first_ + step_ * i);
  breaks.push_back(through.last());
  set_domain(std::move(breaks), true);
}

void SplineOutline::inside(double eta, int derivatives, CurvePoint& out) const {
  const int count = static_cast<int>(control_.size());
  const double x = (eta - first_) / step_;
  const int span = std::clamp(static_cast<int>(std::floor(x)), 0, count - 1);
  std::array<Vec3, degree + 1> P;
  for (int k = 0; k <= degree; ++k)
    P[static_cast<std::size_t>(k)] = control_[static_cast<std::size_t>((span + k) % count)];
  // The derivative is the spline of the next lower degree on the differences of the control points.
  for (int order = 0; order <= derivatives; ++order) {
    const auto N = basis(degree - order, x - span);
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k <= degree - order; ++k)
      sum += N[static_cast<std::size_t>(k)] * P[static_cast<std::size_t>(k)];
    out.d[static_cast<std::size_t>(order)] = sum;
    for (std::size_t k = 0; k < static_cast<std::size_t>(degree - order); ++k)
      P[k] = (P[k + 1] - P[k]) / step_;
  }
}

}  // namespace trammel::cams
