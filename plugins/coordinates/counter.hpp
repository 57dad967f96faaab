#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trammel/attachment.hpp"
#include "trammel/bound_function.hpp"
#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"

namespace trammel::coordinates {

/// Counts a coordinate from where it was at the last reset, in its unit and in turns. It only looks: what hangs on the
/// coordinate goes on seeing the coordinate. Stencil: the coordinate's block, then those that `when` reads.
class Counter {
 public:
  /// `times`: in order; `when`: a reset wherever it becomes positive.
  Counter(CoordinateTarget target, std::vector<double> times, std::optional<BoundFunction> when)
      : target_(std::move(target)), times_(std::move(times)), when_(std::move(when)) {}

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}

  /// Cuts the step at a reset.
  Review review(const LocalState& x, const StepInfo& step) const;
  void commit(const LocalState& x, const StepInfo& step);
  void outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const;

  std::vector<double> history() const { return {zero_, resets_, before_.value_or(0), before_ ? 1.0 : 0.0}; }
  void restore(std::span<const double> h);

 private:
  CoordinateTarget target_;
  std::vector<double> times_;
  std::optional<BoundFunction> when_;
  double zero_ = 0;               ///< the coordinate at the last reset
  double resets_ = 0;             ///< how many there were
  std::optional<double> before_;  ///< `when` at the last accepted state
};

}  // namespace trammel::coordinates
