#include "nurbs_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel::surfaces {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

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

void NurbsSurface::Direction::take_spans() {
  for (int p = 0; p <= degree; ++p)
    for (std::size_t i = 0; i < knots.size(); ++i) {
      const double span = i + index(p) < knots.size() ? knots[i + index(p)] - knots[i] : 0;
      per_span.push_back(span > 0 ? 1 / span : 0);
    }
}

int NurbsSurface::Direction::splines(double x, int order, Splines& out) const {
  const auto next = std::upper_bound(knots.begin() + degree + 1, knots.begin() + count, x);
  const int piece = static_cast<int>(next - knots.begin()) - 1;
  // The recursion of Cox and de Boor: each spline of degree p - 1 is a part of two of degree p. Those of degree - m begin
  // the m-th derivatives.
  std::array<double, most_degree + 1> now;
  now[0] = 1;
  if (degree <= order) out[index(degree)][0] = 1;
  for (int p = 1; p <= degree; ++p) {
    const double *first = &knots[index(piece - p + 1)], *last = first + p;
    const double* per = per_spans(p) + (piece - p + 1);
    double from_left = 0;
    for (int k = 0; k < p; ++k) {
      const double part = now[index(k)] * per[k];
      now[index(k)] = from_left + (last[k] - x) * part;
      from_left = (x - first[k]) * part;
    }
    now[index(p)] = from_left;
    if (degree - p <= order) std::copy_n(now.begin(), p + 1, out[index(degree - p)].begin());
  }
  // N' = p (N_left / span - N_right / span), as often as it is differentiated.
  for (int m = 1; m <= order; ++m) {
    auto& d = out[index(m)];
    if (m > degree) {
      std::fill_n(d.begin(), degree + 1, 0.0);
      continue;
    }
    for (int p = degree - m + 1; p <= degree; ++p) {
      const double* per = per_spans(p) + (piece - p + 1);
      double from_left = 0;
      for (int k = 0; k < p; ++k) {
        const double part = p * d[index(k)] * per[k];
        d[index(k)] = from_left - part;
        from_left = part;
      }
      d[index(p)] = from_left;
    }
  }
  return piece - degree;
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
    out.take_spans();
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
  out.take_spans();
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

template <int derivatives>
void NurbsSurface::sum(double u, double v, std::array<Point, 10>& out) const {
  Splines N, M;
  const int first_u = u_.splines(u, derivatives, N), first_v = v_.splines(v, derivatives, M);
  constexpr std::size_t n = derivatives + 1;
  for (std::size_t i = 0; i < n * (n + 1) / 2; ++i) out[i].setZero();
  for (int k = 0; k <= u_.degree; ++k) {
    const Point* row = &poles_[index((first_u + k) * v_.count + first_v)];
    std::array<Point, n> along;
    for (std::size_t j = 0; j < n; ++j) along[j] = M[j][0] * row[0];
    for (int l = 1; l <= v_.degree; ++l)
      for (std::size_t j = 0; j < n; ++j) along[j] += M[j][index(l)] * row[l];
    for (int i = 0; i <= derivatives; ++i)
      for (int j = 0; i + j <= derivatives; ++j)
        out[SurfacePoint::at(i, j)] += N[index(i)][index(k)] * along[index(j)];
  }
}

void NurbsSurface::at(double u, double v, int derivatives, SurfacePoint& out) const {
  std::array<Point, 10> sums;
  switch (derivatives) {
    case 0:
      sum<0>(u, v, sums);
      break;
    case 1:
      sum<1>(u, v, sums);
      break;
    case 2:
      sum<2>(u, v, sums);
      break;
    default:
      sum<3>(u, v, sums);
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
