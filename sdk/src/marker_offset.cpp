#include "marker_offset.hpp"

namespace trammel {

void add_offset(const OffsetMotion& o, MotionLevel level, MarkerMotion& m) {
  const Mat3 R_WB = m.R_WM;
  add_to_place(m.p_WM, m.compensation_W, R_WB * o.p_BM_B);
  m.R_WM = R_WB * o.R_BM;
  if (level == MotionLevel::pose) return;

  const ByMarker<3> turn_B = m.J.bottomRows<3>();
  const Mat3 arm = R_WB * skew(-o.p_BM_B);
  m.J.topRows<3>() += arm.lazyProduct(turn_B);
  m.J.bottomRows<3>() = o.R_BM.transpose().lazyProduct(turn_B);
  if (level == MotionLevel::jacobian) return;

  const Vec3 w_B = m.twist.tail<3>();
  const Vec3 u = w_B.cross(o.p_BM_B) + o.rate;
  const Vec3 w_M = o.R_BM.transpose() * w_B;
  m.twist.head<3>() += R_WB * u;
  m.twist.tail<3>() = w_M + o.w_BM_M;
  if (level == MotionLevel::velocity) return;

  const ByMarker<3> spin_B = m.twist_gradient.bottomRows<3>();
  const Mat3 by_turn = R_WB * skew(-u);
  m.twist_gradient.topRows<3>() += arm.lazyProduct(spin_B) + by_turn.lazyProduct(turn_B);
  m.twist_gradient.bottomRows<3>() = o.R_BM.transpose().lazyProduct(spin_B);
  const Vec3 bias_B = m.bias.tail<3>();
  m.bias.head<3>() += arm * bias_B + R_WB * (w_B.cross(u) + w_B.cross(o.rate) + o.second_rate);
  m.bias.tail<3>() = o.R_BM.transpose() * bias_B - o.w_BM_M.cross(w_M) + o.alpha_BM_M;
}

Vec6 wrench_at_base(const Mat3& R_WB, const Mat3& R_BM, const Vec3& p_BM_B, const Vec6& w) {
  Vec6 base;
  base.head<3>() = w.head<3>();
  base.tail<3>() = p_BM_B.cross(R_WB.transpose() * w.head<3>()) + R_BM * w.tail<3>();
  return base;
}

void add_offset_second_order(const MarkerMotion& base, const Vec3& p_BM_B, const Vec6& w,
                             Eigen::Ref<Eigen::MatrixXd> K) {
  const Mat3 turning = skew(p_BM_B) * skew(base.R_WM.transpose() * w.head<3>());
  const ByMarker<3> turned = turning.lazyProduct(base.J.bottomRows<3>());
  K += base.J.bottomRows<3>().transpose().lazyProduct(turned);
}

}  // namespace trammel
