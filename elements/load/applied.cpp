#include "applied.hpp"

namespace trammel::load {

TimeVector::TimeVector(const std::vector<FunctionPtr>& components) : constant_(true) {
  for (std::size_t i = 0; i < 3; ++i) {
    const Function& f = *components.at(i);
    if (!f.depends_on_time_only())
      throw Error(f.where(), "the function '" + f.text() + "' reads the signal '" + f.signals().front() +
                                 "', but a load is a function of time only");
    component_[i] = components[i];
    constant_ = constant_ && f.is_constant();
  }
  if (constant_)
    for (std::size_t i = 0; i < 3; ++i) value_(static_cast<Eigen::Index>(i)) = component_[i]->at(0).value;
}

void MarkerLoad::evaluate(const LocalState& x, LocalSystem& out) const {
  MarkerMotion m;
  at_.evaluate(x, 0, MotionLevel::jacobian, m);
  const Vec3 f = given(x.time());
  Vec6 w = Vec6::Zero();
  if (options_.moment)
    w.tail<3>() = options_.follower ? f : Vec3(m.R_WM.transpose() * f);
  else
    w.head<3>() = options_.follower ? Vec3(m.R_WM * f) : f;
  out.residual().noalias() = -m.J.transpose() * w;
  if (!out.request.tangent) return;

  MatrixMap K = out.K();
  at_.add_second_order(x, 0, m, w, K);
  // dw by the marker's own turn: d(R f) = -R f~ dtheta, d(R^T m) = (R^T m)~ dtheta.
  if (options_.moment && !options_.follower)
    K += m.J.bottomRows<3>().transpose() * skew(w.tail<3>()) * m.J.bottomRows<3>();
  else if (!options_.moment && options_.follower)
    K -= m.J.topRows<3>().transpose() * (m.R_WM * skew(f)) * m.J.bottomRows<3>();
  K *= -1;
}

Vec3 MarkerLoad::in_world(const LocalState& x, const Mat3& R_WM) const {
  const Vec3 f = given(x.time());
  return options_.follower ? Vec3(R_WM * f) : f;
}

Energy MarkerLoad::energy(const LocalState& x) const {
  Energy e;
  MarkerMotion m;
  at_.evaluate(x, 0, conservative() ? MotionLevel::pose : MotionLevel::velocity, m);
  const Vec3 f = in_world(x, m.R_WM);
  if (conservative())
    e.potential = -f.dot(m.p_WM);
  else
    e.lost_power = -f.dot(options_.moment ? Vec3(m.R_WM * m.twist.tail<3>()) : Vec3(m.twist.head<3>()));
  return e;
}

void MarkerLoad::outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
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

void MarkerLoad::draw(const LocalState& x, const ReactionShares&, Canvas& canvas) const {
  MarkerMotion m;
  at_.evaluate(x, 0, MotionLevel::pose, m);
  const Vec3 f = in_world(x, m.R_WM), zero = Vec3::Zero();
  canvas.points(Canvas::Layer::forces, std::span(&m.p_WM, 1));
  canvas.field("force", std::span((options_.moment ? zero : f).data(), 3), 3);
  canvas.field("moment", std::span((options_.moment ? f : zero).data(), 3), 3);
}

}  // namespace trammel::load
