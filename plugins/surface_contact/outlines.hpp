#pragma once

#include "trammel/curve.hpp"

namespace trammel::surface_contact {

/// Axes of a plane: two orthonormal vectors, and the origin of the curves in it.
struct PlaneAxes {
  Vec3 origin = Vec3::Zero(), e1 = Vec3::UnitX(), e2 = Vec3::UnitY();

  Vec3 axis() const { return e1.cross(e2); }
};

/// origin + a cos(eta) e1 + b sin(eta) e2, eta [rad]; closed.
class Ellipse final : public Curve {
 public:
  Ellipse(const PlaneAxes& axes, double a, double b);

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override;

 private:
  PlaneAxes axes_;
  double a_, b_;
};

/// Two straight lines along e1 of the length `straight`, joined by half circles of the radius `radius`; eta is the arc length [m]
/// from the middle of the line at -radius e2, in the sense of e1 x e2. Closed; the curvature jumps where lines and arcs meet.
class Stadium final : public Curve {
 public:
  Stadium(const PlaneAxes& axes, double straight, double radius);

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override;

 private:
  PlaneAxes axes_;
  double half_, radius_, arc_;
};

/// origin + eta e1 [m], eta from -half to half.
class StraightLine final : public Curve {
 public:
  StraightLine(const PlaneAxes& axes, double half);

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override;

 private:
  PlaneAxes axes_;
};

}  // namespace trammel::surface_contact
