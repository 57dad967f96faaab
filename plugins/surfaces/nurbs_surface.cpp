#include "nurbs_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel::surfaces {

namespace {

constexpr std::size_t widest = NurbsSurface::most_degree + 1;
using Basis = std::array<std::array<double, widest>, 4>;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// The splines that do not vanish in the piece of x, and their derivatives up to `order`; gives the first of them. The
/// recursion of Cox and de Boor, and that of the derivatives, N' = p (N_left / span - N_right / span).
int basis(const std::vector<double>& knots, int degree, int count, double x, int order, Basis& out) {
  const auto end = knots.begin() + count;
  const auto next = std::upper_bound(knots.begin() + degree + 1, end, x);
  const int piece = static_cast<int>(next - knots.begin()) - 1;
  const auto knot = [&](int i) { return knots[index(i)]; };
  // values[p][k]: spline piece - p + k of degree p.
  std::array<std::array<double, widest>, widest> values{};
  values[0][0] = 1;
  for (int p = 1; p <= degree; ++p)
    for (int k = 0; k <= p; ++k) {
      const int i = piece - p + k;
      double sum = 0;
      if (k > 0) sum += (x - knot(i)) / (knot(i + p) - knot(i)) * values[index(p - 1)][index(k - 1)];
      if (k < p)
        sum += (knot(i + p + 1) - x) / (knot(i + p + 1) - knot(i + 1)) * values[index(p - 1)][index(k)];
      values[index(p)][index(k)] = sum;
    }
  for (int m = 0; m <= order; ++m) {
    std::array<double, widest> now{};
    if (m <= degree) {
      now = values[index(degree - m)];
      for (int p = degree - m + 1; p <= degree; ++p) {
        std::array<double, widest> raised{};
        for (int k = 0; k <= p; ++k) {
          const int i = piece - p + k;
          double sum = 0;
          if (k > 0) sum += now[index(k - 1)] / (knot(i + p) - knot(i));
          if (k < p) sum -= now[index(k)] / (knot(i + p + 1) - knot(i + 1));
          raised[index(k)] = p * sum;
        }
        now = raised;
      }
    }
    out[index(m)] = now;
  }
  return piece - degree;
}

/// How the Bezier control points of the piece from knot `piece` follow from the control points that act there: row j is the blossom
/// whose arguments are j times the end of the piece and else its begin.
Eigen::MatrixXd to_bezier(const std::vector<double>& knots, int degree, int piece) {
  Eigen::MatrixXd all(degree + 1, degree + 1);
  for (int j = 0; j <= degree; ++j) {
    Eigen::MatrixXd d = Eigen::MatrixXd::Identity(degree + 1, degree + 1);
    for (int r = 1; r <= degree; ++r) {
      const double t = knots[index(r <= j ? piece + 1 : piece)];
      for (int i = degree; i >= r; --i) {
        const double low = knots[index(piece - degree + i)], high = knots[index(piece + 1 + i - r)];
        const double part = (t - low) / (high - low);
        d.row(i) = (1 - part) * d.row(i - 1) + part * d.row(i);
      }
    }
    all.row(j) = d.row(degree);
  }
  return all;
}

constexpr std::array<std::array<double, 4>, 4> binomial{
    {{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 2, 1, 0}, {1, 3, 3, 1}}};

}  // namespace

SurfaceRange NurbsSurface::Direction::range() const {
  return {.first = knots[index(degree)], .last = knots[index(count)], .periodic = periodic};
}

NurbsSurface::Direction NurbsSurface::direction(const NurbsDirection& what, int points, const char* name) {
  const int p = what.degree;
  if (p < 1) throw Error(fmt::format("a degree of {} along {} is too low: at least 1", p, name));
  if (p > most_degree)
    throw Error(fmt::format("a degree of {} along {} is too high: at most {}", p, name, most_degree));
  if (points < p + 1)
    throw Error(
        fmt::format("degree {} along {} needs at least {} control points, found {}", p, name, p + 1, points));
  Direction out;
  out.degree = p;
  out.periodic = what.periodic;
  out.count = points + (what.periodic ? p : 0);
  const int given = static_cast<int>(what.knots.size());
  const int needed = what.periodic ? points + 1 : points + p + 1;
  if (given != 0 && given != needed)
    throw Error(fmt::format("{} control points of degree {} along {}{} need {} knots, found {}", points, p,
                            name, what.periodic ? ", periodic," : "", needed, given));
  for (int i = 1; i < given; ++i)
    if (what.knots[index(i)] < what.knots[index(i - 1)] ||
        (what.periodic && what.knots[index(i)] == what.knots[index(i - 1)]))
      throw Error(fmt::format("the knots along {} must {}: knot {} is {:g} after {:g}", name,
                              what.periodic ? "rise" : "not fall", i + 1, what.knots[index(i)],
                              what.knots[index(i - 1)]));
  if (what.periodic) {
    std::vector<double> once = what.knots;
    if (given == 0)
      for (int i = 0; i <= points; ++i) once.push_back(static_cast<double>(i) / points);
    const double period = once.back() - once.front();
    for (int i = -p; i <= points + p; ++i) {
      const int lap = i < 0 ? -1 : i >= points ? i / points : 0;
      out.knots.push_back(once[index(i - lap * points)] + lap * period);
    }
    return out;
  }
  out.knots = what.knots;
  if (given == 0)
    for (int i = 0; i < needed; ++i)
      out.knots.push_back(std::clamp(static_cast<double>(i - p) / (points - p), 0.0, 1.0));
  for (int i = 1; i < points; ++i)
    if (!(out.knots[index(i + p)] > out.knots[index(i)]))
      throw Error(fmt::format("the knot {:g} along {} stands more than {} times: the surface tears there",
                              out.knots[index(i)], name, p));
  return out;
}

