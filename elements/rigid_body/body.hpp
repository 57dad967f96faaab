#pragma once

#include <memory>

#include "inertia.hpp"
#include "solid.hpp"
#include "trammel/element.hpp"

namespace trammel::rigid_body {

// Stencil of both: the position block p of the frame's origin, the rotation block R. With x = p + R c the c.o.m., and
// velocities and accelerations (v, w), (a, alpha) in the components of their blocks:
//
//   r_p = m (a + R (alpha x c + w x (w x c)))
//   r_R = m c x R^T a + J_O alpha + w x J_O w,        J_O = J_C - m c~ c~

/// A body whose frame stands at its c.o.m.: position and rotation do not couple.
class CentredBody {
 public:
  CentredBody(const Inertia& inertia, std::shared_ptr<const Solids> solids)
      : mass_(inertia.mass), J_(inertia.J_centre), solids_(std::move(solids)) {}

  static bool couples(int row, int column) { return row == column; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    VectorMap r = out.residual();
    const Vec3 w = x.velocity(1);
    const Vec3 Jw = J_ * w;
    r.head<3>() = mass_ * x.acceleration(0);
    r.tail<3>() = J_ * x.acceleration(1) + w.cross(Jw);
    if (!out.request.tangent) return;
    MatrixMap M = out.M();
    M.diagonal().head<3>().setConstant(mass_);
    M.bottomRightCorner<3, 3>() = J_;
    out.D().bottomRightCorner<3, 3>() = skew(w) * J_ - skew(Jw);
  }

  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const;
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const;

 private:
  double mass_;
  Mat3 J_;
  std::shared_ptr<const Solids> solids_;
};

/// A body whose frame stands anywhere.
class OffsetBody {
 public:
  OffsetBody(const Inertia& inertia, std::shared_ptr<const Solids> solids)
      : mass_(inertia.mass),
        centre_(inertia.centre),
        J_origin_(inertia.J_origin()),
        solids_(std::move(solids)) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Mat3 R = x.rotation(1);
    const Vec3 w = x.velocity(1), alpha = x.acceleration(1);
    const Vec3 wc = w.cross(centre_);
    const Vec3 Jw = J_origin_ * w;
    const Vec3 b = mass_ * (alpha.cross(centre_) + w.cross(wc));
    const Vec3 a_body = R.transpose() * x.acceleration(0);
    VectorMap r = out.residual();
    r.head<3>() = mass_ * x.acceleration(0) + R * b;
    r.tail<3>() = mass_ * centre_.cross(a_body) + J_origin_ * alpha + w.cross(Jw);
    if (!out.request.tangent) return;
    const Mat3 mc = mass_ * skew(centre_);
    MatrixMap K = out.K(), D = out.D(), M = out.M();
    K.topRightCorner<3, 3>() = -R * skew(b);
    K.bottomRightCorner<3, 3>() = mc * skew(a_body);
    D.topRightCorner<3, 3>() = R * (-mass_ * skew(wc) - skew(w) * mc);
    D.bottomRightCorner<3, 3>() = skew(w) * J_origin_ - skew(Jw);
    M.topLeftCorner<3, 3>().diagonal().setConstant(mass_);
    M.topRightCorner<3, 3>() = -R * mc;
    M.bottomLeftCorner<3, 3>() = mc * R.transpose();
    M.bottomRightCorner<3, 3>() = J_origin_;
  }

  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const;
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const;

 private:
  double mass_;
  Vec3 centre_;
  Mat3 J_origin_;
  std::shared_ptr<const Solids> solids_;
};

}  // namespace trammel::rigid_body
