#include "axis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <boost/math/quadrature/gauss.hpp>
#include <unsupported/Eigen/Splines>

#include "trammel/error.hpp"

namespace trammel::beam {

namespace {

std::string text(const Vec3& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); }

}  // namespace

Vec6 Axis::strain(double from, double to) const {
  return se3::log(pose(from).inverse() * pose(to)) / (to - from);
}

ConstantCurvatureAxis::ConstantCurvatureAxis(const Pose& start, const Vec3& curvature, double length)
    : start_(start) {
  if (!(length > 0) || !std::isfinite(length))
    throw Error(fmt::format("the length of a beam must be positive, not {}", length));
  length_ = length;
  strain_ << 1, 0, 0, curvature;
}

Pose ConstantCurvatureAxis::pose(double s) const { return start_ * se3::exp(Vec6(s * strain_)); }
Vec6 ConstantCurvatureAxis::strain(double, double) const { return strain_; }

Mat3 triad(const Vec3& tangent, const Vec3* up) {
  const double norm = tangent.norm();
  if (!(norm > 0)) throw Error("the tangent of a beam must not be zero");
  const Vec3 t1 = tangent / norm;
  Vec3 side = Vec3::UnitZ();
  if (up != nullptr) {
    side = *up;
    const double size = side.norm();
    if (!(size > 0) || t1.cross(side).norm() < 1e-6 * size)
      throw Error("the vector 'up' = " + text(*up) + " lies along the tangent " + text(t1) +
                  " of the beam, so it cannot orient the section");
  } else if (std::abs(t1[2]) > std::cos(2.5 * std::numbers::pi / 180)) {
    side = t1[2] > 0 ? Vec3(-Vec3::UnitX()) : Vec3(Vec3::UnitX());
  }
  const Vec3 t2 = side.cross(t1).normalized();
  Mat3 R;
  R << t1, t2, t1.cross(t2);
  return R;
}

std::unique_ptr<Axis> straight_axis(const Vec3& from, const Vec3& to, const Vec3* up, double twist) {
  const double length = (to - from).norm();
  if (!(length > 0)) throw Error("a beam from " + text(from) + " to " + text(to) + " has no length");
  return std::make_unique<ConstantCurvatureAxis>(Pose{triad(to - from, up), from}, Vec3(twist / length, 0, 0),
                                                 length);
}

std::unique_ptr<Axis> arc_axis(const Vec3& from, const Vec3& centre, const Vec3& normal, double angle,
                               const Vec3* up) {
  const Vec3 n = normal.normalized();
  const Vec3 arm = from - centre;
  const double radius = arm.norm();
  if (!(radius > 0)) throw Error("an arc cannot start at its centre " + text(centre));
  if (!n.allFinite() || std::abs(n.dot(arm)) > 1e-9 * radius)
    throw Error("the arc's normal " + text(normal) + " must be perpendicular to the radius " + text(arm));
  const double turn = angle < 0 ? -1.0 : 1.0;
  const Mat3 R = triad(turn * n.cross(arm), up);
  return std::make_unique<ConstantCurvatureAxis>(Pose{R, from}, Vec3(R.transpose() * (turn / radius * n)),
                                                 radius * std::abs(angle));
}

std::unique_ptr<Axis> arc_axis(const Vec3& from, const Vec3& via, const Vec3& to, const Vec3* up) {
  const Vec3 a = via - from;
  const Vec3 b = to - from;
  const Vec3 n = a.cross(b);
  const double size = a.norm() * b.norm();
  if (!(n.norm() > 1e-10 * size))
    throw Error("the points " + text(from) + ", " + text(via) + ", " + text(to) +
                " lie on a line, not on an arc");
  const Vec3 centre =
      from + (b.squaredNorm() * n.cross(a) - a.squaredNorm() * n.cross(b)) / (2 * n.squaredNorm());
  const Vec3 u = from - centre;
  const Vec3 v = to - centre;
  double angle = std::atan2(n.normalized().dot(u.cross(v)), u.dot(v));
  if (angle <= 0) angle += 2 * std::numbers::pi;
  return arc_axis(from, centre, n, angle, up);
}

