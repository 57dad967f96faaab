#include "solvers/newton/rotation_update.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/index.hpp"
#include "trammel/lanes.hpp"
#include "trammel/lie/stumpff.hpp"

namespace trammel {

namespace {

/// Up to this square of half the angle a series of so many terms gives sine and cosine to rounding (as lie::stumpff).
constexpr double small = 0.02;
constexpr int terms = 7;

template <class S>
struct Turned {
  std::array<S, 9> R;  ///< by columns
  std::array<S, 4> q;  ///< w, x, y, z
};

template <class S>
S half_square(const std::array<S, 3>& t) {
  return S(0.25) * (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
}

/// The rotation of the quaternion `base` times (c, half theta): of the half angle the cosine, and the sine over the angle.
template <class S>
Turned<S> turned(const std::array<S, 4>& base, const S& c, const S& half, const std::array<S, 3>& theta) {
  using std::sqrt;
  const S x = half * theta[0], y = half * theta[1], z = half * theta[2];
  const S &bw = base[0], &bx = base[1], &by = base[2], &bz = base[3];
  const S w = bw * c - bx * x - by * y - bz * z, qx = bw * x + bx * c + by * z - bz * y,
          qy = bw * y + by * c + bz * x - bx * z, qz = bw * z + bz * c + bx * y - by * x;
  const S length = sqrt(w * w + qx * qx + qy * qy + qz * qz);
  Turned<S> out;
  out.q = {w / length, qx / length, qy / length, qz / length};
  const S &a = out.q[0], &b = out.q[1], &d = out.q[2], &e = out.q[3];
  const S b2 = b + b, d2 = d + d, e2 = e + e, one(1.0);
  const S bb = b2 * b, dd = d2 * d, ee = e2 * e, bd = d2 * b, be = e2 * b, de = e2 * d;
  const S ab = b2 * a, ad = d2 * a, ae = e2 * a;
  out.R = {one - (dd + ee), bd + ae, be - ad, bd - ae,        one - (bb + ee),
           de + ab,         be + ad, de - ab, one - (bb + dd)};
  return out;
}

template <class S>
Turned<S> turned_little(const std::array<S, 4>& base, const std::array<S, 3>& theta) {
  const S x = half_square(theta);
  const S C2 = lie::stumpff_series<2, terms>(x), C1 = lie::stumpff_series<1, terms>(x);
  return turned(base, S(S(1.0) - x * C2), S(S(0.5) * C1), theta);
}

void turn_alone(const Vec3& theta, const double* base, double* value) {
  const std::array<double, 3> t{theta[0], theta[1], theta[2]};
  const std::array<double, 4> q{base[9], base[10], base[11], base[12]};
  Turned<double> out;
  if (const double x = half_square(t); x <= small) {
    out = turned_little(q, t);
  } else {
    const auto C = lie::stumpff<2>(x);
    out = turned(q, C[0], 0.5 * C[1], t);
  }
  std::ranges::copy(out.q, std::ranges::copy(out.R, value).out);
}

}  // namespace

void turn_rotations(std::span<const RotationAt> rotations, std::span<const Vec3> theta, const double* base,
                    double* value) {
  while (rotations.size() >= Lanes::count) {
    const std::span<const RotationAt> these = rotations.first(Lanes::count);
    rotations = rotations.subspan(Lanes::count);
    std::array<Lanes, 3> t;
    std::array<Lanes, 4> q;
    for (int lane = 0; lane < Lanes::count; ++lane) {
      const RotationAt& r = these[at(lane)];
      for (std::size_t k = 0; k < 3; ++k) t[k].set(lane, theta[at(r.unknown)][static_cast<int>(k)]);
      for (std::size_t k = 0; k < 4; ++k) q[k].set(lane, base[at(r.value) + 9 + k]);
    }
    if (!all_less(half_square(t), Lanes(small))) {
      for (const RotationAt& r : these) turn_alone(theta[at(r.unknown)], base + r.value, value + r.value);
      continue;
    }
    const Turned<Lanes> out = turned_little(q, t);
    for (int lane = 0; lane < Lanes::count; ++lane) {
      double* const to = value + these[at(lane)].value;
      for (std::size_t k = 0; k < 9; ++k) to[k] = out.R[k][lane];
      for (std::size_t k = 0; k < 4; ++k) to[9 + k] = out.q[k][lane];
    }
  }
  for (const RotationAt& r : rotations) turn_alone(theta[at(r.unknown)], base + r.value, value + r.value);
}

}  // namespace trammel
