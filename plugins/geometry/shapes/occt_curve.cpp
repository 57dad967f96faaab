#include "occt_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Convert_ParameterisationType.hxx>
#include <GeomAPI_Interpolate.hxx>
#include <GeomConvert.hxx>
#include <Geom_Circle.hxx>
#include <Geom_Ellipse.hxx>
#include <Geom_TrimmedCurve.hxx>
#include <TColStd_Array1OfInteger.hxx>
#include <TColStd_Array1OfReal.hxx>
#include <TColgp_Array1OfPnt.hxx>
#include <TColgp_HArray1OfPnt.hxx>
#include <gp_Ax2.hxx>
#include <gp_Circ.hxx>
#include <gp_Elips.hxx>

#include <fmt/format.h>

namespace trammel::geometry {

namespace {

gp_Pnt point(const Vec3& p) { return {p.x(), p.y(), p.z()}; }
gp_Vec vector(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
gp_Dir direction(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
int count(std::size_t n) { return static_cast<int>(n); }

/// Knots with their multiplicities.
struct KnotVector {
  std::vector<double> values;
  std::vector<int> multiplicities;
};

std::vector<double> uniform_knots(const NurbsDefinition& what) {
  const int n = count(what.points.size()), p = what.degree;
  std::vector<double> knots;
  if (what.form == NurbsDefinition::Form::periodic) {
    for (int i = 0; i <= n; ++i) knots.push_back(static_cast<double>(i) / n);
    return knots;
  }
  const int spans = n - p;
  for (int i = 0; i < p; ++i) knots.push_back(0);
  for (int i = 0; i <= spans; ++i) knots.push_back(static_cast<double>(i) / spans);
  for (int i = 0; i < p; ++i) knots.push_back(1);
  return knots;
}

KnotVector checked_knots(const NurbsDefinition& what) {
  const bool periodic = what.form == NurbsDefinition::Form::periodic;
  const std::vector<double> list = what.knots.empty() ? uniform_knots(what) : what.knots;
  const int n = count(what.points.size()), p = what.degree, wanted = periodic ? n + 1 : n + p + 1;
  if (count(list.size()) != wanted)
    throw Error(
        periodic ? fmt::format("'knots': a periodic curve of {} points has {} knots (one more than points), "
                               "found {}",
                               n, wanted, list.size())
                 : fmt::format("'knots': {} points and degree {} need {} knots (points + degree + 1, each as "
                               "often as it counts), found {}",
                               n, p, wanted, list.size()));
  KnotVector knots;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0 && list[i] < list[i - 1])
      throw Error(
          fmt::format("'knots' must not fall: knot {} is {:g} after {:g}", i + 1, list[i], list[i - 1]));
    if (i > 0 && list[i] == list[i - 1]) {
      ++knots.multiplicities.back();
    } else {
      knots.values.push_back(list[i]);
      knots.multiplicities.push_back(1);
    }
  }
  for (std::size_t i = 0; i < knots.values.size(); ++i) {
    const bool end = i == 0 || i + 1 == knots.values.size();
    const int most = periodic ? 1 : end ? p + 1 : p;
    if (knots.multiplicities[i] > most)
      throw Error(fmt::format("'knots': {:g} stands {} times, but at most {} are possible {}",
                              knots.values[i], knots.multiplicities[i], most,
                              periodic ? "in a periodic curve"
                              : end    ? "at an end"
                                       : "inside the curve"));
  }
  if (knots.values.size() < 2) throw Error("'knots': all knots are the same");
  return knots;
}

void check_points(const NurbsDefinition& what) {
  if (what.degree < 1) throw Error(fmt::format("a degree of {} is too low: at least 1", what.degree));
  if (what.degree > Geom_BSplineCurve::MaxDegree())
    throw Error(
        fmt::format("a degree of {} is too high: at most {}", what.degree, Geom_BSplineCurve::MaxDegree()));
  if (count(what.points.size()) < what.degree + 1)
    throw Error(fmt::format("a curve of degree {} needs at least {} control points, found {}", what.degree,
                            what.degree + 1, what.points.size()));
  if (what.weights.empty()) return;
  if (what.weights.size() != what.points.size())
    throw Error(fmt::format("'weights': there are {} weights for {} points", what.weights.size(),
                            what.points.size()));
  for (std::size_t i = 0; i < what.weights.size(); ++i)
    if (!(what.weights[i] > 0))
      throw Error(fmt::format("'weights' must be positive: weight {} is {:g}", i + 1, what.weights[i]));
}

std::vector<double> breaks_of(const Geom_BSplineCurve& spline) {
  const double from = spline.FirstParameter(), to = spline.LastParameter();
  std::vector<double> breaks{from};
  for (int k = 1; k <= spline.NbKnots(); ++k)
    if (spline.Knot(k) > from && spline.Knot(k) < to) breaks.push_back(spline.Knot(k));
  breaks.push_back(to);
  return breaks;
}

std::string text(const Vec3& p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p.x(), p.y(), p.z()); }

}  // namespace

