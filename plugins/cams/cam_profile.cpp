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

/// cos and sin of an angle, from its own series and that of its derivative.
struct Turn {
  Series cos, sin;
  Turn(double angle, const Series& rate) {
    cos.c[0] = std::cos(angle);
    sin.c[0] = std::sin(angle);
    for (std::size_t k = 0; k + 1 < Series::terms; ++k) {
      double dc = 0, ds = 0;
      for (std::size_t i = 0; i <= k; ++i) {
        dc -= rate.c[i] * sin.c[k - i];
        ds += rate.c[i] * cos.c[k - i];
      }
      cos.c[k + 1] = dc / static_cast<double>(k + 1);
      sin.c[k + 1] = ds / static_cast<double>(k + 1);
    }
  }
};

}  // namespace

/// A point of the outline in axes that turn against the cam.
struct CamProfile::Outline {
  Series x, y;
  double tangent_x = 1, tangent_y = 0;  ///< of unit length, in which the point moves on the cam
  double reach = 0;                     ///< from the cam's axis to the roller's centre, or the point [m]
};

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
  if (!what_.swing && !what_.flat && !(std::abs(what_.offset) < what_.prime_radius))
    throw Error(fmt::format("the offset of {:g} m must be below the prime radius of {:g} m", what_.offset,
                            what_.prime_radius));
  height_ = what_.flat || what_.swing
                ? what_.prime_radius
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
      if (!what_.swing && !(height_ + s[0] > what_.roller_radius))
        throw Error(
            fmt::format("the follower would reach the cam's axis at {:.4g} degrees", theta * 180 / pi));
      // Speed of the outline along the follower's surface, by theta: 1 / curvature of the cam, times the rate of its normal.
      const Outline at = outline(std::min(theta, 2 * pi * (1 - 1e-15)));
      if (!(at.reach > what_.roller_radius))
        throw Error(
            fmt::format("the follower would reach the cam's axis at {:.4g} degrees", theta * 180 / pi));
      const double speed = (at.x.c[1] + at.y.c[0]) * at.tangent_x + (at.y.c[1] - at.x.c[0]) * at.tangent_y;
      if (!(speed > 0))
        throw Error(fmt::format("the motion law undercuts the cam at {:.4g} degrees: take a larger {}{}",
                                theta * 180 / pi, what_.swing ? "distance of the follower" : "prime radius",
                                what_.flat ? "" : " or a smaller roller"));
    }
}

CamProfile::Outline CamProfile::outline(double theta) const {
  const std::array<double, 6> s = lift(theta);
  const Series rate = series(s, 1);
  Outline out;
  // The roller's centre, or the point of the face, and the rate of the former in the axes that stand still.
  Series x_rate, y_rate = rate;
  out.y = series(s, 0);
  out.y.c[0] += height_;
  if (what_.swing) {
    const Swing& swing = *what_.swing;
    const Turn turn(swing.angle + s[0], rate);
    Series along;  // from the pivot
    if (what_.flat) {
      // Where the face moves along itself against the cam: along s' = along + pivot . direction.
      Series less = -1.0 * rate;
      less.c[0] += 1;
      const Series root = inverse_root(less);
      along = -1.0 * (root * root * (swing.x * turn.cos + swing.y * turn.sin));
    } else {
      along.c[0] = swing.arm;
    }
    const double side = swing.x * -std::sin(swing.angle) + swing.y * std::cos(swing.angle) < 0 ? -1 : 1;
    const double across = what_.flat ? side * swing.offset : 0;
    out.x = along * turn.cos - across * turn.sin;
    out.y = along * turn.sin + across * turn.cos;
    out.x.c[0] += swing.x;
    out.y.c[0] += swing.y;
    x_rate = -1.0 * (along * rate * turn.sin);
    y_rate = along * rate * turn.cos;
    const double forwards = out.y.c[0] * turn.cos.c[0] - out.x.c[0] * turn.sin.c[0] < 0 ? -1 : 1;
    out.tangent_x = forwards * turn.cos.c[0];
    out.tangent_y = forwards * turn.sin.c[0];
  } else if (what_.flat) {
    out.x = rate;
  } else {
    out.x.c[0] = what_.offset;
  }
  out.reach = std::hypot(out.x.c[0], out.y.c[0]);
  if (what_.flat) return out;
  // The centre's path on the cam goes along (wx, wy), the roller lies to its left.
  const Series wx = x_rate + out.y, wy = y_rate - out.x, root = inverse_root(wx * wx + wy * wy);
  out.tangent_x = root.c[0] * wx.c[0];
  out.tangent_y = root.c[0] * wy.c[0];
  const Series f = what_.roller_radius * root;
  out.x = out.x + f * wy;
  out.y = out.y - f * wx;
  return out;
}

void CamProfile::inside(double eta, int derivatives, CurvePoint& out) const {
  const Outline at = outline(eta);
  Series x = at.x, y = at.y;
  const double c = std::cos(eta), sine = std::sin(eta);
  for (int k = 0; k <= derivatives; ++k) {
    out.d[static_cast<std::size_t>(k)] = Vec3(x.c[0] * c + y.c[0] * sine, -x.c[0] * sine + y.c[0] * c, 0);
    const Series next = x.derivative() + y;
    y = y.derivative() - x;
    x = next;
  }
}

}  // namespace trammel::cams
