#pragma once

#include <cmath>
#include <vector>

#include "trammel/marker.hpp"

namespace trammel::testing {

/// A point of a flexible body with many modes: p = p_F + R_F (u + Phi c).
template <int modes>
struct ModalPoint final : MarkerShape {
  Eigen::Matrix<double, 3, modes> Phi = Eigen::Matrix<double, 3, modes>::Zero();
  Vec3 u0 = Vec3(0.4, -0.1, 0.2);

  ModalPoint() {
    for (int k = 0; k < modes; ++k) Phi.col(k) << std::cos(k), std::sin(2.0 * k), 0.1 * k;
  }
  Frame frame{0, 1};
  BlockId amplitudes = 2;

  std::vector<BlockId> blocks() const override { return {frame.position, frame.rotation, amplitudes}; }
  std::vector<int> block_sizes() const override { return {3, 3, modes}; }
  Vec3 arm(const LocalState& x, int first) const {
    return u0 + Phi * ConstVectorMap(x.value(first + 2), modes);
  }
  void evaluate(const LocalState& x, int first, MotionLevel, MarkerMotion& out) const override {
    const Vec3 u = arm(x, first), w = x.velocity(first + 1);
    const Mat3 R = x.rotation(first + 1);
    const Vec3 du = Phi * ConstVectorMap(x.rate(first + 2), modes);
    out.dofs = 6 + modes;
    out.R_WM = R;
    out.p_WM = x.position(first) + R * u;
    out.compensation_W = x.compensation(first);
    out.J.setZero(6, out.dofs);
    out.J.topLeftCorner<3, 3>().setIdentity();
    out.J.block<3, 3>(0, 3) = -R * skew(u);
    out.J.template topRightCorner<3, modes>() = R * Phi;
    out.J.block<3, 3>(3, 3).setIdentity();
    const Vec3 speed = w.cross(u) + du;
    out.twist << x.velocity(first) + R * speed, w;
    out.twist_gradient.setZero(6, out.dofs);
    out.twist_gradient.block<3, 3>(0, 3) = -R * skew(speed);
    out.twist_gradient.template topRightCorner<3, modes>() = R * skew(w) * Phi;
    out.bias << R * (w.cross(w.cross(u)) + 2 * w.cross(du)), Vec3::Zero();
  }
  void add_second_order(const LocalState& x, int first, const MarkerMotion& motion, const Vec6& w,
                        Eigen::Ref<Eigen::MatrixXd> K) const override {
    const Mat3 g = skew(Vec3(motion.R_WM.transpose() * w.head<3>()));
    K.block<3, 3>(3, 3) += skew(arm(x, first)) * g;
    K.block<3, modes>(3, 6) -= g * Phi;
    K.block<modes, 3>(6, 3) += Phi.transpose() * g;
  }
};

}  // namespace trammel::testing
