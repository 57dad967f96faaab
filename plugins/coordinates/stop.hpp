#pragma once

#include <optional>
#include <utility>

#include "trammel/coordinate_element.hpp"
#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"
#include "trammel/stops.hpp"

namespace trammel::coordinates {

/// Keeps a coordinate between two bounds by compliant stops.
class Stop {
 public:
  struct Law : Stops {
    bool meet = true;  ///< cut the step where a stop is met or left
  };

  Stop(CoordinateTarget target, const Law& law) : target_(std::move(target)), law_(law) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int i = target_.component;
    const Stops::Action action = law_.at(motion(x));
    out.residual()[i] = -action.force;
    if (!out.request.tangent) return;
    out.K()(i, i) = action.stiffness;
    out.D()(i, i) = action.damping;
  }

  Review review(const LocalState& x, const StepInfo& step) const {
    if (!law_.meet || !history_.last) return Review::keep();
    return law_.review({history_.last->first, history_.last->second}, motion(x), step);
  }

  void commit(const LocalState& x, const StepInfo&) { history_.last = {target_.value(x), target_.rate(x)}; }

  Energy energy(const LocalState& x) const {
    const Stops::Action action = law_.at(motion(x));
    Energy e;
    e.strain = action.stored;
    e.dissipated_power = action.dissipated;
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    sink.scalar("force", target_.force_unit, law_.at(motion(x)).force);
    sink.scalar("depth", target_.unit, std::max(0.0, law_.range.beyond(target_.value(x))));
  }

  struct History {
    static constexpr int version = 1;
    std::optional<std::pair<double, double>> last;  ///< value and rate at the last accepted state

    void serialize(Archive& archive) { archive(last); }
  };
  History& history() { return history_; }

 private:
  EndOfStep motion(const LocalState& x) const { return {target_.value(x), target_.rate(x)}; }

  CoordinateTarget target_;
  Law law_;
  History history_;
};

}  // namespace trammel::coordinates