NurbsCurve::NurbsCurve(const Handle(Geom_BSplineCurve) & made, bool closed) {
  const Handle(Geom_BSplineCurve) spline = Handle(Geom_BSplineCurve)::DownCast(made->Copy());
  if (spline->IsPeriodic()) spline->SetNotPeriodic();
  degree_ = spline->Degree();
  for (int i = 1; i <= spline->NbPoles(); ++i) {
    const double w = spline->Weight(i);
    const gp_Pnt p = spline->Pole(i);
    poles_.emplace_back(w * p.X(), w * p.Y(), w * p.Z(), w);
  }
  for (int k = 1; k <= spline->NbKnots(); ++k)
    knots_.insert(knots_.end(), static_cast<std::size_t>(spline->Multiplicity(k)), spline->Knot(k));
  set_domain(breaks_of(*spline), closed);
}

void NurbsCurve::inside(double eta, int derivatives, CurvePoint& out) const {
  // The span [knots[span], knots[span + 1]) with eta in it, the last one including its end.
  const auto p = static_cast<std::size_t>(degree_);
  const auto first = knots_.begin() + degree_, last = knots_.end() - degree_ - 1;
  auto next = std::upper_bound(first, last, eta);
  if (next == last && eta >= *last) next = std::lower_bound(first, last, *last);
  const auto span =
      static_cast<std::size_t>(std::max(next - knots_.begin(), degree_ + std::ptrdiff_t{1})) - 1;
  const double* u = knots_.data();

  std::array<Point, most_degree + 1> control, q;
  for (std::size_t j = 0; j <= p; ++j) control[j] = poles_[span - p + j];
  std::array<Point, 5> h;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(derivatives); ++k) {
    if (k > p) {
      h[k].setZero();
      continue;
    }
    const std::size_t d = p - k;
    if (k > 0)
      for (std::size_t j = 0; j <= d; ++j)
        control[j] =
            static_cast<double>(d + 1) / (u[span + 1 + j] - u[span - d + j]) * (control[j + 1] - control[j]);
    std::copy_n(control.begin(), d + 1, q.begin());
    for (std::size_t r = 1; r <= d; ++r)
      for (std::size_t j = d; j >= r; --j) {
        const double left = u[span - d + j], right = u[span + 1 + j - r];
        q[j] = ((right - eta) * q[j - 1] + (eta - left) * q[j]) / (right - left);
      }
    h[k] = q[d];
  }
  static constexpr int binomial[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
  for (std::size_t k = 0; k <= static_cast<std::size_t>(derivatives); ++k) {
    Vec3 c = h[k].head<3>();
    for (std::size_t i = 1; i <= k; ++i) c -= binomial[k][i] * h[i][3] * out.d[k - i];
    out.d[k] = c / h[0][3];
  }
}

std::unique_ptr<Curve> make_nurbs(const NurbsDefinition& what) {
  check_points(what);
  const KnotVector list = checked_knots(what);
  TColgp_Array1OfPnt poles(1, count(what.points.size()));
  TColStd_Array1OfReal weights(1, count(what.points.size()));
  for (std::size_t i = 0; i < what.points.size(); ++i) {
    poles.SetValue(count(i) + 1, point(what.points[i]));
    weights.SetValue(count(i) + 1, what.weights.empty() ? 1.0 : what.weights[i]);
  }
  TColStd_Array1OfReal knots(1, count(list.values.size()));
  TColStd_Array1OfInteger multiplicities(1, count(list.values.size()));
  for (std::size_t i = 0; i < list.values.size(); ++i) {
    knots.SetValue(count(i) + 1, list.values[i]);
    multiplicities.SetValue(count(i) + 1, list.multiplicities[i]);
  }
  const bool periodic = what.form == NurbsDefinition::Form::periodic;
  return guarded("the curve cannot be made", [&] {
    return std::make_unique<NurbsCurve>(
        new Geom_BSplineCurve(poles, weights, knots, multiplicities, what.degree, periodic),
        what.form != NurbsDefinition::Form::open);
  });
}

