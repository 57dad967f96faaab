#include "trammel/point_surface.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel {

namespace {

constexpr int reach = 3;
constexpr std::size_t width = 2 * reach + 1;

// Weights of S at -3h ... 3h for h^n times the n-th derivative: Richardson's extrapolation of central differences.
constexpr std::array<std::array<double, width>, 4> weights{
    {{0, 0, 0, 1, 0, 0, 0},
     {-1.0 / 60, 9.0 / 60, -45.0 / 60, 0, 45.0 / 60, -9.0 / 60, 1.0 / 60},
     {2.0 / 180, -27.0 / 180, 270.0 / 180, -490.0 / 180, 270.0 / 180, -27.0 / 180, 2.0 / 180},
     {1.0 / 8, -8.0 / 8, 13.0 / 8, 0, -13.0 / 8, 8.0 / 8, -1.0 / 8}}};

}  // namespace

void PointSurface::set_domain(const SurfaceRange& u, const SurfaceRange& v, bool reversed, double step) {
  if (!(step > 0) || step > 0.05)
    throw Error(fmt::format(
        "the step of differences must be above 0 and at most 0.05 of the range, found {:g}", step));
  step_u_ = step * u.length();
  step_v_ = step * v.length();
  Surface::set_domain(u, v, reversed);
}

void PointSurface::at(double u, double v, int derivatives, SurfacePoint& out) const {
  for (int k = 0; k <= derivatives; ++k)
    for (int j = 0; j <= k; ++j) out.by(k - j, j).setZero();
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j) {
      // Off the axes stand the mixed derivatives alone.
      if (i != 0 && j != 0 ? derivatives < 2 : derivatives < 1 && (i != 0 || j != 0)) continue;
      const Vec3 p = point_at(u + i * step_u_, v + j * step_v_);
      const auto a = static_cast<std::size_t>(i + reach), b = static_cast<std::size_t>(j + reach);
      for (int k = 0; k <= derivatives; ++k)
        for (int l = 0; k + l <= derivatives; ++l)
          out.by(k, l) +=
              weights[static_cast<std::size_t>(k)][a] * weights[static_cast<std::size_t>(l)][b] * p;
    }
  double by_u = 1;
  for (int k = 0; k <= derivatives; ++k, by_u /= step_u_) {
    double by = by_u;
    for (int l = 0; k + l <= derivatives; ++l, by /= step_v_) out.by(k, l) *= by;
  }
}

}  // namespace trammel
