#include "trammel/signal.hpp"

#include <limits>

#include "trammel/error.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel {

namespace {

class ComponentSignal final : public Signal {
 public:
  ComponentSignal(BlockId block, BlockKind kind, int size, int component, std::string unit)
      : block_(block), kind_(kind), size_(size), component_(component), unit_(std::move(unit)) {
    if (kind == BlockKind::rotation) throw Error("a component of a rotation block is no signal");
    if (component < 0 || component >= size)
      throw Error("a signal reads a component that its block does not have");
  }

  std::string unit() const override { return unit_; }
  std::vector<BlockId> blocks() const override { return {block_}; }

  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override {
    out.value = x.value(first)[component_];
    out.rate = has_rate(kind_) ? x.rate(first)[component_] : 0;
    out.second_rate = is_kinematic(kind_) ? x.second_rate(first)[component_] : 0;
    if (!derivatives) return;
    out.gradient.setZero(size_);
    out.gradient[component_] = 1;
    out.second.setZero(size_, size_);
  }
  double value_at(const LocalState& x, int first) const override { return x.value(first)[component_]; }

 private:
  BlockId block_;
  BlockKind kind_;
  int size_, component_;
  std::string unit_;
};

class DistanceSignal final : public Signal {
 public:
  DistanceSignal(Marker a, Marker b) : a_(std::move(a)), b_(std::move(b)) {}

  std::string unit() const override { return "m"; }

  std::vector<BlockId> blocks() const override {
    std::vector<BlockId> all = a_.blocks();
    const std::vector<BlockId> more = b_.blocks();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override {
    MarkerMotion A, B;
    const int first_b = first + a_.block_count();
    a_.evaluate(x, first, MotionLevel::full, A);
    b_.evaluate(x, first_b, MotionLevel::full, B);
    const Vec3 d = p_AB_W(A, B);
    out.value = d.norm();
    if (!(out.value > 0)) throw RejectStep("the distance of two markers that meet has no gradient");
    const Vec3 n = d / out.value;
    const Vec3 dv = B.twist.head<3>() - A.twist.head<3>();
    out.rate = n.dot(dv);
    const Vec3 da = (b_.acceleration(x, first_b, B) - a_.acceleration(x, first, A)).head<3>();
    out.second_rate = n.dot(da) + (dv.squaredNorm() - out.rate * out.rate) / out.value;
    if (!derivatives) return;

    ByMarkerPair<3> J(3, A.dofs + B.dofs);
    J.leftCols(A.dofs) = -A.J.topRows<3>();
    J.rightCols(B.dofs) = B.J.topRows<3>();
    out.gradient = J.transpose() * n;
    const Mat3 across = (Mat3::Identity() - n * n.transpose()) / out.value;
    out.second = J.transpose() * across * J;
    Vec6 w;
    w << -n, Vec3::Zero();
    a_.add_second_order(x, first, A, w, out.second.topLeftCorner(A.dofs, A.dofs));
    w.head<3>() = n;
    b_.add_second_order(x, first_b, B, w, out.second.bottomRightCorner(B.dofs, B.dofs));
  }

 private:
  Marker a_, b_;
};

/// A component of the relative pose of two markers, or of their relative twist.
class RelativeMotionSignal final : public Signal {
 public:
  RelativeMotionSignal(Marker a, Marker b, int component, bool of_velocity)
      : a_(std::move(a)), b_(std::move(b)), component_(component), of_velocity_(of_velocity) {
    if (a_.is_point()) throw Error("'" + a_.name() + "' is a point without orientation");
    if (b_.is_point() && component >= 3) throw Error("'" + b_.name() + "' is a point without orientation");
    if (component < 0 || component >= (of_velocity ? 6 : 3))
      throw Error("a signal reads a component that a motion does not have");
    sizes_ = a_.block_sizes();
    const std::vector<int> more = b_.block_sizes();
    sizes_.insert(sizes_.end(), more.begin(), more.end());
  }

  std::string unit() const override { return !of_velocity_ ? "m" : component_ < 3 ? "m/s" : "rad/s"; }

