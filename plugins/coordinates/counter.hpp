#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "trammel/bound_function.hpp"
#include "trammel/coordinate_element.hpp"
#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"

namespace trammel::coordinates {

/// Values that a Counter reads at an accepted state.
struct Counted {
  double value = 0, rate = 0, when = 0;

  void serialize(Archive& archive) { archive(value, rate, when); }
};

/// Counts a coordinate from its value at the last reset, in its unit and in turns. It changes nothing: elements on
/// the coordinate still read the coordinate itself. Stencil: the coordinate's block, then those that `when` reads.
class Counter {
 public:
  /// `times`: in order; `when`: a reset wherever it becomes positive.
  Counter(CoordinateTarget target, std::vector<double> times, std::optional<BoundFunction> when)
      : target_(std::move(target)), times_(std::move(times)), when_(std::move(when)) {}

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}

  /// Cuts a step in which `when` becomes positive, so that its instant is found to third order in the step.
  Review review(const LocalState& x, const StepInfo& step) const;
  /// Takes the coordinate at the instants of resets, on the cubic through both ends of the step.
  void commit(const LocalState& x, const StepInfo& step);
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const;

  struct History {
    static constexpr int version = 1;
    double zero = 0;              ///< the coordinate at the last reset
    double resets = 0;            ///< how many there were
    std::optional<Counted> last;  ///< at the last accepted state

    void serialize(Archive& archive) { archive(zero, resets, last); }
  };
  History& history() { return history_; }

 private:
  /// The part of the step at which `when`, at its end `now`, is zero on its way up.
  std::optional<double> crossing(double now) const;

  CoordinateTarget target_;
  std::vector<double> times_;
  std::optional<BoundFunction> when_;
  History history_;
};

}  // namespace trammel::coordinates
