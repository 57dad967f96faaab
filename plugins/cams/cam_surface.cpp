#include "cam_surface.hpp"

#include <algorithm>
#include <array>

namespace trammel::cams {

namespace {

Vec3 outward(const Curve& outline, double eta) {
  CurvePoint c;
  outline.evaluate(eta, 1, c);
  return Vec3(-c.d[1].y(), c.d[1].x(), 0).normalized();
}

}  // namespace

CamSurface::CamSurface(const Curve& outline, const KnotChoice& choice, const CamWidth& across, bool reversed)
    : across_(across),
      points_(knots_along(outline, choice), outline.last() - outline.first(),
              [&](double eta) { return outline.point(eta); }),
      normals_(points_.knots(), points_.period(), [&](double eta) { return outward(outline, eta); }) {
  set_domain({.first = outline.first(), .last = outline.last(), .periodic = true}, {.first = 0, .last = 1},
             !reversed);
}

std::vector<SurfacePatch> CamSurface::patches() const {
  std::vector<double> borders = points_.knots();
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  borders.push_back(u().last);
  std::vector<SurfacePatch> all;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i)
    for (const double v : {0.0, 0.5})
      all.push_back(sampled_patch({borders[i], v}, {borders[i + 1], v + 0.5}));
  return all;
}

void CamSurface::at(double u, double v, int derivatives, SurfacePoint& out) const {
  CurvePoint C, N;
  points_.evaluate(u, derivatives, C);
  normals_.evaluate(u, derivatives, N);
  const double x = 2 * v - 1, k = across_.crown;
  const std::array<double, 4> d{-k * x * x, -4 * k * x, -8 * k, 0};  // and its derivatives by v
  const std::array<double, 4> z{across_.width * (v - 0.5), across_.width, 0, 0};
  for (int i = 0; i <= derivatives; ++i)
    for (int j = 0; i + j <= derivatives; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      Vec3& p = out.by(i, j);
      p = d[b] * N.d[a];
      if (j == 0) p += C.d[a];
      if (i == 0) p.z() += z[b];
    }
}

}  // namespace trammel::cams
