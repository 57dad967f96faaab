#include "applied.hpp"

#include "trammel/explicit_twist.hpp"
#include "trammel/glyph.hpp"
#include "trammel/local_copy.hpp"

namespace trammel::load {

std::vector<BlockId> MarkerLoad::stencil() const {
  std::vector<BlockId> blocks = at_.blocks();
  blocks.insert(blocks.end(), components_.blocks().begin(), components_.blocks().end());
  return blocks;
}

void MarkerLoad::evaluate(const LocalState& x, LocalSystem& out) const {
  MarkerMotion m;
  at_.evaluate(x, 0, MotionLevel::jacobian, m);
  const bool tangent = out.request.tangent;
  const NestedScratch<Gradient> scratch;
  Gradient& by_signals = *scratch;
  Vec3 f = tangent ? components_.at(x, marker_blocks_, by_signals) : components_.at(x, marker_blocks_);
  f *= options_.weight;

  // w = turn f in the rows of the force or of the moment.
  const bool moment = options_.moment, follower = options_.follower;
  const Mat3 turn = moment == follower ? Mat3(Mat3::Identity()) : moment ? Mat3(m.R_WM.transpose()) : m.R_WM;
  const ByMarker<3> J = moment ? m.J.bottomRows<3>() : m.J.topRows<3>();
  const Vec3 turned = turn * f;
  out.residual().head(m.dofs) = J.transpose().lazyProduct(-turned);
  if (!tangent) return;

  Vec6 w = Vec6::Zero();
  (moment ? w.tail<3>() : w.head<3>()) = turned;
  MatrixMap K = out.K();
  auto own = K.topLeftCorner(m.dofs, m.dofs);
  at_.add_second_order(x, 0, m, w, own);
  // dw by the marker's own turn: d(R f) = -R f~ dtheta, d(R^T f) = (R^T f)~ dtheta.
  if (moment && !follower)
    own += J.transpose().lazyProduct(ByMarker<3>(skew(turned).lazyProduct(m.J.bottomRows<3>())));
  else if (!moment && follower)
    own -= J.transpose().lazyProduct(ByMarker<3>(Mat3(m.R_WM * skew(f)).lazyProduct(m.J.bottomRows<3>())));
  const auto add = [&](const Eigen::MatrixXd& part, MatrixMap to, double sign) {
    const Mat3 weighted = sign * options_.weight * turn;
    to.topRightCorner(m.dofs, part.cols()) += J.transpose().lazyProduct(weighted.lazyProduct(part).eval());
  };
  if (by_signals.by_value.cols() > 0) add(by_signals.by_value, K, 1);
  K *= -1;
  if (by_signals.by_rate.cols() > 0) add(by_signals.by_rate, out.D(), -1);
  if (by_signals.by_second_rate.cols() > 0) add(by_signals.by_second_rate, out.M(), -1);
}

Vec3 MarkerLoad::in_world(const LocalState& x, const Mat3& R_WM) const {
  const Vec3 f = options_.weight * components_.at(x, marker_blocks_);
  return options_.follower ? Vec3(R_WM * f) : f;
}

Energy MarkerLoad::energy(const LocalState& x) const {
  Energy e;
  MarkerMotion m;
  const bool at_frame = conservative() && !at_.has_shape();
  at_.evaluate(x, 0, at_frame ? MotionLevel::pose : MotionLevel::velocity, m);
  const Vec3 f = in_world(x, m.R_WM);
  if (conservative()) e.potential = -f.dot(m.p_WM);
  if (at_frame) return e;
  // The load acts on the blocks: a marker's own motion in time takes no part of its work.
  const Vec6 own = explicit_twist(at_, x, 0, m);
  const Vec6 twist = conservative() ? Vec6(-own) : Vec6(m.twist - own);
  e.dissipated_power = -f.dot(options_.moment ? Vec3(m.R_WM * twist.tail<3>()) : Vec3(twist.head<3>()));
  return e;
}

void MarkerLoad::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
  MarkerMotion m;
  at_.evaluate(x, 0, MotionLevel::velocity, m);
  const Vec3 f = in_world(x, m.R_WM);
  if (options_.moment) {
    sink.vector("moment", "N m", f);
    sink.scalar("power", "W", f.dot(m.R_WM * m.twist.tail<3>()));
  } else {
    sink.vector("force", "N", f);
    sink.scalar("power", "W", f.dot(m.twist.head<3>()));
  }
}

void MarkerLoad::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  MarkerMotion m;
  at_.evaluate(x, 0, MotionLevel::pose, m);
  const Vec3 f = in_world(x, m.R_WM), zero = Vec3::Zero();
  canvas.points(Canvas::Layer::forces, std::span(&m.p_WM, 1));
  draw_field(canvas, "force", "N", world_axes, {(options_.moment ? zero : f).data(), 3});
  draw_field(canvas, "moment", "N m", world_axes, {(options_.moment ? f : zero).data(), 3});
}

}  // namespace trammel::load
