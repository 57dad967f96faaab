#include "trammel/surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "trammel/error.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

constexpr int samples = 24;                 // a direction, in searches
constexpr int cells = 16;                   // a direction, of patches
constexpr double collapsed = 1e-6;          // of |S_u x S_v|, by its mean
constexpr double closing_tolerance = 1e-6;  // of a periodic surface's gap, by its size

std::string text(const Vec3& p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p.x(), p.y(), p.z()); }

double sample(const SurfaceRange& range, int i) { return range.first + range.length() * i / samples; }

/// A number that depends on two parameters, with derivatives up to second order, ordered as those of SurfaceVector.
struct Number {
  std::array<double, 6> d{};
};

/// Sums over Leibniz's rule: out(i, j) = sum of binomials times product(a(k, l), b(i - k, j - l)).
template <class Product, class Out>
void leibniz(const Product& product, Out& out) {
  using V = SurfaceVector<2>;
  const auto at = [](int i, int j) { return V::at(i, j); };
  out.d[0] = product(0, 0);
  const std::size_t u = at(1, 0), v = at(0, 1), uu = at(2, 0), uv = at(1, 1), vv = at(0, 2);
  out.d[u] = product(u, 0) + product(0, u);
  out.d[v] = product(v, 0) + product(0, v);
  out.d[uu] = product(uu, 0) + 2 * product(u, u) + product(0, uu);
  out.d[uv] = product(uv, 0) + product(u, v) + product(v, u) + product(0, uv);
  out.d[vv] = product(vv, 0) + 2 * product(v, v) + product(0, vv);
}

SurfaceVector<2> cross(const SurfaceVector<2>& a, const SurfaceVector<2>& b) {
  SurfaceVector<2> out;
  leibniz([&](std::size_t k, std::size_t l) { return Vec3(a.d[k].cross(b.d[l])); }, out);
  return out;
}

SurfaceVector<2> unit(const SurfaceVector<2>& w) {
  Number q;
  leibniz([&](std::size_t k, std::size_t l) { return w.d[k].dot(w.d[l]); }, q);
  const double f = 1 / std::sqrt(q.d[0]), f1 = -0.5 * f / q.d[0], f2 = -1.5 * f1 / q.d[0];
  using V = SurfaceVector<2>;
  const std::size_t u = V::at(1, 0), v = V::at(0, 1), uu = V::at(2, 0), uv = V::at(1, 1), vv = V::at(0, 2);
  Number s;
  s.d[0] = f;
  s.d[u] = f1 * q.d[u];
  s.d[v] = f1 * q.d[v];
  s.d[uu] = f1 * q.d[uu] + f2 * q.d[u] * q.d[u];
  s.d[uv] = f1 * q.d[uv] + f2 * q.d[u] * q.d[v];
  s.d[vv] = f1 * q.d[vv] + f2 * q.d[v] * q.d[v];
  V out;
  leibniz([&](std::size_t k, std::size_t l) { return Vec3(s.d[k] * w.d[l]); }, out);
  return out;
}

}  // namespace

