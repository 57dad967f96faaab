#include "weight.hpp"

namespace trammel::load {

void MarkerWeight::evaluate(const LocalState& x, LocalSystem& out) const {
  MarkerMotion m;
  at_.evaluate(x, 0, MotionLevel::jacobian, m);
  Vec6 w = Vec6::Zero();
  w.head<3>() = -mass_ * gravity_->at(x.time());
  out.residual().noalias() = m.J.topRows<3>().transpose() * w.head<3>();
  if (!out.request.tangent) return;
  MatrixMap K = out.K();
  at_.add_second_order(x, 0, m, w, K);
}

Energy MarkerWeight::energy(const LocalState& x) const {
  MarkerMotion m;
  at_.evaluate(x, 0, MotionLevel::velocity, m);
  return gravity_->energy(x.time(), mass_, m.p_WM, m.twist.head<3>());
}

}  // namespace trammel::load
