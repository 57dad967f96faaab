#include "normal_force.hpp"

#include "trammel/lie.hpp"

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
  const Vec3 across(0, f[1], f[2]);
  out.value = across.norm();
  // Multipliers have no rates: what the motion alone changes is of no use.
  out.rate = out.second_rate = 0;
  if (!derivatives) return;
  const int n = m.dofs;
  out.gradient.setZero(n + 3);
  out.second.setZero(n + 3, n + 3);
  if (!(out.value > 1e-12 * force.norm())) return;

  // df = R^T dF + f x dtheta
  const Vec3 g = across / out.value;
  const Mat3& R = m.R_WM;
  const auto turn = m.J.bottomRows<3>().leftCols(n);
  out.gradient.head(n) = turn.transpose() * g.cross(f);
  out.gradient.tail<3>() = R * g;
  Mat3 H = -(g * g.transpose());
  H(1, 1) += 1;
  H(2, 2) += 1;
  H /= out.value;
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
  const Vec3 force = Eigen::Map<const Vec3>(x.value(first));
  out.value = force.norm();
  out.rate = out.second_rate = 0;
  if (!derivatives) return;
  out.gradient.setZero(3);
  out.second.setZero(3, 3);
  if (!(out.value > 0)) return;
  const Vec3 g = force / out.value;
  out.gradient = g;
  out.second = (Mat3::Identity() - g * g.transpose()) / out.value;
}

}  // namespace trammel::beam_sliding