std::unique_ptr<Curve> make_interpolated(const std::vector<Vec3>& points, bool closed,
                                         const Vec3* first_tangent, const Vec3* last_tangent) {
  const std::size_t least = closed ? 3 : 2;
  if (points.size() < least)
    throw Error(fmt::format("{} curve needs at least {} points, found {}", closed ? "a closed" : "an open",
                            least, points.size()));
  double size = 0;
  for (const Vec3& p : points) size = std::max(size, (p - points.front()).norm());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i + 1 == points.size() && !closed) break;
    const std::size_t next = (i + 1) % points.size();
    if (!((points[next] - points[i]).norm() > 1e-9 * size))
      throw Error(
          fmt::format("points {} and {} coincide at {}{}", i + 1, next + 1, text(points[i]),
                      closed && next == 0 ? ": a closed curve returns to its first point by itself" : ""));
  }
  Handle(TColgp_HArray1OfPnt) list = new TColgp_HArray1OfPnt(1, count(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) list->SetValue(count(i) + 1, point(points[i]));
  return guarded("the points cannot be interpolated", [&] {
    GeomAPI_Interpolate interpolate(list, closed, 1e-12 * size);
    if (first_tangent != nullptr) interpolate.Load(vector(*first_tangent), vector(*last_tangent), true);
    interpolate.Perform();
    if (!interpolate.IsDone()) throw Error("the points cannot be interpolated");
    return std::make_unique<NurbsCurve>(interpolate.Curve(), closed);
  });
}

std::unique_ptr<Curve> make_line(const Vec3& from, const Vec3& to) {
  NurbsDefinition line;
  line.points = {from, to};
  line.degree = 1;
  line.knots = {0, 0, 1, 1};
  if (!((to - from).norm() > 0)) throw Error("the line has no length: 'from' and 'to' are the same point");
  return make_nurbs(line);
}

std::unique_ptr<Curve> make_arc(const Vec3& from, const Vec3& via, const Vec3& to) {
  const Vec3 a = via - from, b = to - from, n = a.cross(b);
  if (!(n.norm() > 1e-9 * a.norm() * b.norm()) || !(a.norm() > 0) || !(b.norm() > 0))
    throw Error(
        fmt::format("the points {}, {} and {} of the arc lie on a line", text(from), text(via), text(to)));
  const Vec3 centre =
      from + (a.squaredNorm() * b.cross(n) + b.squaredNorm() * n.cross(a)) / (2 * n.squaredNorm());
  const Vec3 x = from - centre, y = n.normalized().cross(x);
  // From a towards b about n: the way over `via` is the one of positive angle.
  double angle = std::atan2((to - centre).dot(y), (to - centre).dot(x));
  if (angle <= 0) angle += 2 * std::acos(-1.0);
  return guarded("the arc cannot be made", [&] {
    const Handle(Geom_Circle) circle =
        new Geom_Circle(gp_Ax2(point(centre), direction(n), direction(x)), x.norm());
    return std::make_unique<NurbsCurve>(
        GeomConvert::CurveToBSplineCurve(new Geom_TrimmedCurve(circle, 0, angle), Convert_TgtThetaOver2),
        false);
  });
}

std::unique_ptr<Curve> make_ellipse(const Vec3& centre, const Vec3& major, const Vec3& minor) {
  const double a = major.norm(), b = minor.norm();
  if (!(a > 0) || !(b > 0)) throw Error("the semi-axes must not be zero");
  if (std::abs(major.dot(minor)) > 1e-9 * a * b)
    throw Error(fmt::format("the semi-axes {} and {} are not perpendicular", text(major), text(minor)));
  // Four arcs of a quarter each, of degree 2: the image of the circle under the map that the axes give.
  const double w = std::sqrt(0.5);
  NurbsDefinition ellipse;
  ellipse.degree = 2;
  ellipse.form = NurbsDefinition::Form::closed;
  for (const auto& [x, y] : std::array<std::pair<int, int>, 9>{
           {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}}}) {
    ellipse.points.push_back(centre + x * major + y * minor);
    ellipse.weights.push_back(x != 0 && y != 0 ? w : 1);
  }
  ellipse.knots = {0, 0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1, 1, 1};
  return make_nurbs(ellipse);
}

}  // namespace trammel::geometry
