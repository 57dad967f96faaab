#pragma once

#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"
#include "trammel/state.hpp"
#include "trammel/stops.hpp"

namespace trammel::curve_sliding {

/// Compliant stops at the ends of the part of a curve that may be slid along, by arc length [m]. Stencil: the block [eta, s].
class EndStops {
 public:
  explicit EndStops(const Stops& law) : law_(law) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Stops::Action action = law_.at(motion(x));
    out.residual()[1] = -action.force;
    if (!out.request.tangent) return;
    out.K()(1, 1) = action.stiffness;
    out.D()(1, 1) = action.damping;
  }
  void begin(const LocalState& x, const Begin&) { history_.last = motion(x); }
  Review review(const LocalState& x, const StepInfo& step) const {
    return law_.review(history_.last, motion(x), step);
  }
  void commit(const LocalState& x, const StepInfo&) { history_.last = motion(x); }
  Energy energy(const LocalState& x) const {
    const Stops::Action action = law_.at(motion(x));
    Energy e;
    e.strain = action.stored;
    e.dissipated_power = action.dissipated;
    return e;
  }
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    sink.scalar("end_force", "N", law_.at(motion(x)).force);
  }

  struct History {
    static constexpr int version = 1;
    EndOfStep last;  ///< s at the last accepted state

    void serialize(Archive& archive) { archive(last); }
  };
  History& history() { return history_; }

 private:
  static EndOfStep motion(const LocalState& x) { return {x.value(0)[1], x.rate(0)[1]}; }

  Stops law_;
  History history_;
};

}  // namespace trammel::curve_sliding
