#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trammel/constraint.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/relative_motion.hpp"
#include "trammel/signal.hpp"

namespace trammel::free_joint {

/// Angle i of R_AB = R_x(angle 0) R_y(angle 1) R_z(angle 2), each in (-pi, pi]; angle 1 is at most a quarter turn, where
/// the others are not defined.
template <int i>
struct TaitBryan {
  template <class S>
  S operator()(const Mat3T<S>& R) const {
    using std::atan2, std::sqrt;
    if constexpr (i == 0) return atan2(-R(1, 2), R(2, 2));
    if constexpr (i == 1) return atan2(R(0, 2), sqrt(R(0, 0) * R(0, 0) + R(0, 1) * R(0, 1)));
    if constexpr (i == 2) return atan2(-R(0, 1), R(0, 0));
  }
};

/// The part of R_AB about e3 that is left when the shortest swing of e3 is taken off; not defined where e3 of B is
/// opposite to that of A.
struct Twist {
  template <class S>
  S operator()(const Mat3T<S>& R) const {
    using std::atan2;
    return atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1));
  }
};

/// A function of R_AB as a signal.
template <class Quantity>
class RotationSignal final : public Signal {
 public:
  explicit RotationSignal(const JointSite& site) : A_(site.A), B_(site.B), blocks_(site.blocks()) {}

  std::string unit() const override { return "rad"; }
  std::vector<BlockId> blocks() const override { return blocks_; }

  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override {
    RelativeMotion m;
    m.evaluate(x, A_, B_, first, MotionLevel::full);
    const SecondJet<3> y = Quantity()(jets_of_rotation<SecondJet<3>, 0>(m.R_AB));
    Vec6 w = Vec6::Zero();
    w.tail<3>() = y.gradient;
    const Vec3 spin = m.twist.tail<3>();
    Eigen::VectorXd a(m.dofs());
    int column = 0, k = first;
    for (const Marker* marker : {&A_, &B_})
      for (const int width : marker->block_sizes()) {
        a.segment(column, width) = ConstVectorMap(x.second_rate(k++), width);
        column += width;
      }
    out.value = y.value;
    out.rate = y.gradient.dot(spin);
    out.second_rate = y.gradient.dot(m.bias.tail<3>() + m.J.bottomRows<3>() * a) + spin.dot(y.hessian * spin);
    if (!derivatives) return;
    out.gradient = m.J.transpose() * w;
    const Mat3 H = y.hessian + 0.5 * skew(Vec3(y.gradient));
    out.second = m.J.bottomRows<3>().transpose() * H * m.J.bottomRows<3>();
    m.add_second_order(x, A_, B_, first, w, out.second);
  }

 private:
  Marker A_, B_;
  std::vector<BlockId> blocks_;
};

}  // namespace trammel::free_joint