NurbsSurface::NurbsSurface(const std::vector<std::vector<Vec3>>& points,
                           const std::vector<std::vector<double>>& weights, const NurbsDirection& u,
                           const NurbsDirection& v, bool reversed) {
  if (points.empty()) throw Error("the surface has no control points");
  const std::size_t across = points.front().size();
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].size() != across)
      throw Error(
          fmt::format("row {} has {} control points, the first has {}", i + 1, points[i].size(), across));
  if (!weights.empty()) {
    bool fits = weights.size() == points.size();
    for (const std::vector<double>& row : weights) fits = fits && row.size() == across;
    if (!fits)
      throw Error(
          fmt::format("the weights must be {} rows of {}, as the control points", points.size(), across));
    for (std::size_t i = 0; i < weights.size(); ++i)
      for (std::size_t j = 0; j < across; ++j)
        if (!(weights[i][j] > 0))
          throw Error(fmt::format("weights must be positive: weight {} of row {} is {:g}", j + 1, i + 1,
                                  weights[i][j]));
  }
  const int rows = static_cast<int>(points.size()), columns = static_cast<int>(across);
  for (const std::vector<double>& row : weights)
    for (const double w : row) rational_ = rational_ || w != weights[0][0];
  u_ = direction(u, rows, "u");
  v_ = direction(v, columns, "v");
  for (int i = 0; i < u_.count; ++i)
    for (int j = 0; j < v_.count; ++j) {
      const std::size_t row = index(i % rows), column = index(j % columns);
      const double w = rational_ ? weights[row][column] : 1.0;
      const Vec3 p = w * points[row][column];
      poles_.emplace_back(p.x(), p.y(), p.z(), w);
    }
  set_domain(u_.range(), v_.range(), reversed);
}

std::vector<SurfacePatch> NurbsSurface::patches() const {
  std::vector<SurfacePatch> all;
  for (int i = u_.degree; i < u_.count; ++i) {
    if (!(u_.knots[index(i + 1)] > u_.knots[index(i)])) continue;
    const Eigen::MatrixXd along_u = to_bezier(u_.knots, u_.degree, i);
    for (int j = v_.degree; j < v_.count; ++j) {
      if (!(v_.knots[index(j + 1)] > v_.knots[index(j)])) continue;
      const Eigen::MatrixXd along_v = to_bezier(v_.knots, v_.degree, j);
      SurfacePatch patch{
          {u_.knots[index(i)], v_.knots[index(j)]}, {u_.knots[index(i + 1)], v_.knots[index(j + 1)]}, {}};
      for (int k = 0; k <= u_.degree; ++k)
        for (int l = 0; l <= v_.degree; ++l) {
          Point pole = Point::Zero();
          for (int m = 0; m <= u_.degree; ++m)
            for (int n = 0; n <= v_.degree; ++n)
              pole += along_u(k, m) * along_v(l, n) *
                      poles_[index((i - u_.degree + m) * v_.count + j - v_.degree + n)];
          patch.box.extend(Vec3(pole.head<3>() / pole[3]));
        }
      all.push_back(patch);
    }
  }
  return all;
}

void NurbsSurface::at(double u, double v, int derivatives, SurfacePoint& out) const {
  Basis N, M;
  const int first_u = basis(u_.knots, u_.degree, u_.count, u, derivatives, N);
  const int first_v = basis(v_.knots, v_.degree, v_.count, v, derivatives, M);
  std::array<Point, 10> sums;
  sums.fill(Point::Zero());
  for (int k = 0; k <= u_.degree; ++k) {
    std::array<Point, 4> along;
    along.fill(Point::Zero());
    const Point* row = &poles_[index((first_u + k) * v_.count + first_v)];
    for (int l = 0; l <= v_.degree; ++l)
      for (int j = 0; j <= derivatives; ++j) along[index(j)] += M[index(j)][index(l)] * row[l];
    for (int i = 0; i <= derivatives; ++i)
      for (int j = 0; i + j <= derivatives; ++j)
        sums[SurfacePoint::at(i, j)] += N[index(i)][index(k)] * along[index(j)];
  }
  if (!rational_) {
    for (std::size_t k = 0; k < SurfacePoint::at(0, derivatives) + 1; ++k) out.d[k] = sums[k].head<3>();
    return;
  }
  // The quotient: S_ij = (A_ij - sum of binomials times w_kl S_(i-k)(j-l)) / w.
  const auto weight = [&](int i, int j) { return sums[SurfacePoint::at(i, j)][3]; };
  for (int order = 0; order <= derivatives; ++order)
    for (int j = 0; j <= order; ++j) {
      const int i = order - j;
      Vec3 value = sums[SurfacePoint::at(i, j)].head<3>();
      for (int k = 0; k <= i; ++k)
        for (int l = 0; l <= j; ++l)
          if (k + l > 0)
            value -= binomial[index(i)][index(k)] * binomial[index(j)][index(l)] * weight(k, l) *
                     out.by(i - k, j - l);
      out.by(i, j) = value / weight(0, 0);
    }
}

}  // namespace trammel::surfaces
