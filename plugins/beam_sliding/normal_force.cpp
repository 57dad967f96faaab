#include "normal_force.hpp"

#include "trammel/force_across.hpp"

namespace trammel::beam_sliding {

std::vector<BlockId> NormalForce::blocks() const {
  std::vector<BlockId> all = slider_.blocks();
  all.push_back(force_);
  return all;
}

void NormalForce::evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const {
  MarkerMotion m;
  slider_.evaluate(x, first, MotionLevel::jacobian, m);
  const Vec3 force = Eigen::Map<const Vec3>(x.value(first + slider_.block_count()));
  const Vec3 f = m.R_WM.transpose() * force;
  const ForceAcross across(f, Vec3::UnitX());
  out.value = across.value();
  // Multipliers have no rates: what the motion alone changes is of no use.
  out.rate = out.second_rate = 0;
  if (!derivatives) return;
  const int n = m.dofs;
  out.gradient.setZero(n + 3);
  out.second.setZero(n + 3, n + 3);
  if (!across.smooth()) return;

  // df = R^T dF + f x dtheta
  const Vec3 g = across.by_f();
  const Mat3 H = across.by_f_f();
  const Mat3& R = m.R_WM;
  const auto turn = m.J.bottomRows<3>().leftCols(n);
  out.gradient.head(n) = turn.transpose() * g.cross(f);
  out.gradient.tail<3>() = R * g;
  const Mat3 A = skew(g) - skew(f) * H;
  Vec6 wrench = Vec6::Zero();
  wrench.tail<3>() = g.cross(f);
  Eigen::MatrixXd own = turn.transpose() * (A * skew(f)) * turn;
  slider_.add_second_order(x, first, m, wrench, own);
  out.second.topLeftCorner(n, n) = own;
  out.second.topRightCorner(n, 3) = turn.transpose() * (A * R.transpose());
  out.second.bottomLeftCorner(3, n) = R * (H * skew(f) - skew(g)) * turn;
  out.second.bottomRightCorner<3, 3>() = R * H * R.transpose();
}

void ContactForce::evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const {
  const ForceAcross whole(Eigen::Map<const Vec3>(x.value(first)), Vec3::Zero());
  out.value = whole.value();
  out.rate = out.second_rate = 0;
  if (!derivatives) return;
  out.gradient.setZero(3);
  out.second.setZero(3, 3);
  if (!whole.smooth()) return;
  out.gradient = whole.by_f();
  out.second = whole.by_f_f();
}

}  // namespace trammel::beam_sliding
