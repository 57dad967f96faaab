#pragma once

#include <cmath>
#include <limits>

#include "trammel/crossing.hpp"
#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"
#include "trammel/state.hpp"

namespace trammel::curve_sliding {

/// The part of a curve that may be slid along, by arc length [m]; infinite where there is no end.
struct Range {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();

  /// How far s lies beyond the end that is nearer; negative inside.
  double beyond(double s) const { return std::max(s - to, from - s); }
};

/// One-sided springs at the ends of the range, with the damping of Hunt and Crossley (J. Appl. Mech. 42 (1975) 440):
/// k d (1 + c d'), d the depth, as long as it does not pull. Stencil: the block [eta, s].
class EndStops {
 public:
  struct Law {
    Range range;
    double stiffness = 0;  ///< [N/m]
    double damping = 0;    ///< c [s/m]
  };
  explicit EndStops(const Law& law) : law_(law) {}

  void evaluate(const LocalState& x, LocalSystem& out) const;
  void begin(const LocalState& x, const Begin&) { history_.last = motion(x); }
  Review review(const LocalState& x, const StepInfo& step) const;
  void commit(const LocalState& x, const StepInfo&) { history_.last = motion(x); }
  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const;

  struct History {
    static constexpr int version = 1;
    EndOfStep last;  ///< s at the last accepted state

    void serialize(Archive& archive) { archive(last); }
  };
  History& history() { return history_; }

 private:
  struct Force {
    double force = 0, by_depth = 0, by_rate = 0, elastic = 0, stored = 0;
  };
  Force force(double depth, double rate) const;
  static EndOfStep motion(const LocalState& x) { return {x.value(0)[1], x.rate(0)[1]}; }

  Law law_;
  History history_;
};

}  // namespace trammel::curve_sliding
