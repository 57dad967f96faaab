#pragma once

#include <optional>
#include <vector>

#include "trammel/row_status.hpp"

namespace trammel {

/// Merged answer of all instances on all ranks to a converged step; the same on every rank.
struct MergedReview {
  bool solve_again = false;
  std::optional<double> cut_time;  ///< inside the step
  bool new_stencil = false;
  bool rejected = false;  ///< an instance refuses the state (RejectStep)
  bool event = false;     ///< the step ends where an instance asked for it to be cut
  /// What rows do once the step is accepted, or, next to its begin, from there on: the trial is given up then.
  std::vector<RowSwitch> at_end, at_begin;
  int asker = -1;  ///< entity: of the earliest cut, or else that wants the step to be solved again
};

}  // namespace trammel