void Surface::set_domain(const SurfaceRange& u, const SurfaceRange& v, bool reversed) {
  u_ = u;
  v_ = v;
  reversed_ = reversed;
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (int i = 0; i <= samples; ++i)
    for (int j = 0; j <= samples; ++j) {
      const Vec3 p = point({sample(u_, i), sample(v_, j)});
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
  size_ = (high - low).norm();
  if (!(size_ > 0) || !std::isfinite(size_)) throw Error("the surface has no extent");
  require_regular();
  const auto require_closed = [this](bool along_u) {
    const SurfaceRange& range = along_u ? u_ : v_;
    if (!range.periodic) return;
    for (int i = 0; i <= samples; ++i) {
      SurfacePoint a, b;
      const double across = sample(along_u ? v_ : u_, i);
      at(along_u ? range.first : across, along_u ? across : range.first, 0, a);
      at(along_u ? range.last : across, along_u ? across : range.last, 0, b);
      const double gap = (a.d[0] - b.d[0]).norm();
      if (gap > closing_tolerance * size_)
        throw Error(
            fmt::format("the surface is to be periodic in {}, but its edges {} and {} are {:.6g} m apart",
                        along_u ? "u" : "v", text(a.d[0]), text(b.d[0]), gap));
    }
  };
  require_closed(true);
  require_closed(false);
}

void Surface::require_regular() const {
  double sum = 0, least = std::numeric_limits<double>::infinity();
  SurfaceParameters worst;
  for (int i = 0; i <= samples; ++i)
    for (int j = 0; j <= samples; ++j) {
      const SurfaceParameters here{sample(u_, i), sample(v_, j)};
      SurfacePoint p;
      evaluate(here, 1, p);
      const double area = p.by(1, 0).cross(p.by(0, 1)).norm();
      sum += area;
      if (area < least) least = area, worst = here;
    }
  if (!(least > collapsed * sum / ((samples + 1) * (samples + 1))))
    throw Error(
        fmt::format("the surface collapses at {} (u = {:.6g}, v = {:.6g}): it has a pole there, or control "
                    "points that coincide, and no normal",
                    text(point(worst)), worst.u, worst.v));
}

SurfaceParameters Surface::wrapped(const SurfaceParameters& at) const {
  const auto wrap = [](const SurfaceRange& range, double x) {
    if (!range.periodic || (x >= range.first && x <= range.last)) return x;
    return std::clamp(x - std::floor((x - range.first) / range.length()) * range.length(), range.first,
                      range.last);
  };
  return {wrap(u_, at.u), wrap(v_, at.v)};
}

void Surface::evaluate(const SurfaceParameters& where, int derivatives, SurfacePoint& out) const {
  const SurfaceParameters inside = wrapped(where);
  at(inside.u, inside.v, derivatives, out);
}

Vec3 Surface::point(const SurfaceParameters& where) const {
  SurfacePoint p;
  evaluate(where, 0, p);
  return p.d[0];
}

Vec3 Surface::normal(const SurfaceParameters& where) const {
  SurfacePoint p;
  evaluate(where, 1, p);
  const Vec3 n = p.by(1, 0).cross(p.by(0, 1));
  return (reversed_ ? -1 : 1) * n / n.norm();
}

SurfaceDirections Surface::directions(const SurfacePoint& p) const {
  SurfaceVector<2> a, b;
  for (int i = 0; i <= 2; ++i)
    for (int j = 0; i + j <= 2; ++j) {
      a.by(i, j) = p.by(i + 1, j);
      b.by(i, j) = p.by(i, j + 1);
    }
  SurfaceDirections out{unit(a), unit(b), {}};
  out.normal = unit(cross(out.u, out.v));
  if (reversed_)
    for (Vec3& d : out.normal.d) d = -d;
  return out;
}

SurfaceCurvatures Surface::curvatures(const SurfaceParameters& where) const {
  SurfacePoint p;
  evaluate(where, 2, p);
  const Vec3 n = normal(where);
  // The shape operator in an orthonormal basis (e1, e2) of the tangent plane: S_u = (a, 0), S_v = (b, c).
  const Vec3 e1 = p.by(1, 0).normalized(), e2 = n.cross(e1);
  Eigen::Matrix2d basis, second;
  basis << p.by(1, 0).dot(e1), p.by(0, 1).dot(e1), p.by(1, 0).dot(e2), p.by(0, 1).dot(e2);
  second << p.by(2, 0).dot(n), p.by(1, 1).dot(n), p.by(1, 1).dot(n), p.by(0, 2).dot(n);
  const Eigen::Matrix2d inverse = basis.inverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> solver(inverse.transpose() * second * inverse);
  const auto direction = [&](int i) {
    return Vec3(solver.eigenvectors()(0, i) * e1 + solver.eigenvectors()(1, i) * e2);
  };
  return {solver.eigenvalues()[0], solver.eigenvalues()[1], direction(0), direction(1)};
}

std::vector<SurfacePatch> Surface::patches() const {
  const double du = u_.length() / cells, dv = v_.length() / cells;
  std::vector<SurfacePatch> all;
  all.reserve(static_cast<std::size_t>(cells * cells));
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j)
      all.push_back(sampled_patch({u_.first + i * du, v_.first + j * dv},
                                  {u_.first + (i + 1) * du, v_.first + (j + 1) * dv}));
  return all;
}

