#pragma once

#include "trammel/lie.hpp"

namespace trammel {

/// The part of a force f across the unit tangent t of a track, N = |f - (f . t) t|, with its derivatives by f and, where t is
/// t(s), by s: what a law of friction along the track multiplies. With t = 0 it is |f|. Not for N = 0 (`smooth`), where it
/// has no derivatives.
class ForceAcross {
 public:
  ForceAcross(const Vec3& f, const Vec3& t)
      : f_(f), t_(t), along_(f.dot(t)), across_(f - along_ * t), value_(across_.norm()) {}

  double value() const { return value_; }
  /// False where N vanishes against f up to roundoff.
  bool smooth() const { return value_ > 1e-12 * f_.norm(); }

  /// dN/df.
  Vec3 by_f() const { return across_ / value_; }
  Mat3 by_f_f() const {
    const Vec3 g = by_f();
    return (Mat3::Identity() - t_ * t_.transpose() - g * g.transpose()) / value_;
  }
  /// dN/ds, with t' = dt/ds.
  double by_s(const Vec3& t1) const { return -along_ * f_.dot(t1) / value_; }
  Vec3 by_f_s(const Vec3& t1) const { return -(f_.dot(t1) * t_ + along_ * t1 + by_s(t1) * by_f()) / value_; }
  double by_s_s(const Vec3& t1, const Vec3& t2) const {
    const double change = f_.dot(t1), slope = by_s(t1);
    return -(change * change + along_ * f_.dot(t2) + slope * slope) / value_;
  }

 private:
  Vec3 f_, t_;
  double along_;
  Vec3 across_;
  double value_;
};

}  // namespace trammel
