#include "bushing.hpp"

#include "trammel/explicit_twist.hpp"
#include "trammel/lie.hpp"

namespace trammel::spring {

namespace {

/// z, z' and what leads from relative twists to z'.
struct Strain {
  Vec6 z = Vec6::Zero(), rate = Vec6::Zero();
  Mat6 Z = Mat6::Identity();  ///< z' = Z twist

  Strain(const RelativeMotion& motion, bool with_rate) {
    const Vec3 theta = so3::log(motion.R_AB);
    z << motion.p_AB_A, theta;
    Z.bottomRightCorner<3, 3>() = so3::T_inverse(theta);
    if (with_rate) rate = Z * motion.twist;
  }
  Vec3 theta() const { return z.tail<3>(); }
};

}  // namespace

void Bushing::evaluate(const LocalState& x, LocalSystem& out) const {
  const bool tangent = out.request.tangent;
  RelativeMotion motion;
  motion.evaluate(x, a_, b_, 0, tangent ? MotionLevel::full : MotionLevel::velocity);
  const Strain strain(motion, true);
  const Vec6 f = stiffness_ * (strain.z - rest_) + damping_ * strain.rate;
  const Vec6 w = strain.Z.transpose() * f;
  out.residual() = motion.J.transpose().lazyProduct(w);
  if (!tangent) return;

  const Mat3 T_inverse = strain.Z.bottomRightCorner<3, 3>();
  const Vec3 f_theta = f.tail<3>(), w_AB_B = motion.twist.tail<3>();
  Mat6 rate_by_zeta = Mat6::Zero();
  rate_by_zeta.bottomRightCorner<3, 3>() = so3::dT_inverse(strain.theta(), w_AB_B) * T_inverse;
  Mat6 w_by_zeta = strain.Z.transpose() * (stiffness_ * strain.Z + damping_ * rate_by_zeta);
  w_by_zeta.bottomRightCorner<3, 3>() += so3::dT_inverse_transpose(strain.theta(), f_theta) * T_inverse;
  const Mat6 w_by_twist = strain.Z.transpose() * damping_ * strain.Z;
  MatrixMap K = out.K();
  motion.add_second_order(x, a_, b_, 0, w, K);
  ByMarkerPair<6> part = w_by_zeta.lazyProduct(motion.J) + w_by_twist.lazyProduct(motion.twist_gradient);
  K += motion.J.transpose().lazyProduct(part);
  if (damping_.isZero(0)) return;
  part = w_by_twist.lazyProduct(motion.J);
  out.D() = motion.J.transpose().lazyProduct(part);
}

Energy Bushing::energy(const LocalState& x) const {
  RelativeMotion motion;
  motion.evaluate(x, a_, b_, 0, MotionLevel::velocity);
  const Strain strain(motion, true);
  const Vec6 z = strain.z - rest_;
  Energy e;
  e.strain = 0.5 * z.dot(stiffness_ * z);
  e.lost_power = strain.rate.dot(damping_ * strain.rate);
  if (!a_.has_shape() && !b_.has_shape()) return e;
  // What moves a marker by a function of time does work.
  const Vec6 w = strain.Z.transpose() * (stiffness_ * z + damping_ * strain.rate);
  e.lost_power -= motion.wrench_on_A(w).dot(explicit_twist(a_, x, 0, motion.A)) +
                  motion.wrench_on_B(w).dot(explicit_twist(b_, x, a_.block_count(), motion.B));
  return e;
}

void Bushing::outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
  RelativeMotion motion;
  motion.evaluate(x, a_, b_, 0, MotionLevel::velocity);
  const Strain strain(motion, true);
  const Vec6 f = stiffness_ * (strain.z - rest_) + damping_ * strain.rate;
  const Vec6 w = -(strain.Z.transpose() * f);
  const Vec6 on_A = motion.wrench_on_A(w), on_B = motion.wrench_on_B(w);
  sink.vector("displacement", "m", strain.z.head<3>());
  sink.vector("rotation", "rad", strain.theta());
  sink.vector("force_on_A", "N", on_A.head<3>());
  sink.vector("moment_on_A", "N m", motion.A.R_WM * on_A.tail<3>());
  sink.vector("force_on_B", "N", on_B.head<3>());
  sink.vector("moment_on_B", "N m", motion.B.R_WM * on_B.tail<3>());
  const Vec6 z = strain.z - rest_;
  sink.scalar("strain_energy", "J", 0.5 * z.dot(stiffness_ * z));
}

}  // namespace trammel::spring