std::unique_ptr<Axis> helix_axis(const Vec3& from, const Vec3& centre, const Vec3& direction, double pitch,
                                 double turns, const Vec3* up) {
  const Vec3 d = direction.normalized();
  if (!d.allFinite()) throw Error("the direction of a helix must not be zero");
  const Vec3 arm = (from - centre) - d * d.dot(from - centre);
  const double radius = arm.norm();
  if (!(radius > 1e-12 * (from - centre).norm()) || radius == 0)
    throw Error("the start " + text(from) + " of a helix lies on its axis");
  const double rise = pitch / (2 * std::numbers::pi);
  const double speed = std::hypot(radius, rise);
  const Mat3 R = triad(d.cross(arm) + rise * d, up);
  return std::make_unique<ConstantCurvatureAxis>(Pose{R, from}, Vec3(R.transpose() * d / speed),
                                                 2 * std::numbers::pi * turns * speed);
}

namespace {

using Curve = Eigen::Spline<double, 3, Eigen::Dynamic>;

/// A spline with its arc length and a table of triads that don't turn about the tangent (double reflection,
/// Wang, Juttler, Zheng and Liu, ACM Trans. Graph. 27, 2008).
class SplineAxis final : public Axis {
 public:
  SplineAxis(const std::vector<Vec3>& points, const Vec3* up, double twist) : twist_(twist) {
    const auto n = static_cast<Eigen::Index>(points.size());
    Eigen::MatrixXd columns(3, n);
    for (Eigen::Index i = 0; i < n; ++i) columns.col(i) = points[static_cast<std::size_t>(i)];
    Curve::KnotVectorType parameters;
    Eigen::ChordLengths(columns, parameters);
    curve_ =
        Eigen::SplineFitting<Curve>::Interpolate(columns, std::min<Eigen::DenseIndex>(3, n - 1), parameters);

    constexpr int pieces = 32;
    for (Eigen::Index i = 0; i + 1 < n; ++i)
      for (int k = 0; k < pieces; ++k)
        table_.push_back(
            {parameters(i) + (parameters(i + 1) - parameters(i)) * k / pieces, 0, Mat3::Identity()});
    table_.push_back({1.0, 0, Mat3::Identity()});
    table_.front().R = triad(derivative(0), up);
    for (std::size_t i = 1; i < table_.size(); ++i) {
      table_[i].s = table_[i - 1].s + arc(table_[i - 1].u, table_[i].u);
      table_[i].R = carried(table_[i - 1], table_[i].u);
    }
    length_ = table_.back().s;
  }

  Pose pose(double s) const override {
    auto next = std::upper_bound(table_.begin(), table_.end(), s,
                                 [](double value, const Row& row) { return value < row.s; });
    next = std::clamp(next, table_.begin() + 1, table_.end() - 1);
    const Row& row = *(next - 1);
    double u = row.u + (next->u - row.u) * (s - row.s) / (next->s - row.s);
    for (int i = 0; i < 5; ++i) u -= (row.s + arc(row.u, u) - s) / derivative(u).norm();
    u = std::clamp(u, 0.0, 1.0);
    const Mat3 R = carried(row, u) * so3::exp(Vec3(twist_ * s / length_, 0, 0));
    return {R, point(u)};
  }

 private:
  struct Row {
    double u;  // parameter of the spline
    double s;  // arc length
    Mat3 R;
  };

  Vec3 point(double u) const { return curve_(u); }
  Vec3 derivative(double u) const { return curve_.derivatives(u, 1).col(1); }
  double arc(double from, double to) const {
    return boost::math::quadrature::gauss<double, 10>::integrate(
        [this](double u) { return derivative(u).norm(); }, from, to);
  }
  Mat3 carried(const Row& row, double u) const {
    const Vec3 step = point(u) - point(row.u);
    const Vec3 t1 = derivative(u).normalized();
    if (step.norm() < 1e-14 * (1 + point(u).norm())) return row.R;
    const auto mirrored = [](const Vec3& v, const Vec3& normal) -> Vec3 {
      return v - normal * (2 * normal.dot(v) / normal.squaredNorm());
    };
    const Vec3 side = mirrored(row.R.col(2), step);
    const Vec3 tangent = mirrored(row.R.col(0), step);
    const Vec3 second = t1 - tangent;
    Vec3 up = second.norm() < 1e-14 ? side : mirrored(side, second);
    return triad(t1, &up);
  }

  Curve curve_;
  std::vector<Row> table_;
  double twist_;
};

}  // namespace

std::unique_ptr<Axis> spline_axis(const std::vector<Vec3>& points, const Vec3* up, double twist) {
  if (points.size() < 2) throw Error("an axis through points needs at least two of them");
  for (std::size_t i = 1; i < points.size(); ++i)
    if (!((points[i] - points[i - 1]).norm() > 0))
      throw Error("two consecutive points of the axis are both at " + text(points[i]));
  return std::make_unique<SplineAxis>(points, up, twist);
}

}  // namespace trammel::beam
