#pragma once

#include <memory>
#include <vector>

#include "trammel/curve.hpp"

namespace trammel::curve_sliding {

/// The moving frame F of a curve in its axes A: R_AF and its first and second derivative by eta. e3 is the tangent, e1
/// the normal that the frame is named by, e2 = e3 x e1.
struct FrameAlong {
  Mat3 R, R1, R2;
};

class MovingFrame {
 public:
  virtual ~MovingFrame() = default;
  virtual void evaluate(double eta, FrameAlong& out) const = 0;
};

/// The unit tangent with its first and second derivative by eta.
struct TangentAlong {
  Vec3 v, v1, v2;
  TangentAlong(const Curve& curve, double eta);
};

/// e1 lies in the plane of the tangent and the direction `up`, on its side. Throws Error that tells the place where the
/// tangent points along it.
std::unique_ptr<MovingFrame> up_frame(std::shared_ptr<const Curve> curve, const Vec3& up);
/// e1 points towards a second curve, at the parameter that divides its domain alike. Throws Error where they touch, or
/// the way to it goes along the tangent.
std::unique_ptr<MovingFrame> guided_frame(std::shared_ptr<const Curve> curve,
                                          std::shared_ptr<const Curve> guide);
/// e1 is the principal normal. Throws Error that tells the place where the curvature vanishes, or where the frame jumps.
std::unique_ptr<MovingFrame> frenet_frame(std::shared_ptr<const Curve> curve);
/// The frame that does not turn about the tangent (Bishop, Amer. Math. Monthly 82, 1975), with e1 on the side of `up` at
/// the first point. On a closed curve the angle by which it fails to close is spread evenly over the length.
std::unique_ptr<MovingFrame> rotation_minimizing_frame(std::shared_ptr<const Curve> curve, const Vec3& up);

/// A direction that is not along the tangent at the first point: the axis that it is farthest from.
Vec3 default_up(const Curve& curve);

}  // namespace trammel::curve_sliding
