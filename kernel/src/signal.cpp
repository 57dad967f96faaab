#include "trammel/signal.hpp"

#include "trammel/error.hpp"

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
    out.rate = is_multiplier(kind_) ? 0 : x.rate(first)[component_];
    out.second_rate = is_kinematic(kind_) ? x.second_rate(first)[component_] : 0;
    if (!derivatives) return;
    out.gradient.setZero(size_);
    out.gradient[component_] = 1;
    out.second.setZero(size_, size_);
  }

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

    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 2 * max_marker_dofs> J(3, A.dofs + B.dofs);
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
};

}  // namespace

std::shared_ptr<const Signal> component_signal(BlockId block, BlockKind kind, int size, int component,
                                               std::string unit) {
  return std::make_shared<ComponentSignal>(block, kind, size, component, std::move(unit));
}

std::shared_ptr<const Signal> distance_signal(Marker a, Marker b) {
  return std::make_shared<DistanceSignal>(std::move(a), std::move(b));
}

std::shared_ptr<const Signal> time_signal() { return std::make_shared<TimeSignal>(); }

}  // namespace trammel