SurfacePatch Surface::sampled_patch(const SurfaceParameters& first, const SurfaceParameters& last) const {
  constexpr int parts = 2;  // of the cell, a direction
  SurfacePatch patch{first, last, {}};
  // Between samples a point lies off the bilinear interpolation by at most an eighth of the second derivatives times
  // the squares of the distances; the third ones say by how much those grow between the samples.
  const double hu = (last.u - first.u) / parts, hv = (last.v - first.v) / parts;
  double off = 0;
  for (int k = 0; k <= parts; ++k)
    for (int l = 0; l <= parts; ++l) {
      SurfacePoint p;
      at(first.u + k * hu, first.v + l * hv, 3, p);
      patch.box.extend(p.d[0]);
      const double uu = p.by(2, 0).norm() + 0.5 * (hu * p.by(3, 0).norm() + hv * p.by(2, 1).norm()),
                   uv = p.by(1, 1).norm() + 0.5 * (hu * p.by(2, 1).norm() + hv * p.by(1, 2).norm()),
                   vv = p.by(0, 2).norm() + 0.5 * (hu * p.by(1, 2).norm() + hv * p.by(0, 3).norm());
      off = std::max(off, 0.125 * (hu * hu * uu + 2 * hu * hv * uv + hv * hv * vv));
    }
  patch.box.min().array() -= off;
  patch.box.max().array() += off;
  return patch;
}

double Surface::beyond(const SurfaceParameters& where) const {
  const auto off = [](const SurfaceRange& range, double x) {
    return range.has_ends() ? std::max({0.0, range.first - x, x - range.last}) / range.length() : 0.0;
  };
  const double off_ends = std::max(off(u_, where.u), off(v_, where.v));
  if (off_ends > 0) return off_ends;
  const SurfaceParameters inside = wrapped(where);
  return covers(inside.u, inside.v) ? 0 : 1;
}

bool Surface::covers(double, double) const { return true; }

std::string Surface::describe(double u, double v) const {
  return fmt::format("u = {:.6g}, v = {:.6g}", u, v);
}

std::string Surface::described(const SurfaceParameters& where) const {
  const SurfaceParameters inside = wrapped(where);
  return describe(inside.u, inside.v);
}

