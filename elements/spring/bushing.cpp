#include "bushing.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "trammel/explicit_twist.hpp"
#include "trammel/glyph.hpp"
#include "trammel/lie.hpp"
#include "trammel/motion_level.hpp"

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
  motion.evaluate(x, a_, b_, 0, level_of_forces(out.request));
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
  e.dissipated_power = strain.rate.dot(damping_ * strain.rate);
  if (!a_.has_shape() && !b_.has_shape()) return e;
  // A function of time that moves a marker does work.
  const Vec6 w = strain.Z.transpose() * (stiffness_ * z + damping_ * strain.rate);
  e.dissipated_power -= motion.wrench_on_A(w).dot(explicit_twist(a_, x, 0, motion.A)) +
                        motion.wrench_on_B(w).dot(explicit_twist(b_, x, a_.block_count(), motion.B));
  return e;
}

void Bushing::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
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

void Bushing::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  RelativeMotion motion;
  motion.evaluate(x, a_, b_, 0, MotionLevel::velocity);
  const Strain strain(motion, true);
  const Vec6 f = stiffness_ * (strain.z - rest_) + damping_ * strain.rate;
  const Vec6 row = motion.wrench_on_B(strain.Z.transpose() * f);
  const Vec3 force = -row.head<3>(), moment = -(motion.B.R_WM * row.tail<3>());
  canvas.points(Canvas::Layer::joints, std::span(&motion.B.p_WM, 1));
  draw_field(canvas, "force", "N", world_axes, {force.data(), 3});
  draw_field(canvas, "moment", "N m", world_axes, {moment.data(), 3});
  const Glyph glyph(canvas, motion.A, motion.B);
  glyph.tube(motion.A, {-0.3, 0, 0}, {0.3, 0, 0}, 0.35);
  glyph.tube(motion.B, {-0.35, 0, 0}, {0.35, 0, 0}, 0.12);
  for (int k = 0; k < 4; ++k) {  // the rubber between both
    const double angle = 0.5 * std::numbers::pi * k;
    const Vec3 out(0, std::cos(angle), std::sin(angle));
    std::array<Vec3, 7> wave;
    for (std::size_t i = 0; i < wave.size(); ++i) {
      const double s = static_cast<double>(i) / 6;
      wave[i] = (0.12 + 0.23 * s) * out + Vec3(i % 2 == 0 ? 0.0 : i % 4 == 1 ? 0.06 : -0.06, 0, 0);
    }
    glyph.line(motion.A, wave);
  }
}

}  // namespace trammel::spring
