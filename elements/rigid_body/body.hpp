#pragma once

#include <memory>
#include <span>

#include "inertia.hpp"
#include "solid.hpp"
#include "trammel/element.hpp"
#include "trammel/lanes.hpp"

namespace trammel::rigid_body {

// Stencil of both: the position block p of the frame's origin, the rotation block R. With x = p + R c the c.o.m., and
// velocities and accelerations (v, w), (a, alpha) in the components of their blocks:
//
//   r_p = m (a + R (alpha x c + w x (w x c)))
//   r_R = m c x R^T a + J_O alpha + w x J_O w,        J_O = J_C - m c~ c~
//
// S is double, or Lanes for several bodies at once.

/// The residual with c = 0.
template <class S>
Vec6T<S> centred_residual(const S& mass, const Mat3T<S>& J, const Vec3T<S>& w, const Vec3T<S>& a,
                          const Vec3T<S>& alpha) {
  Vec6T<S> r;
  const Vec3T<S> Jw = J.lazyProduct(w);
  r << mass * a, J.lazyProduct(alpha) + w.cross(Jw);
  return r;
}

/// What the residual with any c, and its tangent, are made of.
template <class S>
struct OffsetMotion {
  const Vec3T<S>& c;
  const Mat3T<S>&J_O, &R;
  const Vec3T<S>&w, &a, &alpha;
  const Vec3T<S> wc = w.cross(c), Jw = J_O.lazyProduct(w), b = alpha.cross(c) + w.cross(wc),
                 a_body = R.transpose().lazyProduct(a);

  Vec6T<S> residual(const S& mass) const {
    Vec6T<S> r;
    r << mass * (a + R.lazyProduct(b)), mass * c.cross(a_body) + J_O.lazyProduct(alpha) + w.cross(Jw);
    return r;
  }
};

/// A body whose frame stands at its c.o.m.: position and rotation do not couple.
class CentredBody {
 public:
  CentredBody(const Inertia& inertia, std::shared_ptr<const Solids> solids)
      : mass_(inertia.mass), J_(inertia.J_centre), solids_(std::move(solids)) {}

  static bool couples(int row, int column) { return row == column; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Vec3 w = x.velocity(1);
    out.residual() = centred_residual<double>(mass_, J_, w, x.acceleration(0), x.acceleration(1));
    if (!out.request.tangent) return;
    MatrixMap M = out.M();
    M.diagonal().head<3>().setConstant(mass_);
    M.bottomRightCorner<3, 3>() = J_;
    out.D().bottomRightCorner<3, 3>() = skew(w) * J_ - skew(Vec3(J_ * w));
  }
  static constexpr int together = Lanes::count;
  static bool evaluate_residuals(std::span<const CentredBody* const> bodies, std::span<const LocalState> x,
                                 std::span<LocalSystem* const> out);

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
    const Vec3 w = x.velocity(1), a = x.acceleration(0), alpha = x.acceleration(1);
    const OffsetMotion<double> motion{centre_, J_origin_, R, w, a, alpha};
    out.residual() = motion.residual(mass_);
    if (!out.request.tangent) return;
    const Mat3 mc = mass_ * skew(centre_);
    MatrixMap K = out.K(), D = out.D(), M = out.M();
    K.topRightCorner<3, 3>() = -mass_ * R * skew(motion.b);
    K.bottomRightCorner<3, 3>() = mc * skew(motion.a_body);
    D.topRightCorner<3, 3>() = R * (-mass_ * skew(motion.wc) - skew(w) * mc);
    D.bottomRightCorner<3, 3>() = skew(w) * J_origin_ - skew(motion.Jw);
    M.topLeftCorner<3, 3>().diagonal().setConstant(mass_);
    M.topRightCorner<3, 3>() = -R * mc;
    M.bottomLeftCorner<3, 3>() = mc * R.transpose();
    M.bottomRightCorner<3, 3>() = J_origin_;
  }
  static constexpr int together = Lanes::count;
  static bool evaluate_residuals(std::span<const OffsetBody* const> bodies, std::span<const LocalState> x,
                                 std::span<LocalSystem* const> out);

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