SurfaceParameters Surface::nearest(const Vec3& to, const SurfaceParameters& guess) const {
  const std::array<const SurfaceRange*, 2> ranges{&u_, &v_};
  Eigen::Vector2d x(guess.u, guess.v);
  const auto clamp = [&](Eigen::Vector2d& y) {
    for (int k = 0; k < 2; ++k) {
      const SurfaceRange& range = *ranges[static_cast<std::size_t>(k)];
      if (range.has_ends()) y[k] = std::clamp(y[k], range.first, range.last);
    }
  };
  clamp(x);
  const auto distance = [&](const Eigen::Vector2d& y) { return (point({y[0], y[1]}) - to).squaredNorm(); };
  double now = distance(x);
  for (int iteration = 0; iteration < 60; ++iteration) {
    SurfacePoint p;
    evaluate({x[0], x[1]}, 2, p);
    const Vec3 r = p.d[0] - to;
    Eigen::Vector2d g(r.dot(p.by(1, 0)), r.dot(p.by(0, 1)));
    Eigen::Matrix2d gauss, H;
    gauss << p.by(1, 0).squaredNorm(), p.by(1, 0).dot(p.by(0, 1)), 0, p.by(0, 1).squaredNorm();
    gauss(1, 0) = gauss(0, 1);
    H << r.dot(p.by(2, 0)), r.dot(p.by(1, 1)), r.dot(p.by(1, 1)), r.dot(p.by(0, 2));
    H += gauss;
    if (!(H.determinant() > 0.01 * gauss.determinant()) || !(H(0, 0) > 0)) H = gauss;
    // A parameter at an end of its range, with a step that points outwards, is kept fixed.
    for (int k = 0; k < 2; ++k) {
      const SurfaceRange& range = *ranges[static_cast<std::size_t>(k)];
      const bool held =
          range.has_ends() && ((x[k] <= range.first && g[k] > 0) || (x[k] >= range.last && g[k] < 0));
      if (!held) continue;
      g[k] = 0;
      H(0, 1) = H(1, 0) = 0;
      H(k, k) = 1;
    }
    Eigen::Vector2d step = -(H.inverse() * g);
    for (int k = 0; k < 2; ++k) {
      const double most = 0.1 * ranges[static_cast<std::size_t>(k)]->length();
      if (std::abs(step[k]) > most) step *= most / std::abs(step[k]);
    }
    bool moved = false;
    for (int half = 0; half < 40 && !moved; ++half, step *= 0.5) {
      Eigen::Vector2d next = x + step;
      clamp(next);
      const double then = distance(next);
      if (!(then <= now)) continue;
      moved = (next - x).cwiseQuotient(Eigen::Vector2d(u_.length(), v_.length())).norm() > 1e-16;
      x = next;
      now = then;
      break;
    }
    if (!moved) break;
  }
  return {x[0], x[1]};
}

SurfaceParameters Surface::nearest(const Vec3& to) const {
  constexpr int n = samples + 1;
  std::vector<double> distances;
  distances.reserve(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      distances.push_back((point({sample(u_, i), sample(v_, j)}) - to).squaredNorm());
  const auto distance = [&](int i, int j) {
    return i < 0 || j < 0 || i >= n || j >= n ? std::numeric_limits<double>::infinity()
                                              : distances[static_cast<std::size_t>(i * n + j)];
  };
  struct Nearest {
    SurfaceParameters at;
    double distance = std::numeric_limits<double>::infinity();
  } kept, any;  // of the points that are not trimmed away, and of all
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double here = distance(i, j);
      if (here > distance(i - 1, j) || here > distance(i + 1, j) || here > distance(i, j - 1) ||
          here > distance(i, j + 1))
        continue;
      const SurfaceParameters found = nearest(to, {sample(u_, i), sample(v_, j)});
      const double off = (point(found) - to).norm();
      if (off < any.distance - 1e-12 * size_) any = {found, off};
      if (off < kept.distance - 1e-12 * size_ && beyond(found) == 0) kept = {found, off};
    }
  return wrapped(std::isfinite(kept.distance) ? kept.at : any.at);
}

void offer_surface(Builder& builder, std::shared_ptr<const Surface> surface, const Marker& marker,
                   const Location& where) {
  if (marker.is_point())
    throw Error(where, "marker '" + marker.name() +
                           "' is a point without orientation: a surface cannot be fixed in it");
  builder.offer_marker("", marker);
  builder.offer("surface", std::make_shared<const PlacedSurface>(PlacedSurface{std::move(surface), marker}));
}

PlacedSurface find_surface(Builder& builder, const Value& name) {
  if (name.is_scalar())
    if (const auto found = builder.find<PlacedSurface>(name.text + ".surface")) return *found;
  std::vector<std::string> known;
  for (const Entity& entity : builder.entities())
    if (entity.category == category_name(surface_category)) known.push_back(entity.name);
  const std::string near = name.is_scalar() ? did_you_mean(name.text, known) : std::string();
  throw Error(name.where, (name.is_scalar() ? "there is no surface " + in_quotes(name.text)
                                            : "expected the name of a surface, found " + name.described()) +
                              (near.empty() ? "." : near) +
                              (known.empty() ? " The case has no 'surfaces'"
                                             : " Surfaces: " + list_of_names(known, name.text)));
}

}  // namespace trammel
