#include "spline_outline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <Eigen/LU>

#include "trammel/error.hpp"

namespace trammel::cams {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

/// Knot i of the endless row of knots; that of the period are 0 ... size - 1.
double ClosedSpline::knot(int i) const {
  const int n = static_cast<int>(knots_.size()),
            lap = static_cast<int>(std::floor(static_cast<double>(i) / n));
  return knots_[index(i - lap * n)] + lap * period_;
}

/// The last knot that is not beyond eta.
int ClosedSpline::span(double eta) const {
  const int found = static_cast<int>(std::ranges::upper_bound(knots_, eta) - knots_.begin()) - 1;
  return std::max(found, 0);
}

ClosedSpline::ClosedSpline(std::vector<double> knots, double period,
                           const std::function<Vec3(double)>& values)
    : knots_(std::move(knots)), period_(period) {
  const int n = static_cast<int>(knots_.size());
  if (n <= degree)
    throw Error(fmt::format("{} control points are too few: a spline of degree {} needs {} at least", n,
                            degree, degree + 1));
  // Control point i belongs to the spline over the knots i ... i + degree + 1.
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  Eigen::MatrixXd points(n, 3);
  for (int i = 0; i < n; ++i) {
    double site = 0;
    for (int k = 1; k <= degree; ++k) site += knot(i + k) / degree;
    const double eta = site - period_ * std::floor((site - knots_.front()) / period_);
    points.row(i) = values(eta).transpose();
    // The values of the splines, by Cox and de Boor.
    const int s = span(eta);
    std::array<double, degree + 1> N{};
    N[0] = 1;
    for (int p = 1; p <= degree; ++p)
      for (int k = p; k >= 0; --k) {
        const int j = s - p + k;  // N[k] becomes the spline over the knots j ... j + p + 1
        const double left = k > 0 ? (eta - knot(j)) / (knot(j + p) - knot(j)) * N[index(k - 1)] : 0;
        const double right =
            k < p ? (knot(j + p + 1) - eta) / (knot(j + p + 1) - knot(j + 1)) * N[index(k)] : 0;
        N[index(k)] = left + right;
      }
    for (int k = 0; k <= degree; ++k) A(i, ((s - degree + k) % n + n) % n) += N[index(k)];
  }
  const Eigen::MatrixXd solved = A.partialPivLu().solve(points);
  for (int i = 0; i < n; ++i) control_.emplace_back(solved.row(i).transpose());
}

void ClosedSpline::evaluate(double eta, int derivatives, CurvePoint& out) const {
  const int n = static_cast<int>(knots_.size()), s = span(eta);
  std::array<Vec3, degree + 1> P;
  for (int k = 0; k <= degree; ++k) P[index(k)] = control_[index(((s - degree + k) % n + n) % n)];
  for (int order = 0; order <= derivatives; ++order) {
    const int p = degree - order;
    // De Boor's algorithm on the control points of the derivative.
    std::array<Vec3, degree + 1> Q = P;
    for (int r = 1; r <= p; ++r)
      for (int k = p; k >= r; --k) {
        const double a = knot(s - p + k), b = knot(s + 1 + k - r);
        Q[index(k)] = ((b - eta) * Q[index(k - 1)] + (eta - a) * Q[index(k)]) / (b - a);
      }
    out.d[index(order)] = Q[index(p)];
    for (int k = 0; k < p; ++k)
      P[index(k)] = p / (knot(s + 1 + k) - knot(s - p + 1 + k)) * (P[index(k + 1)] - P[index(k)]);
  }
}

std::vector<double> knots_along(const Curve& outline, const KnotChoice& choice) {
  const double first = outline.first(), period = outline.last() - first;
  std::vector<double> knots;
  if (choice.at_breaks == 0) {
    for (int i = 0; i < choice.count; ++i) knots.push_back(first + period * i / choice.count);
    return knots;
  }
  const std::span<const double> breaks = outline.breaks();
  const int segments = static_cast<int>(breaks.size()) - 1;
  const int between = choice.count - choice.at_breaks * segments;
  if (between < segments)
    throw Error(fmt::format(
        "{} control points are too few for {} knots at each of the {} ends of segments: at least {}",
        choice.count, choice.at_breaks, segments, (choice.at_breaks + 1) * segments));
  // The pieces of each segment, by its length; what rounding leaves goes to the segments with the longest pieces.
  std::vector<int> inner;
  for (int i = 0; i < segments; ++i)
    inner.push_back(
        static_cast<int>(std::floor(between * (breaks[index(i + 1)] - breaks[index(i)]) / period)));
  const auto piece = [&](int i) { return (breaks[index(i + 1)] - breaks[index(i)]) / (inner[index(i)] + 1); };
  for (int left = between - std::accumulate(inner.begin(), inner.end(), 0); left > 0; --left) {
    int longest = 0;
    for (int i = 1; i < segments; ++i)
      if (piece(i) > piece(longest) * (1 + 1e-9)) longest = i;
    ++inner[index(longest)];
  }
  for (int i = 0; i < segments; ++i) {
    const double length = piece(i);
    for (int k = 0; k < choice.at_breaks; ++k) knots.push_back(breaks[index(i)]);
    for (int k = 1; k <= inner[index(i)]; ++k) knots.push_back(breaks[index(i)] + k * length);
  }
  return knots;
}

SplineOutline::SplineOutline(const Curve& through, const KnotChoice& choice)
    : spline_(knots_along(through, choice), through.last() - through.first(),
              [&through](double eta) { return through.point(eta); }) {
  std::vector<double> breaks = spline_.knots();
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  breaks.push_back(through.last());
  set_domain(std::move(breaks), true);
}

void SplineOutline::inside(double eta, int derivatives, CurvePoint& out) const {
  spline_.evaluate(eta, derivatives, out);
}

}  // namespace trammel::cams
