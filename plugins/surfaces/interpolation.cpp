#include "interpolation.hpp"

#include <fmt/format.h>
#include <Eigen/LU>

#include "trammel/error.hpp"

namespace trammel::surfaces {

namespace {

/// Parameters from 0 to 1 by the chord lengths of lines of points, the mean of all lines.
std::vector<double> parameters(const std::vector<std::vector<Vec3>>& lines, const char* along) {
  const std::size_t n = lines.front().size();
  std::vector<double> mean(n, 0);
  for (const std::vector<Vec3>& line : lines) {
    double length = 0;
    for (std::size_t i = 1; i < n; ++i) length += (line[i] - line[i - 1]).norm();
    double so_far = 0;
    for (std::size_t i = 1; i < n; ++i) {
      const double chord = (line[i] - line[i - 1]).norm();
      if (!(chord > 0))
        throw Error(fmt::format("points {} and {} along {} coincide at [{:g}, {:g}, {:g}]", i, i + 1, along,
                                line[i].x(), line[i].y(), line[i].z()));
      so_far += chord;
      mean[i] += so_far / length / static_cast<double>(lines.size());
    }
  }
  mean.back() = 1;
  return mean;
}

std::vector<double> averaged_knots(const std::vector<double>& t, int degree) {
  const auto p = static_cast<std::size_t>(degree);
  std::vector<double> knots(p + 1, 0);
  for (std::size_t j = 1; j + p < t.size(); ++j) {
    double sum = 0;
    for (std::size_t i = j; i < j + p; ++i) sum += t[i];
    knots.push_back(sum / degree);
  }
  knots.insert(knots.end(), p + 1, 1);
  return knots;
}

/// Rows of all B-splines at each parameter.
Eigen::MatrixXd collocation(const std::vector<double>& knots, int degree, const std::vector<double>& t) {
  const auto n = static_cast<Eigen::Index>(t.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const double x = t[static_cast<std::size_t>(r)];
    Eigen::Index span = degree;
    while (span + 1 < n && x >= knots[static_cast<std::size_t>(span + 1)]) ++span;
    std::vector<double> N(static_cast<std::size_t>(degree) + 1, 0);
    N[0] = 1;
    for (int p = 1; p <= degree; ++p)
      for (int i = p; i >= 0; --i) {
        const auto at = static_cast<std::size_t>(span - p + i), k = static_cast<std::size_t>(i);
        const auto q = static_cast<std::size_t>(p);
        const double left = i > 0 ? (x - knots[at]) / (knots[at + q] - knots[at]) * N[k - 1] : 0;
        const double right = i < p ? (knots[at + q + 1] - x) / (knots[at + q + 1] - knots[at + 1]) * N[k] : 0;
        N[k] = left + right;
      }
    for (int i = 0; i <= degree; ++i) A(r, span - degree + i) = N[static_cast<std::size_t>(i)];
  }
  return A;
}

std::vector<std::vector<Vec3>> transposed(const std::vector<std::vector<Vec3>>& rows) {
  std::vector<std::vector<Vec3>> out(rows.front().size());
  for (const std::vector<Vec3>& row : rows)
    for (std::size_t j = 0; j < row.size(); ++j) out[j].push_back(row[j]);
  return out;
}

/// The control points of each line of points.
std::vector<std::vector<Vec3>> solved(const std::vector<std::vector<Vec3>>& lines, const Eigen::MatrixXd& A) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A);
  std::vector<std::vector<Vec3>> out;
  for (const std::vector<Vec3>& line : lines) {
    Eigen::MatrixXd b(A.rows(), 3);
    for (Eigen::Index i = 0; i < b.rows(); ++i) b.row(i) = line[static_cast<std::size_t>(i)].transpose();
    const Eigen::MatrixXd x = lu.solve(b);
    out.emplace_back();
    for (Eigen::Index i = 0; i < x.rows(); ++i) out.back().emplace_back(x.row(i).transpose());
  }
  return out;
}

void require_enough(std::size_t count, int degree, const char* along) {
  if (degree < 1 || degree > NurbsSurface::most_degree)
    throw Error(fmt::format("a degree of {} along {} is not between 1 and {}", degree, along,
                            NurbsSurface::most_degree));
  if (count <= static_cast<std::size_t>(degree))
    throw Error(fmt::format("degree {} along {} needs at least {} points, found {}", degree, along,
                            degree + 1, count));
}

}  // namespace

InterpolatedNet interpolate(const std::vector<std::vector<Vec3>>& points, int degree_u, int degree_v) {
  require_enough(points.size(), degree_u, "u");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].size() != points.front().size())
      throw Error(fmt::format("row {} has {} points, the first one {}", i + 1, points[i].size(),
                              points.front().size()));
  require_enough(points.front().size(), degree_v, "v");
  InterpolatedNet out;
  out.u.degree = degree_u;
  out.v.degree = degree_v;
  const std::vector<double> at_v = parameters(points, "v");
  out.v.knots = averaged_knots(at_v, degree_v);
  const std::vector<std::vector<Vec3>> columns = transposed(points);
  const std::vector<double> at_u = parameters(columns, "u");
  out.u.knots = averaged_knots(at_u, degree_u);
  const auto along_u = solved(columns, collocation(out.u.knots, degree_u, at_u));
  out.points = solved(transposed(along_u), collocation(out.v.knots, degree_v, at_v));
  return out;
}

}  // namespace trammel::surfaces
