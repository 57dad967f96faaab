#include "derived_surfaces.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel::surfaces {

namespace {

constexpr double part = 2e-4;  // of a range: the step of differences
constexpr int samples = 24;    // of each parameter

/// Fills the third derivatives from differences of fourth order of the second ones, which `second` gives at a place.
template <class Second, class Point>
void third_by_differences(const Second& second, double u, double v, double step_u, double step_v,
                          Point& out) {
  out.by(3, 0) = out.by(2, 1) = out.by(1, 2) = out.by(0, 3) = Vec3::Zero();
  for (const auto& [steps, weight] :
       {std::pair(-2, 1.0 / 12), std::pair(-1, -2.0 / 3), std::pair(1, 2.0 / 3), std::pair(2, -1.0 / 12)}) {
    SurfaceVector<2> there;
    second(u + steps * step_u, v, there);
    out.by(3, 0) += weight / step_u * there.by(2, 0);
    out.by(2, 1) += weight / step_u * there.by(1, 1);
    out.by(1, 2) += weight / step_u * there.by(0, 2);
    second(u, v + steps * step_v, there);
    out.by(0, 3) += weight / step_v * there.by(0, 2);
  }
}

SurfaceRange along(const Curve& curve) {
  return {.first = curve.first(), .last = curve.last(), .periodic = curve.closed()};
}

}  // namespace

FormulaSurface::FormulaSurface(std::array<FormulaPtr, 3> point, const SurfaceRange& u, const SurfaceRange& v,
                               bool reversed)
    : point_(std::move(point)), step_u_(part * u.length()), step_v_(part * v.length()) {
  set_domain(u, v, reversed);
}

void FormulaSurface::up_to_second(double u, double v, SurfacePoint& out) const {
  const std::array<double, 2> values{u, v};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    std::array<double, 2> gradient{};
    std::array<double, 3> hessian{};
    out.d[0][row] = point_[i]->evaluate(values, gradient.data(), hessian.data());
    for (std::size_t k = 1; k < 6; ++k) out.d[k][row] = 0;
    const std::vector<int>& of = point_[i]->variables();
    for (std::size_t a = 0; a < of.size(); ++a) {
      out.d[of[a] == 0 ? 1 : 2][row] = gradient[a];
      for (std::size_t b = 0; b <= a; ++b)
        out.d[static_cast<std::size_t>(3 + of[a] + of[b])][row] = hessian[a * (a + 1) / 2 + b];
    }
  }
}

void FormulaSurface::at(double u, double v, int derivatives, SurfacePoint& out) const {
  up_to_second(u, v, out);
  if (derivatives < 3) return;
  const auto second = [&](double x, double y, SurfaceVector<2>& p) {
    SurfacePoint all;
    up_to_second(x, y, all);
    std::copy_n(all.d.begin(), p.d.size(), p.d.begin());
  };
  third_by_differences(second, u, v, step_u_, step_v_, out);
}

OffsetSurface::OffsetSurface(std::shared_ptr<const Surface> of, double distance, bool reversed)
    : of_(std::move(of)), distance_(distance) {
  for (int i = 0; i <= samples; ++i)
    for (int j = 0; j <= samples; ++j) {
      const SurfaceParameters at{of_->u().first + of_->u().length() * i / samples,
                                 of_->v().first + of_->v().length() * j / samples};
      const SurfaceCurvatures c = of_->curvatures(at);
      const double k = distance * c.most > distance * c.least ? c.most : c.least;
      if (distance * k < 1) continue;
      const Vec3 p = of_->point(at);
      throw Error(
          fmt::format("an offset of {:g} m reaches the centre of curvature of the surface at [{:.6g}, "
                      "{:.6g}, {:.6g}], where its radius is {:.6g} m",
                      distance, p.x(), p.y(), p.z(), 1 / k));
    }
  set_domain(of_->u(), of_->v(), of_->reversed() != reversed);
}

void OffsetSurface::at(double u, double v, int derivatives, SurfacePoint& out) const {
  const auto normal = [&](double x, double y, SurfaceVector<2>& n) {
    SurfacePoint p;
    of_->evaluate({x, y}, 3, p);
    n = of_->directions(p).normal;
  };
  of_->evaluate({u, v}, 3, out);
  SurfacePoint n;
  const SurfaceVector<2> here = of_->directions(out).normal;
  std::copy(here.d.begin(), here.d.end(), n.d.begin());
  const std::size_t count = derivatives < 3 ? here.d.size() : n.d.size();
  if (derivatives == 3)
    third_by_differences(normal, u, v, part * of_->u().length(), part * of_->v().length(), n);
  for (std::size_t k = 0; k < count; ++k) out.d[k] += distance_ * n.d[k];
}

Sweep::Sweep(std::shared_ptr<const Curve> profile, std::shared_ptr<const Curve> track, bool reversed)
    : profile_(std::move(profile)), track_(std::move(track)), start_(track_->point(track_->first())) {
  set_domain(along(*profile_), along(*track_), reversed);
}

void Sweep::at(double u, double v, int derivatives, SurfacePoint& out) const {
  CurvePoint c, t;
  profile_->evaluate(u, derivatives, c);
  track_->evaluate(v, derivatives, t);
  for (int i = 0; i <= derivatives; ++i)
    for (int j = 0; i + j <= derivatives; ++j)
      out.by(i, j) = j == 0   ? c.d[static_cast<std::size_t>(i)]
                     : i == 0 ? t.d[static_cast<std::size_t>(j)]
                              : Vec3(Vec3::Zero());
  out.d[0] += t.d[0] - start_;
}

}  // namespace trammel::surfaces
