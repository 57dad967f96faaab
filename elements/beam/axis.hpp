#pragma once

#include <memory>
#include <vector>

#include "trammel/lie.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel::beam {

/// The reference axis of a beam with the triads of its sections: t1 is the tangent.
class Axis {
 public:
  virtual ~Axis() = default;
  double length() const { return length_; }
  /// X_WS at the arc length s [m].
  virtual Pose pose(double s) const = 0;
  /// True where every piece of the same length has the same shape.
  virtual bool uniform() const { return false; }
  /// Mean of (R^T r', axial(R^T R')) over [from, to]: the twist that carries one triad into the other, by
  /// length.
  virtual Vec6 strain(double from, double to) const;

 protected:
  double length_ = 0;
};

/// An axis whose strain is constant: X(s) = X(0) exp(s (e1, curvature)). Straight lines, twisted straight
/// lines, arcs and helices, exactly.
class ConstantCurvatureAxis final : public Axis {
 public:
  /// `curvature`: axial(R^T R') in the triad [1/m]. Throws Error where the length is not positive.
  ConstantCurvatureAxis(const Pose& start, const Vec3& curvature, double length);
  Pose pose(double s) const override;
  bool uniform() const override { return true; }
  Vec6 strain(double from, double to) const override;

 private:
  Pose start_;
  Vec6 strain_;
};

/// The triad with t1 along `tangent` and t3 in the plane of t1 and `up`, on the side of `up`. Without `up`:
/// the world's z, or where the tangent is within 2.5 degrees of z the direction that x takes as z turns into
/// the tangent. Throws Error where `tangent` is zero or `up` along it.
Mat3 triad(const Vec3& tangent, const Vec3* up);

/// From one point to another; `twist`: rotation of the end section about the axis relative to the first
/// [rad].
std::unique_ptr<Axis> straight_axis(const Vec3& from, const Vec3& to, const Vec3* up, double twist);
/// The circle through three points, from the first to the last. Throws Error where they lie on a line.
std::unique_ptr<Axis> arc_axis(const Vec3& from, const Vec3& via, const Vec3& to, const Vec3* up);
/// The circle about `centre`, turning by `angle` about `normal` (right-hand rule).
std::unique_ptr<Axis> arc_axis(const Vec3& from, const Vec3& centre, const Vec3& normal, double angle,
                               const Vec3* up);
/// A helix about the line through `centre` along `direction`; each turn (right-hand rule about `direction`)
/// advances by `pitch`; a negative pitch makes it left-handed.
std::unique_ptr<Axis> helix_axis(const Vec3& from, const Vec3& centre, const Vec3& direction, double pitch,
                                 double turns, const Vec3* up);
/// A cubic spline through points, parametrized by chord length, with triads that don't turn about the
/// tangent, and besides turn by `twist` from end to end.
std::unique_ptr<Axis> spline_axis(const std::vector<Vec3>& points, const Vec3* up, double twist);

}  // namespace trammel::beam
