#include "trammel/relative_motion.hpp"

#include <Eigen/Geometry>

namespace trammel {

void RelativeMotion::evaluate(const LocalState& x, const Marker& a, const Marker& b, int first_block,
                              MotionLevel level) {
  a.evaluate(x, first_block, level, A);
  b.evaluate(x, first_block + a.block_count(), level, B);
  const Mat3 R_AW = A.R_WM.transpose();
  R_AB.noalias() = R_AW * B.R_WM;
  p_AB_A.noalias() = R_AW * p_AB_W(A, B);
  if (level == MotionLevel::pose) return;

  const Mat3 R_BA = R_AB.transpose();
  J.resize(6, dofs());
  if (A.dofs > 0) {
    const auto J_A = A.J.topRows<3>();
    const auto turn_A = A.J.bottomRows<3>();
    auto left = J.leftCols(A.dofs);
    left.topRows<3>() = skew(p_AB_A).lazyProduct(turn_A) - R_AW.lazyProduct(J_A);
    left.bottomRows<3>() = -(R_BA.lazyProduct(turn_A));
  }
  if (B.dofs > 0) {
    auto right = J.rightCols(B.dofs);
    right.topRows<3>() = R_AW.lazyProduct(B.J.topRows<3>());
    right.bottomRows<3>() = B.J.bottomRows<3>();
  }
  if (level == MotionLevel::jacobian) return;

  const Vec3 w_A = A.twist.tail<3>();
  const Vec3 w_A_B = R_BA * w_A;
  const Vec3 dv = R_AW * (B.twist.head<3>() - A.twist.head<3>());
  const Vec3 u = dv - w_A.cross(p_AB_A);
  const Vec3 w = B.twist.tail<3>() - w_A_B;
  twist << u, w;
  if (level == MotionLevel::velocity) return;

  twist_gradient.resize(6, dofs());
  twist_gradient.topRows<3>() = skew(-w_A).lazyProduct(J.topRows<3>());
  twist_gradient.bottomRows<3>() = skew(-w_A_B).lazyProduct(J.bottomRows<3>());
  if (A.dofs > 0) {
    auto left = twist_gradient.leftCols(A.dofs);
    left.topRows<3>() += skew(p_AB_A).lazyProduct(A.twist_gradient.bottomRows<3>()) -
                         R_AW.lazyProduct(A.twist_gradient.topRows<3>()) +
                         skew(dv).lazyProduct(A.J.bottomRows<3>());
    left.bottomRows<3>() -= R_BA.lazyProduct(A.twist_gradient.bottomRows<3>());
  }
  if (B.dofs > 0) {
    auto right = twist_gradient.rightCols(B.dofs);
    right.topRows<3>() += R_AW.lazyProduct(B.twist_gradient.topRows<3>());
    right.bottomRows<3>() += B.twist_gradient.bottomRows<3>();
  }
  const Vec3 alpha_A = A.bias.tail<3>();
  bias.head<3>() = R_AW * (B.bias.head<3>() - A.bias.head<3>()) - w_A.cross(dv + u) - alpha_A.cross(p_AB_A);
  bias.tail<3>() = B.bias.tail<3>() - R_BA * alpha_A + w.cross(w_A_B);
}

Vec6 RelativeMotion::wrench_on_A(const Vec6& w) const {
  Vec6 on_A;
  on_A.head<3>() = -(A.R_WM * w.head<3>());
  on_A.tail<3>() = -(p_AB_A.cross(w.head<3>()) + R_AB * w.tail<3>());
  return on_A;
}

Vec6 RelativeMotion::wrench_on_B(const Vec6& w) const {
  Vec6 on_B;
  on_B.head<3>() = A.R_WM * w.head<3>();
  on_B.tail<3>() = w.tail<3>();
  return on_B;
}

void RelativeMotion::add_second_order(const LocalState& x, const Marker& a, const Marker& b, int first_block,
                                      const Vec6& w, Eigen::Ref<Eigen::MatrixXd> K) const {
  const int na = A.dofs, nb = B.dofs;
  if (na > 0) {
    // The wrenches turn with A and with the relative rotation, and the lever arm changes.
    a.add_second_order(x, first_block, A, wrench_on_A(w), K.topLeftCorner(na, na));
    const Vec3 f = w.head<3>();
    const Mat3 f_cross = skew(f);
    const Mat3 turned = A.R_WM * f_cross;  // d(R_WA f) = -turned dtheta_A
    const auto turn_A = A.J.bottomRows<3>();
    PairJacobian on_A(6, na + nb);
    on_A.topRows<3>().setZero();
    on_A.topLeftCorner(3, na) = turned.lazyProduct(turn_A);
    on_A.bottomRows<3>() =
        f_cross.lazyProduct(J.topRows<3>()) + (R_AB * skew(w.tail<3>())).lazyProduct(J.bottomRows<3>());
    K.topRows(na) += A.J.transpose().lazyProduct(on_A);
    if (nb > 0)
      K.bottomLeftCorner(nb, na) -= B.J.topRows<3>().transpose().lazyProduct(on_A.topLeftCorner(3, na));
  }
  if (nb > 0)
    b.add_second_order(x, first_block + a.block_count(), B, wrench_on_B(w), K.bottomRightCorner(nb, nb));
}

}  // namespace trammel