  std::vector<BlockId> blocks() const override {
    std::vector<BlockId> all = a_.blocks();
    const std::vector<BlockId> more = b_.blocks();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  double value_at(const LocalState& x, int first) const override {
    // As RelativeMotion does, without Jacobians.
    thread_local MarkerMotion A, B;
    const MotionLevel level = of_velocity_ ? MotionLevel::velocity : MotionLevel::pose;
    a_.evaluate(x, first, level, A);
    b_.evaluate(x, first + a_.block_count(), level, B);
    const Mat3 R_AW = A.R_WM.transpose();
    const Vec3 p_AB_A = R_AW * p_AB_W(A, B);
    if (!of_velocity_) return p_AB_A[component_];
    const Vec3 w_A = A.twist.tail<3>();
    if (component_ < 3) {
      const Vec3 dv = R_AW * (B.twist.head<3>() - A.twist.head<3>());
      return (dv - w_A.cross(p_AB_A))[component_];
    }
    const Mat3 R_AB = R_AW * B.R_WM;
    return (B.twist.tail<3>() - R_AB.transpose() * w_A)[component_ - 3];
  }

  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override {
    thread_local RelativeMotion m;
    m.evaluate(x, a_, b_, first, MotionLevel::full);
    double acceleration = m.bias[component_];
    for (int k = 0, column = 0; k < static_cast<int>(sizes_.size()); ++k)
      for (int i = 0; i < sizes_[static_cast<std::size_t>(k)]; ++i, ++column)
        acceleration += m.J(component_, column) * x.second_rate(first + k)[i];
    out.value = of_velocity_ ? m.twist[component_] : m.p_AB_A[component_];
    out.rate = of_velocity_ ? acceleration : m.twist[component_];
    out.second_rate = of_velocity_ ? std::numeric_limits<double>::quiet_NaN() : acceleration;
    if (!derivatives) return;
    if (of_velocity_) {
      out.gradient = m.twist_gradient.row(component_).transpose();
      out.by_rate = m.J.row(component_).transpose();
      out.second.resize(0, 0);
      return;
    }
    out.gradient = m.J.row(component_).transpose();
    out.second.setZero(m.dofs(), m.dofs());
    m.add_second_order(x, a_, b_, first, Vec6::Unit(component_), out.second);
  }

 private:
  Marker a_, b_;
  int component_;
  bool of_velocity_;
  std::vector<int> sizes_;  ///< of the blocks
};

class TimeSignal final : public Signal {
 public:
  std::string unit() const override { return "s"; }
  std::vector<BlockId> blocks() const override { return {}; }
  void evaluate(const LocalState& x, int, bool derivatives, SignalValue& out) const override {
    out.value = x.time();
    out.rate = 1;
    out.second_rate = 0;
    if (!derivatives) return;
    out.gradient.resize(0);
    out.second.resize(0, 0);
  }
  double value_at(const LocalState& x, int) const override { return x.time(); }
};

}  // namespace

double Signal::value_at(const LocalState& x, int first) const {
  SignalValue out;
  evaluate(x, first, false, out);
  return out.value;
}

std::shared_ptr<const Signal> component_signal(BlockId block, BlockKind kind, int size, int component,
                                               std::string unit) {
  return std::make_shared<ComponentSignal>(block, kind, size, component, std::move(unit));
}

std::shared_ptr<const Signal> distance_signal(Marker a, Marker b) {
  return std::make_shared<DistanceSignal>(std::move(a), std::move(b));
}

std::shared_ptr<const Signal> position_signal(Marker a, Marker b, int component) {
  return std::make_shared<RelativeMotionSignal>(std::move(a), std::move(b), component, false);
}

std::shared_ptr<const Signal> velocity_signal(Marker a, Marker b, int component) {
  return std::make_shared<RelativeMotionSignal>(std::move(a), std::move(b), component, true);
}

std::shared_ptr<const Signal> time_signal() { return std::make_shared<TimeSignal>(); }

}  // namespace trammel
