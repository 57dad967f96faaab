#include "marker_offset.hpp"

namespace trammel {

namespace {
using Rows3 = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, max_marker_dofs>;
}

void add_offset(const OffsetMotion& o, MotionLevel level, MarkerMotion& m) {
  const Mat3 R_WB = m.R_WM;
  add_to_place(m.p_WM, m.remainder_W, R_WB * o.p_BM_B);
  m.R_WM = R_WB * o.R_BM;
  if (level == MotionLevel::pose) return;

  const Rows3 turn_B = m.J.bottomRows<3>();
  const Mat3 arm = R_WB * skew(-o.p_BM_B);
  m.J.topRows<3>() += arm * turn_B;
  m.J.bottomRows<3>() = o.R_BM.transpose() * turn_B;
  if (level == MotionLevel::jacobian) return;

  const Vec3 w_B = m.twist.tail<3>();
  const Vec3 u = w_B.cross(o.p_BM_B) + o.rate;
  const Vec3 w_M = o.R_BM.transpose() * w_B;
  m.twist.head<3>() += R_WB * u;
  m.twist.tail<3>() = w_M + o.w_BM_M;
  if (level == MotionLevel::velocity) return;

  const Rows3 spin_B = m.twist_gradient.bottomRows<3>();
  m.twist_gradient.topRows<3>() += arm * spin_B + R_WB * skew(-u) * turn_B;
  m.twist_gradient.bottomRows<3>() = o.R_BM.transpose() * spin_B;
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
  K += base.J.bottomRows<3>().transpose() * turning * base.J.bottomRows<3>();
}

}  // namespace trammel
