#include "cam_profile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel::cams {

namespace {

constexpr double pi = std::numbers::pi;
constexpr int samples_of_a_segment = 200;  // in the search for an undercut

/// A function of theta by its Taylor coefficients at a point.
struct Series {
  static constexpr std::size_t terms = 5;
  std::array<double, terms> c{};

  friend Series operator+(Series a, const Series& b) {
    for (std::size_t k = 0; k < terms; ++k) a.c[k] += b.c[k];
    return a;
  }
  friend Series operator-(Series a, const Series& b) {
    for (std::size_t k = 0; k < terms; ++k) a.c[k] -= b.c[k];
    return a;
  }
  friend Series operator*(double f, Series a) {
    for (double& x : a.c) x *= f;
    return a;
  }
  friend Series operator*(const Series& a, const Series& b) {
    Series out;
    for (std::size_t i = 0; i < terms; ++i)
      for (std::size_t j = 0; i + j < terms; ++j) out.c[i + j] += a.c[i] * b.c[j];
    return out;
  }
  /// The last term of a derivative is unknown, and set to zero.
  Series derivative() const {
    Series out;
    for (std::size_t k = 1; k < terms; ++k) out.c[k - 1] = static_cast<double>(k) * c[k];
    return out;
  }
};

/// q^(-1/2): f = q^p solves q f' = p q' f, term by term.
Series inverse_root(const Series& q) {
  Series f;
  f.c[0] = 1 / std::sqrt(q.c[0]);
  for (std::size_t k = 1; k < Series::terms; ++k) {
    double sum = 0;
    for (std::size_t i = 1; i <= k; ++i)
      sum += (-0.5 * static_cast<double>(i) - static_cast<double>(k - i)) * q.c[i] * f.c[k - i];
    f.c[k] = sum / (static_cast<double>(k) * q.c[0]);
  }
  return f;
}

/// The Taylor coefficients of a function, or of its derivative, from its derivatives.
Series series(const std::array<double, 6>& derivatives, std::size_t from) {
  Series out;
  double factorial = 1;
  for (std::size_t k = 0; k < Series::terms; ++k) {
    if (k > 0) factorial *= static_cast<double>(k);
    out.c[k] = (k + from < derivatives.size() ? derivatives[k + from] : 0) / factorial;
  }
  return out;
}

}  // namespace

CamProfile::CamProfile(CamDefinition what) : what_(std::move(what)) {
  if (what_.law.empty()) throw Error("the motion law has no segments");
  double turn = 0, lift = 0;
  std::vector<double> breaks{0};
  for (const Segment& segment : what_.law) {
    if (!(segment.over > 0))
      throw Error("each segment of the motion law must turn the cam by more than zero");
    starts_.push_back(turn);
    lifts_.push_back(lift);
    turn += segment.over;
    lift += segment.rise;
    breaks.push_back(turn);
  }
  if (std::abs(turn - 2 * pi) > 1e-9)
    throw Error(fmt::format(
        "the segments of the motion law turn the cam by {:.9g} rad in all, not by a full turn", turn));
  if (std::abs(lift) > 1e-12)
    throw Error(fmt::format("the motion law ends {:.6g} m from where it begins", lift));
  if (!what_.flat && !(std::abs(what_.offset) < what_.prime_radius))
    throw Error(fmt::format("the offset of {:g} m must be below the prime radius of {:g} m", what_.offset,
                            what_.prime_radius));
  height_ = what_.flat ? what_.prime_radius
                       : std::sqrt(what_.prime_radius * what_.prime_radius - what_.offset * what_.offset);
  breaks.back() = 2 * pi;
  require_no_undercut();
  set_domain(std::move(breaks), true);
}

std::array<double, 6> CamProfile::lift(double theta) const {
  const auto next = std::upper_bound(starts_.begin() + 1, starts_.end(), theta);
  const auto i = static_cast<std::size_t>(next - starts_.begin() - 1);
  const Segment& segment = what_.law[i];
  const double x = (theta - starts_[i]) / segment.over, w = 2 * pi / segment.over,
               h = segment.rise / (2 * pi);
  const double s = std::sin(2 * pi * x), c = std::cos(2 * pi * x);
  return {lifts_[i] + segment.rise * x - h * s,
          h * w * (1 - c),
          h * w * w * s,
          h * w * w * w * c,
          -h * w * w * w * w * s,
          -h * w * w * w * w * w * c};
}

void CamProfile::require_no_undercut() const {
  for (std::size_t i = 0; i < starts_.size(); ++i)
    for (int k = 0; k <= samples_of_a_segment; ++k) {
      const double theta = starts_[i] + what_.law[i].over * k / samples_of_a_segment;
      const std::array<double, 6> s = lift(std::min(theta, 2 * pi * (1 - 1e-15)));
      const double y = height_ + s[0], x = s[1] - what_.offset;
      if (!(y > what_.roller_radius))
        throw Error(
            fmt::format("the follower would reach the cam's axis at {:.4g} degrees", theta * 180 / pi));
      // Speed of the outline along the follower's surface, by theta: 1 / curvature of the cam, times the rate of its normal.
      double speed = 0;
      if (what_.flat) {
        speed = s[2] + y;
      } else {
        const double d2 = x * x + y * y, d = std::sqrt(d2);
        speed = d - what_.roller_radius * (y * (y - s[2]) + x * (x + s[1])) / d2;
      }
      if (!(speed > 0))
        throw Error(
            fmt::format("the motion law undercuts the cam at {:.4g} degrees: take a larger prime radius{}",
                        theta * 180 / pi, what_.flat ? "" : " or a smaller roller"));
    }
}

void CamProfile::inside(double eta, int derivatives, CurvePoint& out) const {
  const std::array<double, 6> s = lift(eta);
  // In axes that turn against the cam: the outline's point, x across the follower's line, y along it.
  Series x, y = series(s, 0);
  y.c[0] += height_;
  if (what_.flat) {
    x = series(s, 1);
  } else {
    Series slope = series(s, 1);
    slope.c[0] -= what_.offset;
    const Series f = what_.roller_radius * inverse_root(slope * slope + y * y);
    x = f * slope;
    x.c[0] += what_.offset;
    y = y - f * y;
  }
  const double c = std::cos(eta), sine = std::sin(eta);
  for (int k = 0; k <= derivatives; ++k) {
    out.d[static_cast<std::size_t>(k)] = Vec3(x.c[0] * c + y.c[0] * sine, -x.c[0] * sine + y.c[0] * c, 0);
    const Series next = x.derivative() + y;
    y = y.derivative() - x;
    x = next;
  }
}

}  // namespace trammel::cams
