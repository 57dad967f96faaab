#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "trammel/attachment.hpp"
#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"

namespace trammel::coordinates {

/// Force of a one-sided spring with damping (Hunt and Crossley, J. Appl. Mech. 42 (1975) 440) at the depth d and its
/// rate: k d^n (1 + c d'), where d > 0 and as long as it does not pull.
struct StopForce {
  double force = 0, by_depth = 0, by_rate = 0;
  double stored = 0;   ///< k d^(n+1) / (n+1)
  double elastic = 0;  ///< k d^n

  StopForce(double stiffness, double exponent, double damping, double depth, double rate) {
    if (!(depth > 0)) return;
    elastic = stiffness * std::pow(depth, exponent);
    stored = elastic * depth / (exponent + 1);
    const double factor = 1 + damping * rate;
    if (!(factor > 0)) return;
    force = elastic * factor;
    by_depth = exponent * elastic / depth * factor;
    by_rate = elastic * damping;
  }
};

/// Keeps a coordinate between two bounds by compliant stops. A bound may be infinite: absent.
class Stop {
 public:
  struct Law {
    double from = -std::numeric_limits<double>::infinity();
    double to = std::numeric_limits<double>::infinity();
    double stiffness = 0;  ///< force per depth^exponent
    double exponent = 1;
    double damping = 0;  ///< per rate [s/q]
    bool meet = true;    ///< cut the step where a stop is met or left
  };

  Stop(CoordinateTarget target, const Law& law) : target_(std::move(target)), law_(law) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int i = target_.component;
    const StopForce low = lower(x), high = upper(x);
    out.residual()[i] = high.force - low.force;
    if (!out.request.tangent) return;
    out.K()(i, i) = high.by_depth + low.by_depth;
    out.D()(i, i) = high.by_rate + low.by_rate;
  }

  /// Cuts the step where a stop is met or left inside it.
  Review review(const LocalState& x, const StepInfo& step) const;

  void commit(const LocalState& x, const StepInfo&) { history_.last = {target_.value(x), target_.rate(x)}; }

  Energy energy(const LocalState& x) const {
    Energy e;
    const StopForce low = lower(x), high = upper(x);
    e.strain = low.stored + high.stored;
    e.lost_power = (high.force - high.elastic - low.force + low.elastic) * target_.rate(x);
    return e;
  }

  void outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
    sink.scalar("force", target_.force_unit, lower(x).force - upper(x).force);
    sink.scalar("depth", target_.unit,
                std::max({0.0, target_.value(x) - law_.to, law_.from - target_.value(x)}));
  }

  struct History {
    static constexpr int version = 1;
    std::optional<std::pair<double, double>> last;  ///< value and rate at the last accepted state

    void serialize(Archive& archive) { archive(last); }
  };
  History& history() { return history_; }

 private:
  StopForce upper(const LocalState& x) const {
    return {law_.stiffness, law_.exponent, law_.damping, target_.value(x) - law_.to, target_.rate(x)};
  }
  StopForce lower(const LocalState& x) const {
    return {law_.stiffness, law_.exponent, law_.damping, law_.from - target_.value(x), -target_.rate(x)};
  }

  CoordinateTarget target_;
  Law law_;
  History history_;
};

}  // namespace trammel::coordinates
